"""What the fit compares: a few frames, small and blurred, so that a distant start still feels a pull."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32
from fourdcb.replay import FrameSequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One rung of the coarse-to-fine ladder.

    Attributes:
        width: picture width [px]; the height follows the aspect.
        sigmas: Gaussian blurs at that size [px]. Wide ones keep a body that is far from its place nearer to
            the video than one out of sight.
        step: finite-difference step, as a share of a parameter's slider.
        frames: how many frames are compared.
        supersample: of the replay's pictures; their edges must be as smooth as the video's where it counts.
    """

    width: int
    sigmas: tuple[float, ...]
    step: float
    frames: int
    supersample: int = 1


LADDER = (
    Level(width=48, sigmas=(3.0, 8.0, 20.0), step=0.02, frames=12),
    Level(width=64, sigmas=(1.2,), step=0.005, frames=16),
    Level(width=128, sigmas=(0.7,), step=0.001, frames=24, supersample=2),
)


# A pixel of a blurred picture moves when a channel leaves what stands still there by more than this.
_MOVING = 0.06
# RMS of what sensor noise and H.264 leave in small, blurred pictures.
_NOISE_LEVEL = 0.02
# What a replay in the right place leaves of the moving pixels' contrast: edges, textures, light of the shade.
_UNEXPLAINED = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """How far a replay is from a video, in small, blurred pictures; root mean squares in [0, 1].

    Attributes:
        whole: over all pixels.
        moving: over the pixels that move in either of the two; ``whole`` when none does.
        contrast: how far the video's own moving pixels leave what stands still there; 0 when none does.
    """

    whole: float
    moving: float
    contrast: float

    @property
    def explained(self) -> bool:
        """Whether what is left over is as small as noise and compression leave it.

        A moving body covers a small part of the picture, so it is held against its own contrast: a replay
        that puts it elsewhere leaves more of it than one that does not show it at all.
        """
        return self.whole < _NOISE_LEVEL and self.moving < max(_NOISE_LEVEL, _UNEXPLAINED * self.contrast)


def residual_of(video: F32, drawn: F32 | None) -> Residual:
    """Both as :func:`observe` gives them, shape (F, N); None for a replay that could not be drawn."""
    if drawn is None:
        return Residual(whole=1.0, moving=1.0, contrast=0.0)
    still = np.median(video, axis=0)
    leaving, gone = np.abs(video - still), np.abs(drawn - np.median(drawn, axis=0))
    moves = (leaving > _MOVING) | (gone > _MOVING)
    gap = drawn - video
    whole = float(np.sqrt(np.mean(gap**2)))
    if not moves.any():
        return Residual(whole=whole, moving=whole, contrast=0.0)
    own = leaving[leaving > _MOVING]
    return Residual(
        whole=whole,
        moving=float(np.sqrt(np.mean(gap[moves] ** 2))),
        contrast=float(np.sqrt(np.mean(own**2))) if own.size else 0.0,
    )


class Observation:
    """A video as the fit sees it, level by level.

    Args:
        frames: uint8, shape (T, H, W, 3).
        times: when they are shown [s], shape (T,).
    """

    def __init__(self, frames: FrameSequence, times: NDArray[np.float64]) -> None:
        self._frames, self._times = frames, times
        self._seen: dict[Level, F32] = {}

    def chosen(self, level: Level) -> NDArray[np.int64]:
        """The frames that are compared."""
        return chosen_frames(len(self._frames), level.frames)

    def chosen_times(self, level: Level) -> NDArray[np.float64]:
        """When they are shown [s]."""
        return self._times[self.chosen(level)]

    def at(self, level: Level) -> F32:
        """The chosen frames, shape (F, N)."""
        if level not in self._seen:
            self._seen[level] = np.stack([observe(self._frames[int(k)], level) for k in self.chosen(level)])
        return self._seen[level]


def chosen_frames(n_frames: int, count: int) -> NDArray[np.int64]:
    """``count`` frame indices spread evenly over the clip, first and last included."""
    return np.unique(np.linspace(0, n_frames - 1, min(count, n_frames)).round().astype(np.int64))


def observe(frame: NDArray[np.uint8], level: Level) -> F32:
    """One frame as the fit sees it: values in [0, 1], shape (height · width · 3 · blurs,).

    A blur spreads a body's energy over an area that grows with σ²; weights of σ make all count alike.
    """
    import cv2

    height = max(8, round(level.width * frame.shape[0] / frame.shape[1]))
    small = cv2.resize(frame, (level.width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0
    least = level.sigmas[0]
    blurred = [(sigma / least) * cv2.GaussianBlur(small, (0, 0), sigma).ravel() for sigma in level.sigmas]
    return np.concatenate(blurred).astype(np.float32)

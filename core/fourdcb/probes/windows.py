"""Windows of a clip: which frames an encoder is shown, at which rate, and how they become its input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F32, F64, U8
from fourdcb.errors import UserError

if TYPE_CHECKING:
    from fourdcb.video.reader import VideoReader


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """How clips are looked at; part of every key of the cache and of every report.

    Attributes:
        frames: of a window (T).
        rate: frames per second at which a window is read.
        side: of the square that the encoder sees [px]: the shorter side is scaled to it, the middle cut out.
        per_clip: windows of a clip, evenly over its length.
    """

    frames: int = 16
    rate: float = 16.0
    side: int = 224
    per_clip: int = 1

    def __post_init__(self) -> None:
        if self.frames < 1 or self.per_clip < 1 or self.side < 8 or not self.rate > 0.0:
            raise UserError(
                "these windows cannot be read",
                got=f"{self.frames} frames at {self.rate:g}/s, {self.side} px, {self.per_clip} a clip",
                expected="positive numbers, 8 px or more",
            )

    @property
    def span(self) -> float:
        """Time from the first to the last frame of a window [s]."""
        return (self.frames - 1) / self.rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window of one clip: when it starts [s], and its frames' numbers."""

    start: float
    frames: tuple[int, ...]


def windows_of(times: F64, settings: WindowSettings, *, name: str) -> tuple[Window, ...]:
    """Windows of a clip whose frames are shown at ``times`` [s], shape (T,).

    Raises:
        UserError: the clip is shorter than a window, or slower than the windows' rate.
    """
    step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0 / settings.rate
    if step > 1.01 / settings.rate:
        raise UserError(
            "the clip has fewer frames a second than a window reads; frames would be repeated",
            where=name, got=f"{1 / step:.3g} frames/s", expected=f"{settings.rate:g} frames/s or more",
            hint=f"extract with --rate {1 / step:.3g} or less",
        )  # fmt: skip
    room = float(times[-1] - times[0]) + 0.5 * step - settings.span
    if room < 0.0:
        raise UserError(
            "the clip is shorter than a window", where=name,
            got=f"{times[-1] - times[0] + step:.2f} s", expected=f"{settings.span:.2f} s or more",
            hint="extract with fewer --frames or a higher --rate, or leave the clip out",
        )  # fmt: skip
    room = max(room - 0.5 * step, 0.0)
    if settings.per_clip == 1:
        starts: Sequence[float] = [0.0]
    else:
        starts = np.linspace(0.0, room, settings.per_clip).tolist()
    found = []
    for start in starts:
        moments = times[0] + start + np.arange(settings.frames) / settings.rate
        frames = np.abs(times[:, None] - moments[None, :]).argmin(axis=0)
        found.append(Window(start=float(start), frames=tuple(int(k) for k in frames)))
    return tuple(found)


def moment_of(frames: int) -> int:
    """Number within a window of the frame that a question about a moment is asked at."""
    return frames // 2


def read_window(reader: VideoReader, window: Window, side: int) -> U8:
    """A window's frames as squares, RGB, shape (T, side, side, 3)."""
    unique = {k: square(reader.frame(k), side) for k in sorted(set(window.frames))}
    return np.stack([unique[k] for k in window.frames])


def square(frame: U8, side: int) -> U8:
    """A picture scaled so that its shorter side is ``side``, and the middle square cut out."""
    import cv2

    height, width = frame.shape[:2]
    scale = side / min(height, width)
    wide, high = max(side, round(width * scale)), max(side, round(height * scale))
    scaled = cv2.resize(frame, (wide, high), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    top, left = (high - side) // 2, (wide - side) // 2
    return np.ascontiguousarray(scaled[top : top + side, left : left + side])


def as_input(frames: U8) -> F32:
    """RGB bytes, shape (T, H, W, 3) or (B, T, H, W, 3), as an encoder's input in [0, 1], (B, 3, T, H, W).

    The explicit step for whatever is not an input yet; sizes are left alone, see :func:`square`.

    Raises:
        UserError: other shapes or types.
    """
    if frames.dtype != np.uint8 or frames.ndim not in (4, 5) or frames.shape[-1] != 3:
        raise UserError(
            "these are no RGB frames", got=f"{frames.dtype}, shape {frames.shape}",
            expected="uint8, shape (T, H, W, 3) or (B, T, H, W, 3)",
        )  # fmt: skip
    batch = frames if frames.ndim == 5 else frames[np.newaxis]
    return np.ascontiguousarray(batch.transpose(0, 4, 1, 2, 3), dtype=np.float32) / np.float32(255.0)

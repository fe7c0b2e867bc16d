"""What the fit compares: a few frames, small and blurred, so that a distant start still feels a pull."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One rung of the coarse-to-fine ladder.

    Attributes:
        width: picture width [px]; the height follows the aspect.
        sigma: Gaussian blur at that size [px].
        step: finite-difference step, as a share of a parameter's slider.
        frames: how many frames are compared.
    """

    width: int
    sigma: float
    step: float
    frames: int


LADDER = (
    Level(width=48, sigma=3.0, step=0.02, frames=12),
    Level(width=64, sigma=1.2, step=0.005, frames=16),
    Level(width=128, sigma=0.7, step=0.001, frames=24),
)


def chosen_frames(n_frames: int, count: int) -> NDArray[np.int64]:
    """``count`` frame indices spread evenly over the clip, first and last included."""
    return np.unique(np.linspace(0, n_frames - 1, min(count, n_frames)).round().astype(np.int64))


def observe(frame: NDArray[np.uint8], level: Level) -> F32:
    """One frame as the fit sees it: values in [0, 1], shape (height · width · 3,)."""
    import cv2

    height = max(8, round(level.width * frame.shape[0] / frame.shape[1]))
    small = cv2.resize(frame, (level.width, height), interpolation=cv2.INTER_AREA)
    return (cv2.GaussianBlur(small, (0, 0), level.sigma).astype(np.float32) / 255.0).ravel()

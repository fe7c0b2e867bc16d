"""Substep rates: integer multiples of the frame rate, so that every frame falls on a substep."""

from __future__ import annotations

import math
from typing import Literal

from fourdcb.errors import UserError

Rate = Literal["preview", "judging"]
JUDGING_HZ = 960.0
PREVIEW_HZ = 240.0
MAX_HZ = 100_000.0


def judging_rate(fps: float) -> float:
    """Smallest multiple of ``fps`` [1/s] that is >= 960 Hz: for ground truth and for judging."""
    return _smallest_multiple(fps, JUDGING_HZ)


def preview_rate(fps: float) -> float:
    """Smallest multiple of ``fps`` [1/s] that is >= 240 Hz: while a slider moves."""
    return _smallest_multiple(fps, PREVIEW_HZ)


def rate_hz(rate: Rate, fps: float) -> float:
    """Substeps per second of a rate that has a name."""
    return judging_rate(fps) if rate == "judging" else preview_rate(fps)


def substeps_per_frame(rate_hz: float, fps: float) -> int:
    """Number of substeps between two frames.

    Raises:
        UserError: when ``rate_hz`` is not a positive integer multiple of ``fps``, or above 100 kHz.
    """
    if rate_hz > MAX_HZ:
        raise UserError(
            "the physics rate is too high", got=f"{rate_hz:g} Hz", expected=f"at most {MAX_HZ:g} Hz"
        )
    ratio = rate_hz / fps
    if not math.isfinite(ratio) or ratio < 0.5 or abs(ratio - round(ratio)) > 1e-6:
        raise UserError(
            "the physics rate must be an integer multiple of the frame rate",
            got=f"{rate_hz:g} Hz at {fps:g} frames per second",
            expected=f"for example {judging_rate(fps):g} Hz",
        )
    return round(ratio)


def _smallest_multiple(fps: float, floor_hz: float) -> float:
    if not (math.isfinite(fps) and fps > 0):
        raise UserError("the frame rate must be positive and finite", got=f"{fps:g}", expected="fps > 0")
    return fps * max(1, math.ceil(floor_hz / fps - 1e-9))

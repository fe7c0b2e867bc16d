"""Pairing the frames of two clips by the time at which they are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Stamps are rounded to a clock of a millisecond in Matroska; a nominal time must still hit its frame.
_CLOCK_SLACK = 6e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alignment:
    """Frame pairs of a clip ``a`` (the reference) and a clip ``b`` on the time that both cover.

    Attributes:
        index_a, index_b: the frames of each pair, shape (P,); one pair for each frame of ``a`` that starts
            within the common interval.
        times: when the pairs are shown [s], shape (P,): the times of ``a``'s frames.
        start, end: the common interval [s]; ``end`` is exclusive.
        duration_a, duration_b: ends of the last frames [s]; a clip's length where it starts at 0.
        fps_a, fps_b: mean frame rates [1/s].
        frames_a, frames_b: frames of each clip.
    """

    index_a: NDArray[np.int64]
    index_b: NDArray[np.int64]
    times: NDArray[np.float64]
    start: float
    end: float
    duration_a: float
    duration_b: float
    fps_a: float
    fps_b: float
    frames_a: int
    frames_b: int

    @property
    def same_length(self) -> bool:
        """Whether the lengths agree within half a frame of the slower clip."""
        return abs(self.duration_a - self.duration_b) <= 0.5 / min(self.fps_a, self.fps_b)

    @property
    def same_rate(self) -> bool:
        """Whether the mean rates agree within 1 %."""
        return abs(self.fps_a - self.fps_b) <= 0.01 * max(self.fps_a, self.fps_b)


def align(
    times_a: ArrayLike,
    times_b: ArrayLike,
    *,
    duration_a: float | None = None,
    duration_b: float | None = None,
) -> Alignment:
    """Pair each frame of ``a`` with the frame of ``b`` whose presentation interval holds its time.

    No time is warped: a clip that runs late stays late.

    Args:
        times_a, times_b: presentation times [s], strictly increasing, shapes (A,), (B,), not empty.
        duration_a, duration_b: presentation ends [s]; a mean frame interval after the last frame when None.

    Raises:
        ValueError: when times are empty, not finite or do not increase.
    """
    a, b = _checked(times_a), _checked(times_b)
    end_a = _end(a) if duration_a is None else duration_a
    end_b = _end(b) if duration_b is None else duration_b
    start, end = max(a[0], b[0]), min(end_a, end_b)
    slack = min(_CLOCK_SLACK, *(0.25 * float(np.diff(t).min()) for t in (a, b) if len(t) > 1), np.inf)
    index_a = np.flatnonzero((a >= start - slack) & (a < end - slack))
    index_b = np.clip(np.searchsorted(b, a[index_a] + slack, side="right") - 1, 0, len(b) - 1)
    return Alignment(
        index_a=index_a.astype(np.int64),
        index_b=index_b.astype(np.int64),
        times=a[index_a],
        start=float(start),
        end=float(end),
        duration_a=float(end_a),
        duration_b=float(end_b),
        fps_a=_rate(a, end_a),
        fps_b=_rate(b, end_b),
        frames_a=len(a),
        frames_b=len(b),
    )


def _checked(times: ArrayLike) -> NDArray[np.float64]:
    t = np.asarray(times, dtype=np.float64).reshape(-1)
    if not t.size or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
        raise ValueError("presentation times must be finite and strictly increasing")
    return t


def _end(times: NDArray[np.float64]) -> float:
    """A mean interval after the last frame; a lone frame lasts 1/25 s."""
    step = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 0.04
    return float(times[-1] + step)


def _rate(times: NDArray[np.float64], end: float) -> float:
    span = float(times[-1] - times[0])
    return (len(times) - 1) / span if span > 0 else 1.0 / max(end - float(times[0]), 1e-9)

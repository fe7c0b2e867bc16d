"""Pairing the frames of two clips by the time at which they are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Stamps are rounded to a clock of a millisecond in Matroska; a nominal time must still hit its frame.
_CLOCK_SLACK = 6e-4
_TIE = 2 * _CLOCK_SLACK  # [s] two frames whose distances differ by less are equally near


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


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """When a clip's frames are shown.

    Attributes:
        times: presentation times [s], strictly increasing, shape (T,).
        end: until when the last frame is shown [s]: it may be held long.
    """

    times: NDArray[np.float64]
    end: float

    @classmethod
    def of(cls, times: NDArray[np.float64] | Timeline) -> Timeline:
        """A timeline as it is; of bare times, one whose last frame lasts a mean interval."""
        if isinstance(times, Timeline):
            return times
        bare = _checked(times)
        return cls(bare, _end(bare))


def align(
    times_a: ArrayLike,
    times_b: ArrayLike,
    *,
    duration_a: float | None = None,
    duration_b: float | None = None,
) -> Alignment:
    """Pair each frame of ``a`` with the frame of ``b`` that is nearest in presentation time.

    A stamp counts as near within half the usual frame interval (the median) of the slower clip; in a longer
    gap, where a clip of variable rate holds a picture, it is the held picture. Of two equally near frames
    the earlier is taken. Near frames pair alike in both orders. No time is warped: a clip that runs late
    stays late.

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
    return Alignment(
        index_a=index_a.astype(np.int64),
        index_b=nearest_frames(b, a[index_a], interval=usual_interval(a)),
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


def nearest_frames(
    times: NDArray[np.float64], wanted: NDArray[np.float64], *, interval: float
) -> NDArray[np.int64]:
    """The frames of a clip that belong to moments of another one, shape (K,); see :func:`align`.

    Args:
        times: the clip's presentation times [s], strictly increasing, shape (T,).
        wanted: moments [s], shape (K,).
        interval: usual frame interval of the clip that the moments come from [s]; 0 when it has none.
    """
    shown = np.clip(np.searchsorted(times, wanted, side="right") - 1, 0, len(times) - 1)
    after = np.minimum(shown + 1, len(times) - 1)
    wait, age = times[after] - wanted, wanted - times[shown]
    near = 0.5 * max(interval, usual_interval(times)) + _TIE
    return np.where((wait < age - _TIE) & (wait <= near), after, shown).astype(np.int64)


def usual_interval(times: NDArray[np.float64]) -> float:
    """Median frame interval [s]; 0 of a lone frame."""
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.0


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

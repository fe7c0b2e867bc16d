"""Time axis: does the error grow, and how fast does the replay run?"""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.geometry.poses import unpredictable
from fourdcb.metrics.result import MetricValue

if TYPE_CHECKING:
    from fourdcb.metrics.comparison import Comparison
    from fourdcb.replay import Replay

_WARM_UP = 2
_SECOND_LOOKS = 7  # on a busy machine four failed by chance once in some hundred judgements
_FRAMES = 16  # a quarter of a second when paced
_DISPLAY_HZ = 60.0
_BUDGET, _LEAST_FRAMES = 0.5, 3  # [s]


def slope(values: F64) -> float:
    """Least-squares slope of values against their index; 0 for fewer than two."""
    if len(values) < 2:
        return 0.0
    x = np.arange(len(values), dtype=np.float64) - 0.5 * (len(values) - 1)
    return float(x @ values / (x @ x))


def growth(values: F64, fps: float) -> float:
    """Mean of the last second minus mean of the first; of halves, where two seconds are not there."""
    n = max(1, min(round(fps), len(values) // 2))
    return float(values[-n:].mean() - values[:n].mean()) if len(values) else 0.0


def drift_rate(c: Comparison, criteria: Criteria) -> MetricValue:
    """Slope of the position error over time [mm per 1/30 s], of the object whose error grows most.

    Least squares up to each object's horizon, signed: an error that shrinks has a negative slope. A body that
    breaks away late has one, too, unlike the median of slopes, which most frames decide. Beside it stands
    by how much the error of the last second exceeds that of the first [m].
    """
    fps, n_frames = c.reference.trajectory.fps, c.reference.trajectory.n_frames
    if n_frames <= criteria.drift_min_frames:
        reason = f"{n_frames} frames; drift needs more than {criteria.drift_min_frames:.0f}"
        return criteria.unmeasured("drift_rate", "not_applicable", reason)
    if not c.states:
        return criteria.unmeasured("drift_rate", "not_applicable", "no moving object was matched")
    chaotic = unpredictable(c.states, criteria)
    if chaotic is not None:
        return criteria.unmeasured("drift_rate", "not_measured", chaotic)
    errors: dict[str, F64] = {s.name: np.linalg.norm(s.position_error[: s.frames], axis=-1) for s in c.states}
    values = {name: 1000.0 * slope(error) * fps / 30.0 for name, error in errors.items()}
    worst = max(values, key=lambda k: values[k])
    detail = {"worst": worst, "growth_m": {name: growth(error, fps) for name, error in errors.items()}}
    return criteria.measured("drift_rate", values[worst], per_object=values, detail=detail)


def replay_fps(candidate: Replay, truth: Replay, criteria: Criteria) -> MetricValue:
    """Rate at which the replay renderer draws the clip, warm [1/s]: mean, slow 5 %, and spread when paced.

    Frames are drawn one after the other for a display of 60 Hz, for a quarter of a second: each is shown at
    its tick, or when it is done if that is later. The rate counts the time spent drawing; the spread is
    the standard deviation of the shown rate. A machine judges where it is fit: where the truth's own replay
    reaches threshold and spread just before, and after each of seven more tries where a candidate does not.
    Elsewhere ``passed`` is None.
    """
    yardstick = _rate(truth)
    own = _rate(candidate)
    fit = _keeps(yardstick, criteria)
    for _ in range(_SECOND_LOOKS):  # a moment in which something else ran must not fail a script
        if not fit or _keeps(own, criteria):
            break
        own, fit = _rate(candidate), _keeps(_rate(truth), criteria)
    detail = {
        "p5": own.slow,
        "spread": own.spread,
        "paced_hz": _DISPLAY_HZ,
        "frames": own.frames,
        "device": platform.processor() or platform.machine(),
        "machine": platform.machine(),
        "backend": "raster (CPU)",
        "truth": {"rate": yardstick.mean, "spread": yardstick.spread},
        "judged": fit,
    }
    if not fit:
        reason = "not judged on this machine: the truth's own replay does not keep rate and spread here"
        return criteria.measured("replay_fps", own.mean, detail=detail, passed=None, reason=reason)
    if own.spread < criteria.replay_spread:
        return criteria.measured("replay_fps", own.mean, detail=detail)
    most = f"less than ±{criteria.replay_spread:g} is needed"
    reason = f"uneven: ±{own.spread:.1f} frames/s when paced at {_DISPLAY_HZ:g} Hz, {most}"
    return criteria.measured("replay_fps", own.mean, detail=detail, passed=False, reason=reason)


@dataclass(frozen=True, slots=True)
class _Rate:
    """Of drawing [1/s]: mean, slowest 5 %, spread of what is shown; over so many frames."""

    mean: float
    slow: float
    spread: float
    frames: int


def _keeps(rate: _Rate, criteria: Criteria) -> bool:
    return criteria.thresholds["replay_fps"].passes(rate.mean) and rate.spread < criteria.replay_spread


def _rate(played: Replay) -> _Rate:
    from fourdcb.render import RasterRenderer, on_all_threads

    renderer = RasterRenderer(played.world, played.settings)
    times = played.world.frame_times()
    count = min(_FRAMES, len(times))
    chosen = times[np.round(np.linspace(0, len(times) - 1, count)).astype(int)]
    jobs = [
        partial(renderer.render, played.trajectory, float(t), aux=False)
        for t in (*chosen[:_WARM_UP], *chosen)
    ]
    with on_all_threads():  # as a player draws, whoever judges beside something else
        for job in jobs[:_WARM_UP]:
            job()
        seconds, shown = paced(jobs[_WARM_UP:], hz=_DISPLAY_HZ, budget=_BUDGET)
    spread = float(np.std(1.0 / np.diff(shown))) if len(shown) > 2 else 0.0
    slow = 1.0 / float(np.quantile(seconds, 0.95))
    return _Rate(len(seconds) / float(seconds.sum()), slow, spread, len(seconds))


def paced(
    jobs: Sequence[Callable[[], object]],
    *,
    hz: float,
    budget: float = math.inf,
    now: Callable[[], float] = time.perf_counter,
    wait: Callable[[float], None] = time.sleep,
) -> tuple[F64, F64]:
    """Do jobs for a display of ``hz``: seconds that each took, and when each was shown [s].

    A job that is late is shown when it is done, and the ticks go on from there. After ``budget`` seconds
    no other job begins, once three are done.
    """
    seconds: list[float] = []
    shown: list[float] = []
    tick = start = now()
    for job in jobs:
        begun = now()
        if begun - start > budget and len(shown) >= _LEAST_FRAMES:
            break
        job()
        done = now()
        tick = max(tick + 1.0 / hz, done)
        if tick > done:
            wait(tick - done)
        seconds.append(done - begun)
        shown.append(now())
    return np.array(seconds), np.array(shown)

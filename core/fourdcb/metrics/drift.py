"""Time axis: does the error grow, and how fast does the replay run?"""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.geometry import unpredictable
from fourdcb.metrics.result import MetricValue
from fourdcb.metrics.states import PairStates

if TYPE_CHECKING:
    from fourdcb.replay import Replay

F64 = NDArray[np.float64]
_MAX_POINTS = 800
_WARM_UP = 2
_TIMED_FRAMES = 16


def theil_sen_slope(x: F64, y: F64) -> float:
    """Median of the slopes between all pairs of points (Theil 1950, Sen 1968); x ascending.

    More than 800 points are thinned evenly first: the number of pairs grows with the square.
    """
    if len(x) > _MAX_POINTS:
        keep = np.round(np.linspace(0, len(x) - 1, _MAX_POINTS)).astype(int)
        x, y = x[keep], y[keep]
    i, j = np.triu_indices(len(x), k=1)
    return float(np.median((y[j] - y[i]) / (x[j] - x[i])))


def drift_rate(
    states: tuple[PairStates, ...], *, fps: float, n_frames: int, criteria: Criteria
) -> MetricValue:
    """|Theil–Sen slope| of the position error [mm per 1/30 s], worst object, up to its horizon."""
    if n_frames <= criteria.drift_min_frames:
        reason = f"{n_frames} frames; drift needs more than {criteria.drift_min_frames:.0f}"
        return criteria.unmeasured("drift_rate", "not_applicable", reason)
    if not states:
        return criteria.unmeasured("drift_rate", "not_applicable", "no moving object was matched")
    chaotic = unpredictable(states, criteria)
    if chaotic is not None:
        return criteria.unmeasured("drift_rate", "not_measured", chaotic)
    values = {}
    for s in states:
        error: F64 = np.linalg.norm(1000.0 * s.position_error[: s.frames], axis=-1)
        values[s.name] = abs(theil_sen_slope(np.arange(len(error), dtype=np.float64) * (30.0 / fps), error))
    worst = max(values, key=lambda k: values[k])
    return criteria.measured("drift_rate", values[worst], per_object=values, detail={"worst": worst})


def replay_fps(candidate: Replay, environment: Mapping[str, Any], criteria: Criteria) -> MetricValue:
    """Rate at which the replay renderer draws the clip, warm [1/s]: mean and slow 5 %.

    Only a machine that the criteria name is judged by it; elsewhere ``passed`` is None.
    """
    from fourdcb.render import RasterRenderer

    renderer = RasterRenderer(candidate.world, candidate.settings)
    times = candidate.world.frame_times()
    chosen = times[np.round(np.linspace(0, len(times) - 1, min(_TIMED_FRAMES, len(times)))).astype(int)]
    for t in chosen[:_WARM_UP]:
        renderer.render(candidate.trajectory, float(t), aux=False)
    seconds = np.array([_timed(renderer, candidate, float(t)) for t in chosen])
    rate = len(seconds) / float(seconds.sum())
    machine = str(environment.get("machine", platform.machine()))
    named = machine in criteria.machines
    detail = {
        "p5": 1.0 / float(np.quantile(seconds, 0.95)),
        "frames": len(seconds),
        "device": platform.processor() or platform.machine(),
        "machine": machine,
        "backend": "raster (CPU)",
        "judged": named,
    }
    if named:
        return criteria.measured("replay_fps", rate, detail=detail)
    reason = "not a named machine: reported, not judged"
    return criteria.measured("replay_fps", rate, detail=detail, passed=None, reason=reason)


def _timed(renderer: Any, candidate: Replay, t: float) -> float:
    start = time.perf_counter()
    renderer.render(candidate.trajectory, t, aux=False)
    return time.perf_counter() - start

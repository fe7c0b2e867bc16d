"""Likely causes: the parameter whose change best explains what is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.changes import likely_changes
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.result import Cause, Finding
from fourdcb.metrics.states import pose_errors
from fourdcb.sensitivity import Change, explain
from fourdcb.world import World
from fourdcb.world.parameters import split_path

F64 = NDArray[np.float64]
_WORTH_SAYING = 0.2
_ENOUGH = 0.95
_POSITION_SCALE = 0.02
_ROTATION_SCALE_DEG = 3.0


def motion_causes(c: Comparison) -> dict[str, Cause]:
    """Best explanation of each reference object's deviation; objects without one are left out."""
    index = c.candidate.trajectory.index

    def residual(world: World, poses: tuple[F64, F64]) -> dict[str, float]:
        found = {}
        for s in c.states:
            own = (poses[0][:, index(s.match.candidate)], poses[1][:, index(s.match.candidate)])
            found[s.name] = _square(*pose_errors(s, c.reference, world, *own), s.frames)
        return found

    changes = likely_changes(c)
    baseline = {s.name: _square(s.position_error, s.rotation_error, s.frames) for s in c.states}
    rate_hz = c.candidate.trajectory.rate_hz
    ranked = explain(changes, residual, baseline, rate_hz=rate_hz, enough=_ENOUGH)
    causes = _static_causes(c, changes)
    for name, explanations in ranked.items():
        if explanations and explanations[0].explained > _WORTH_SAYING:
            causes[name] = _cause(explanations[0].change, explanations[0].explained)
    return causes


def _static_causes(c: Comparison, changes: Sequence[Change]) -> dict[str, Cause]:
    """A static body does not move; what the scripts say about its place is the cause itself."""
    causes: dict[str, Cause] = {}
    for ref, cand in c.matching.static.stand_in.items():
        for change in changes:
            owner, field, _ = split_path(change.path)
            if owner == cand and field in ("pos", "offset"):
                suggested = round(change.suggested, 6)
                cause = Cause(
                    parameter=change.path, current=change.current, suggested=suggested, unit=change.unit
                )
                causes.setdefault(ref, cause)
    return causes


def _cause(change: Change, explained: float | None = None) -> Cause:
    return Cause(
        parameter=change.path,
        current=change.current,
        suggested=round(change.suggested, 6),
        unit=change.unit,
        explained=None if explained is None else round(explained, 4),
    )


def with_causes(findings: Sequence[Finding], causes: Mapping[str, Cause]) -> tuple[Finding, ...]:
    """Findings of motion get the cause of the first of their objects that has one."""
    return tuple(
        replace(f, likely_cause=_first(f.objects, causes))
        if f.likely_cause is None and f.axis in ("geometry", "physics", "time")
        else f
        for f in findings
    )


def _first(objects: tuple[str, ...], causes: Mapping[str, Cause]) -> Cause | None:
    return next((causes[name] for name in objects if name in causes), None)


def _square(position_error: F64, rotation_error: F64, frames: int) -> float:
    """Squared deviation in units of the usual limits over the predictable frames."""
    return float(
        np.sum((position_error[:frames] / _POSITION_SCALE) ** 2)
        + np.sum((rotation_error[:frames] / _ROTATION_SCALE_DEG) ** 2)
    )

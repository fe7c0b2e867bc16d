"""Likely causes: the parameter whose change best explains what is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fourdcb.metrics.changes import likely_changes
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.result import Cause, Finding
from fourdcb.metrics.states import PairStates, pair_states
from fourdcb.sensitivity import Change, explain
from fourdcb.trajectory import Trajectory
from fourdcb.world import World
from fourdcb.world.parameters import split_path

_WORTH_SAYING = 0.2
_POSITION_SCALE = 0.02
_ROTATION_SCALE_DEG = 3.0


def motion_causes(c: Comparison, horizon: Mapping[str, float]) -> dict[str, Cause]:
    """Best explanation of each reference object's deviation; objects without one are left out."""

    def residual(world: World, trajectory: Trajectory) -> dict[str, float]:
        changed = replace(c.candidate, world=world, trajectory=trajectory, frames=None)
        return _squares(pair_states(c.matching, c.reference, changed, horizon))

    changes = likely_changes(c)
    ranked = explain(changes, residual, _squares(c.states), rate_hz=c.candidate.trajectory.rate_hz)
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


def _squares(states: tuple[PairStates, ...]) -> dict[str, float]:
    """Squared deviation in units of the usual limits, by object, over its predictable frames."""
    return {
        s.name: float(
            np.sum((s.position_error[: s.frames] / _POSITION_SCALE) ** 2)
            + np.sum((s.rotation_error[: s.frames] / _ROTATION_SCALE_DEG) ** 2)
        )
        for s in states
    }

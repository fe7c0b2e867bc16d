"""Likely causes: the parameter whose change best explains what is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.changes import likely_changes
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.result import Cause, Finding
from fourdcb.metrics.states import pose_errors
from fourdcb.sensitivity import Change, Explanation, explain
from fourdcb.world import World
from fourdcb.world.parameters import split_path

F64 = NDArray[np.float64]
_WORTH_SAYING = 0.2
_ENOUGH = 0.95
_POSITION_SCALE = 0.02
_ROTATION_SCALE_DEG = 3.0
_MOTION = ("geometry", "physics", "time")
_NO_NUMBER = ("missing_object", "extra_object", "wrong_kind", "shape", "horizon")
_FOLLOWS = {
    "bounce_height": "restitution", "no_bounce": "restitution", "extra_bounce": "restitution",
    "contact_time": "restitution", "missed_contact": "restitution", "extra_contact": "restitution",
    "slide": "friction",
}  # fmt: skip
_CONTACTS = ("contact_time", "missed_contact", "extra_contact")


@dataclass(frozen=True, slots=True)
class MotionCauses:
    """What was measured about each reference object's deviation.

    Attributes:
        best: the best explanation by object; objects without one are left out.
        played: every change that was played, by object.
    """

    best: Mapping[str, Cause]
    played: Mapping[str, Sequence[Explanation]]

    def first(self, objects: tuple[str, ...]) -> Cause | None:
        """The best explanation of the first of ``objects`` that has one."""
        return next((self.best[name] for name in objects if name in self.best), None)

    def weighed(self, cause: Cause, objects: tuple[str, ...]) -> Cause:
        """``cause`` with the share of the first object's deviation that it was measured to take away."""
        for name in objects:
            for e in self.played.get(name, ()):
                if e.explained > 0 and script_cause(e.change) == cause:
                    return _cause(e.change, e.explained)
        return cause


def motion_causes(c: Comparison) -> MotionCauses:
    """Play the likely changes and keep the best explanation of each reference object's deviation."""
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
    return MotionCauses(causes, ranked)


def _static_causes(c: Comparison, changes: Sequence[Change]) -> dict[str, Cause]:
    """A static body does not move; what the scripts say about its place is the cause itself."""
    causes: dict[str, Cause] = {}
    for cand, ref in c.matching.counterpart.items():
        for change in changes:
            owner, field, _ = split_path(change.path)
            if owner == cand and field in ("pos", "offset", "size"):
                causes.setdefault(ref, _cause(change))
    return causes


def script_cause(change: Change | None) -> Cause | None:
    """The cause of what the scripts themselves state differently; None stays None."""
    return None if change is None else _cause(change)


def _cause(change: Change, explained: float | None = None) -> Cause:
    return Cause(
        parameter=change.path,
        current=change.current,
        suggested=round(change.suggested, 6),
        unit=change.unit,
        explained=None if explained is None else round(explained, 4),
    )


def with_causes(findings: Sequence[Finding], causes: MotionCauses) -> tuple[Finding, ...]:
    """Findings of motion with their causes.

    A finding that states a parameter keeps that parameter, whatever else is wrong. A wrong bounce, the
    touch after it, or a wrong slide follows from its object's wrong coefficient where one is stated. The
    others get what was measured.
    """
    return tuple(_with_cause(f, findings, causes) for f in findings)


def _with_cause(finding: Finding, findings: Sequence[Finding], causes: MotionCauses) -> Finding:
    if finding.axis not in _MOTION or finding.kind in _NO_NUMBER:
        return finding
    cause = finding.likely_cause or _stated(finding, findings)
    if cause is None:
        return replace(finding, likely_cause=causes.first(finding.objects))
    return replace(finding, likely_cause=causes.weighed(cause, finding.objects))


def _stated(finding: Finding, findings: Sequence[Finding]) -> Cause | None:
    """The cause that a finding about the coefficient behind this one states for the same objects."""
    coefficient = _FOLLOWS.get(finding.kind)
    behind = (f for f in findings if f.kind == coefficient and set(finding.objects) <= set(f.objects))
    return next(
        (f.likely_cause for f in behind if f.likely_cause is not None and _may_follow(finding, f)), None
    )


def _may_follow(finding: Finding, coefficient: Finding) -> bool:
    """No contact that was due before the first bounce is late or missing because of the bounce."""
    if finding.kind not in _CONTACTS or finding.time is None or coefficient.time is None:
        return True
    due = finding.time if finding.expected is None else min(finding.time, finding.expected)
    return due > coefficient.time


def _square(position_error: F64, rotation_error: F64, frames: int) -> float:
    """Squared deviation in units of the usual limits over the predictable frames."""
    return float(
        np.sum((position_error[:frames] / _POSITION_SCALE) ** 2)
        + np.sum((rotation_error[:frames] / _ROTATION_SCALE_DEG) ** 2)
    )

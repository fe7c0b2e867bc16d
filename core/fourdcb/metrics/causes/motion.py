"""Likely causes: the parameter whose change best explains what is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.causes.changes import likely_changes
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.geometry.drift import slope
from fourdcb.metrics.kinds import kind_of
from fourdcb.metrics.result import Cause, Finding
from fourdcb.metrics.states import PairStates, pose_errors
from fourdcb.physics import Engine
from fourdcb.sensitivity import Change, Explanation, explain
from fourdcb.world import World
from fourdcb.world.parameters import split_path

_WORTH_SAYING = 0.2
_ENOUGH = 0.95
_POSITION_SCALE = 0.02
_ROTATION_SCALE_DEG = 3.0
_DRIFT_SCALE = 0.05  # [mm per 1/30 s]
_MOTION = ("geometry", "physics", "time")
_MOTION_OF = " (motion)"


@dataclass(frozen=True, slots=True)
class MotionCauses:
    """What was measured about each reference object's deviation.

    Where an object is and how it moves are explained apart: a wrong start shifts everything and changes no
    bounce, so it must not be blamed for one.

    Attributes:
        static: causes of what is wrong with static bodies, by reference body.
        places, moves: every change that was played, by object, ranked by how much of the error of its pose,
            and of the error of its motion from frame to frame, it takes away.
        unhelpful: paths of the changes that were played and leave the objects together no nearer: right by
            the script, but another number has to be mended first.
    """

    static: Mapping[str, Cause]
    places: Mapping[str, Sequence[Explanation]]
    moves: Mapping[str, Sequence[Explanation]]
    unhelpful: frozenset[str]

    def proven(self, cause: Cause) -> Cause:
        """``cause``, without the value where it was played and did not help."""
        return replace(cause, suggested=None) if cause.parameter in self.unhelpful else cause

    def first(self, finding: Finding) -> Cause | None:
        """The best explanation of the first of a finding's objects that has one."""
        for name in finding.objects:
            if name in self.static:
                return self.static[name]
            helpful = (e for e in self._ranked(finding).get(name, ()) if e.change.path not in self.unhelpful)
            best = next(helpful, None)
            if best is not None and best.explained > _WORTH_SAYING:
                return _cause(best.change, best.explained)
        return None

    def weighed(self, cause: Cause, finding: Finding) -> Cause:
        """``cause`` with the share of the first object's error that it was measured to take away."""
        for name in finding.objects:
            for e in self._ranked(finding).get(name, ()):
                if e.explained > 0 and script_cause(e.change) == cause:
                    return _cause(e.change, e.explained)
        return cause

    def _ranked(self, finding: Finding) -> Mapping[str, Sequence[Explanation]]:
        return self.moves if finding.axis == "physics" else self.places


def motion_causes(c: Comparison, *, engine: Engine | None = None) -> MotionCauses:
    """Play the likely changes and rank what they explain of each reference object's deviation.

    Args:
        c: the comparison of the two worlds.
        engine: plays the changes; default a fresh one.
    """
    index = c.candidate.trajectory.index
    fps, left = c.candidate.trajectory.fps, dict[int, float]()

    def residual(world: World, poses: tuple[F64, F64]) -> dict[str, float]:
        found: dict[str, float] = {}
        growing: dict[str, float] = {}
        for s in c.states:
            own = (poses[0][:, index(s.match.candidate)], poses[1][:, index(s.match.candidate)])
            errors = pose_errors(s, c.reference, world, *own)
            found |= _squares(s, *errors)
            growing[s.name] = _growing(s, errors[0], fps)
        left[id(world)] = _doublings(found, growing)
        return found

    changes = likely_changes(c)
    baseline: dict[str, float] = {}
    for s in c.states:
        baseline |= _squares(s, s.position_error, s.rotation_error)
    before = _doublings(baseline, {s.name: _growing(s, s.position_error, fps) for s in c.states})
    rate_hz = c.candidate.trajectory.rate_hz
    ranked = explain(changes, residual, baseline, rate_hz=rate_hz, enough=_ENOUGH, engine=engine)
    names = [s.name for s in c.states]
    return MotionCauses(
        static=_static_causes(c, changes),
        places={name: ranked[name] for name in names if name in ranked},
        moves={name: ranked[name + _MOTION_OF] for name in names if name + _MOTION_OF in ranked},
        unhelpful=frozenset(x.path for x in changes if left.get(id(x.world), 0.0) >= before),
    )


def _doublings(*squares: Mapping[str, float]) -> float:
    """Errors of all objects together: one that doubles counts as much wherever it stands."""
    return float(sum(np.log2(1.0 + square) for each in squares for square in each.values()))


def _growing(s: PairStates, position_error: F64, fps: float) -> float:
    """Square of the rate at which a place's error grows, in units of the usual limit."""
    rate = 1000.0 * slope(np.linalg.norm(position_error[: s.frames], axis=-1)) * fps / 30.0
    return (max(rate, 0.0) / _DRIFT_SCALE) ** 2


def _static_causes(c: Comparison, changes: Sequence[Change]) -> dict[str, Cause]:
    """A static body does not move; what the scripts say about its place is the cause itself."""
    causes: dict[str, Cause] = {}
    pairs = ((b, a) for b, a in c.matching.counterpart.items() if a in c.matching.static.errors)
    for cand, ref in pairs:
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
    if finding.axis not in _MOTION or not kind_of(finding.kind).mendable:
        return finding
    cause = finding.likely_cause or _stated(finding, findings)
    if cause is None:
        return replace(finding, likely_cause=causes.first(finding))
    return replace(finding, likely_cause=causes.proven(causes.weighed(cause, finding)))


def _stated(finding: Finding, findings: Sequence[Finding]) -> Cause | None:
    """The cause that a finding about the coefficient behind this one states for the same objects."""
    coefficient = kind_of(finding.kind).follows
    behind = (f for f in findings if f.kind == coefficient and set(finding.objects) <= set(f.objects))
    return next(
        (f.likely_cause for f in behind if f.likely_cause is not None and _may_follow(finding, f)), None
    )


def _may_follow(finding: Finding, coefficient: Finding) -> bool:
    """No contact that was due before the first bounce is late or missing because of the bounce."""
    if not kind_of(finding.kind).is_contact or finding.time is None or coefficient.time is None:
        return True
    due = finding.time if finding.expected is None else min(finding.time, finding.expected)
    return due > coefficient.time


def _squares(s: PairStates, position_error: F64, rotation_error: F64) -> dict[str, float]:
    """Squared errors of an object's pose and of its motion from frame to frame, within its horizon."""
    position, rotation = position_error[: s.frames], rotation_error[: s.frames]
    return {
        s.name: _square(position, rotation),
        s.name + _MOTION_OF: _square(np.diff(position, axis=0), np.diff(rotation)),
    }


def _square(position_error: F64, rotation_error: F64) -> float:
    """Squared deviation in units of the usual limits."""
    return float(
        np.sum((position_error / _POSITION_SCALE) ** 2) + np.sum((rotation_error / _ROTATION_SCALE_DEG) ** 2)
    )

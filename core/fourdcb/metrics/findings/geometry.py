"""Findings about which objects there are, where they are and what shape they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.causes.changes import size_change
from fourdcb.metrics.causes.motion import script_cause
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.criteria import Criteria, Threshold
from fourdcb.metrics.geometry.poses import static_shares
from fourdcb.metrics.geometry.surface import CAP
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.result import AxisResult, Finding, MetricValue
from fourdcb.metrics.states import PairStates
from fourdcb.world.symmetry import size_error


def matching_findings(c: Comparison) -> Iterator[Finding]:
    """Missing, extra and wrongly driven objects."""
    for name in c.matching.missing:
        obj = c.reference.world.object(name)
        yield finding("missing_object", name, frame=0, time=0.0, shape=obj.geometry, pos=obj.pos)
    for name in c.matching.extra:
        obj = c.candidate.world.object(name)
        yield finding("extra_object", name, frame=0, time=0.0, shape=obj.geometry, pos=obj.pos)
    for m in c.matching.pairs:
        if not m.same_kind:
            own, truth = c.candidate.world.object(m.candidate), c.reference.world.object(m.reference)
            yield finding("wrong_kind", m.reference, own=own.kind, truth=truth.kind)


def geometry_findings(
    c: Comparison, geometry: AxisResult, time: AxisResult, criteria: Criteria
) -> Iterator[Finding]:
    """One finding per object and failed metric, at its worst frame."""
    limits = criteria.thresholds
    pos, rot, scale = (geometry.metrics[m] for m in ("delta_pos", "delta_rot", "delta_scale"))
    for s in c.states:
        if not limits["delta_pos"].passes(pos.per_object.get(s.name, 0.0)):
            yield _position(s, c.reference.world.fps, limits["delta_pos"].value)
        if not limits["delta_rot"].passes(rot.per_object.get(s.name, 0.0)):
            yield _rotation(s, c.reference.world.fps, limits["delta_rot"].value)
        if not limits["delta_scale"].passes(scale.per_object.get(s.name, 0.0)):
            yield _shape(c, s, scale.per_object[s.name], limits["delta_scale"].value)
        drift = time.metrics["drift_rate"]
        if drift.value is not None and drift.passed is False and s.name == drift.detail["worst"]:
            yield finding(
                "drift", s.name, measured=drift.value, expected=drift.threshold,
                growth=drift.detail["growth_m"][s.name],
            )  # fmt: skip
    yield from _surfaces(c, criteria)
    yield from _seen_sizes(c, scale, limits["delta_scale"])
    yield from _horizons(c, criteria)


def _position(s: PairStates, fps: float, limit: float) -> Finding:
    gap: F64 = np.linalg.norm(s.position_error[: s.frames], axis=-1)
    frame, first = int(np.argmax(gap)), int(np.argmax(gap >= limit))
    axis = int(np.argmax(np.abs(s.position_error[frame])))
    return finding(
        "position", s.name, frame=frame, time=frame / fps, measured=float(gap[frame]), expected=limit,
        offset=float(s.position_error[frame][axis]), along="xyz"[axis],
        since=None if frame == first else first,
    )  # fmt: skip


def _rotation(s: PairStates, fps: float, limit: float) -> Finding:
    angle = s.rotation_error[: s.frames]
    frame, first = int(np.argmax(angle)), int(np.argmax(angle >= limit))
    return finding(
        "rotation", s.name, frame=frame, time=frame / fps, measured=float(angle[frame]), expected=limit,
        since=None if frame == first else first,
    )  # fmt: skip


def _shape(c: Comparison, s: PairStates, value: float, limit: float) -> Finding:
    told: dict[str, Any] = {"frame": 0, "time": 0.0, "measured": value, "expected": limit}
    if s.reference.geometry != s.candidate.geometry:
        own, truth = s.candidate.geometry, s.reference.geometry
        return finding("shape", s.name, **told, form="other", own=own, truth=truth)
    if size_error(s.turn, s.candidate_size, s.reference_size) < 0.5 * value:
        return finding("shape", s.name, **told, form="surface")
    return finding(
        "size", s.name, **told, own=tuple(map(float, _turned(s))), truth=tuple(map(float, s.reference_size)),
        likely_cause=script_cause(size_change(c.candidate.world, s)),
    )  # fmt: skip


def _turned(s: PairStates) -> F64:
    """The candidate's extents along the reference's axes [m]."""
    return np.abs(s.turn).T @ s.candidate_size


def _surfaces(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    limit = criteria.thresholds["delta_pos"]
    matched = {s.name for s in c.states}
    errors = [(name, e, "off" if e < CAP else "missing") for name, e in c.matching.static.distances().items()]
    errors = [found for found in errors if found[0] not in matched]
    errors += [(name, e, "extra") for name, e in c.matching.static.extra.items()]
    share = criteria.thresholds["delta_pos_relative"]
    relative = static_shares(c)
    for name, error, form in errors:
        if not limit.passes(error) or not share.passes(relative.get(name, 0.0)):
            yield finding("surface", name, frame=0, time=0.0, measured=error, expected=limit.value, form=form)


def _seen_sizes(c: Comparison, scale: MetricValue, limit: Threshold) -> Iterator[Finding]:
    """Static objects that are seen larger or smaller than they should be."""
    matched = {s.name for s in c.states}
    for name, value in scale.per_object.items():
        if name not in matched and not limit.passes(value):
            yield finding("shape", name, frame=0, time=0.0, measured=value, expected=limit.value, form="seen")


def _horizons(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    for s in c.states:
        if s.ends_early(criteria.horizon_min_fraction):
            frame = min(s.frames, len(s.rotation_error) - 1)
            yield finding("horizon", s.name, frame=frame, time=frame / c.reference.world.fps)

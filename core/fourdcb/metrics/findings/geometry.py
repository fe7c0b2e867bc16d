"""Findings about which objects there are, where they are and what shape they have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.causes.changes import size_change
from fourdcb.metrics.causes.motion import script_cause
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.contact.energy import kind_word
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.geometry.surface import CAP
from fourdcb.metrics.result import AxisResult, Finding
from fourdcb.metrics.states import PairStates
from fourdcb.world.symmetry import size_error

F64 = NDArray[np.float64]


def matching_findings(c: Comparison) -> Iterator[Finding]:
    """Missing, extra and wrongly driven objects."""
    for name in c.matching.missing:
        obj = c.reference.world.object(name)
        yield Finding(
            frame=0, time=0.0, axis="geometry", objects=(name,), kind="missing_object",
            message=f"{name} is missing: the reference has a {obj.geometry} at {_point(obj.pos)}",
        )  # fmt: skip
    for name in c.matching.extra:
        obj = c.candidate.world.object(name)
        yield Finding(
            frame=0, time=0.0, axis="geometry", objects=(name,), kind="extra_object",
            message=f"{name} does not exist in the reference: a {obj.geometry} at {_point(obj.pos)}",
        )  # fmt: skip
    for m in c.matching.pairs:
        if not m.same_kind:
            own = kind_word(c.candidate.world.object(m.candidate))
            truth = kind_word(c.reference.world.object(m.reference))
            yield Finding(
                frame=None, time=None, axis="physics", objects=(m.reference,), kind="wrong_kind",
                message=f"{m.reference} is {own} in the script, it must be {truth}",
            )  # fmt: skip


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
            yield Finding(
                frame=None, time=None, axis="time", objects=(s.name,), kind="drift",
                message=f"{s.name} drifts: its place is off by {drift.value:.2f} mm more every 1/30 s "
                f"({drift.threshold:g} mm is allowed)",
                measured=drift.value, expected=drift.threshold, unit=drift.unit,
            )  # fmt: skip
    yield from _surfaces(c, criteria)
    yield from _horizons(c, criteria)


def _position(s: PairStates, fps: float, limit: float) -> Finding:
    gap: F64 = np.linalg.norm(s.position_error[: s.frames], axis=-1)
    frame, first = int(np.argmax(gap)), int(np.argmax(gap >= limit))
    since = "" if frame == first else f"; beyond {_length(limit)} since frame {first}"
    direction = _direction(s.position_error[frame])
    return Finding(
        frame=frame, time=frame / fps, axis="geometry", objects=(s.name,), kind="position",
        message=f"frame {frame}: {s.name} is {_length(gap[frame])} from its place ({direction}){since}",
        measured=float(gap[frame]), expected=limit, unit="m",
    )  # fmt: skip


def _rotation(s: PairStates, fps: float, limit: float) -> Finding:
    angle = s.rotation_error[: s.frames]
    frame, first = int(np.argmax(angle)), int(np.argmax(angle >= limit))
    since = "" if frame == first else f"; beyond {limit:g}° since frame {first}"
    return Finding(
        frame=frame, time=frame / fps, axis="geometry", objects=(s.name,), kind="rotation",
        message=f"frame {frame}: {s.name} is turned {angle[frame]:.1f}° from the reference{since}",
        measured=float(angle[frame]), expected=limit, unit="deg",
    )  # fmt: skip


def _shape(c: Comparison, s: PairStates, value: float, limit: float) -> Finding:
    own, truth = (" × ".join(f"{1000 * v:.0f}" for v in size) for size in (_turned(s), s.reference_size))
    if s.reference.geometry != s.candidate.geometry:
        kind = "shape"
        text = f"{s.name} is a {s.candidate.geometry}, the reference's is a {s.reference.geometry}"
    elif size_error(s.turn, s.candidate_size, s.reference_size) < 0.5 * value:
        kind, text = "shape", f"the surface of {s.name} has another shape than the reference's"
    else:
        kind, text = "size", f"{s.name} measures {own} mm, the reference's {truth} mm"
    return Finding(
        frame=0, time=0.0, axis="geometry", objects=(s.name,), kind=kind,
        message=f"{text} ({value:.0%} off)", measured=value, expected=limit,
        likely_cause=script_cause(size_change(c.candidate.world, s)) if kind == "size" else None,
    )  # fmt: skip


def _turned(s: PairStates) -> F64:
    """The candidate's extents along the reference's axes [m]."""
    return np.abs(s.turn).T @ s.candidate_size


def _surfaces(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    limit = criteria.thresholds["delta_pos"]
    matched = {s.name for s in c.states}
    for name, error in c.matching.static.errors.items():
        if name not in matched and not limit.passes(error):
            gap = f"up to {_length(error)} off" if error < CAP else "missing"
            yield _surface(name, f"the visible surface of {name} is {gap}", error, limit.value)
    for name, error in c.matching.static.extra.items():
        if not limit.passes(error):
            text = f"the visible surface of {name} has no counterpart in the reference"
            yield _surface(name, text, error, limit.value)


def _surface(name: str, text: str, error: float, limit: float) -> Finding:
    return Finding(
        frame=0, time=0.0, axis="geometry", objects=(name,), kind="surface", message=text,
        measured=error, expected=limit, unit="m",
    )  # fmt: skip


def _horizons(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    for s in c.states:
        if s.ends_early(criteria.horizon_min_fraction):
            frame = min(s.frames, len(s.rotation_error) - 1)
            yield Finding(
                frame=frame, time=frame / c.reference.world.fps, axis="geometry", objects=(s.name,),
                kind="horizon", severity="warning",
                message=f"frame {frame}: from here on {s.name} is unpredictable in the reference itself",
            )  # fmt: skip


def _length(metres: float) -> str:
    return f"{1000 * metres:.0f} mm" if metres < 1 else f"{metres:.2f} m"


def _direction(error: F64) -> str:
    axis = int(np.argmax(np.abs(error)))
    return f"{1000 * error[axis]:+.0f} mm along {'xyz'[axis]}"


def _point(pos: tuple[float, float, float]) -> str:
    return "(" + ", ".join(f"{v:.2f}" for v in pos) + ") m"

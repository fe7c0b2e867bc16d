"""Geometry axis: where things are, how they are turned, how big they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.geometry.shape import extents, shape_distance
from fourdcb.metrics.matching import Matching
from fourdcb.metrics.result import MetricValue
from fourdcb.metrics.states import PairStates
from fourdcb.words import ENGLISH, load
from fourdcb.words.formats import listed_by
from fourdcb.world.symmetry import size_error

if TYPE_CHECKING:
    from fourdcb.metrics.comparison import Comparison


def rmse(values: F64) -> float:
    """Root of the mean square over frames; vectors count with their length. 0 for no frame."""
    return float(np.sqrt(np.sum(np.square(values)) / max(len(values), 1)))


def unpredictable(states: tuple[PairStates, ...], criteria: Criteria) -> str | None:
    """Why the motion cannot be judged: objects whose horizon ends too early, or None."""
    early = [s for s in states if s.ends_early(criteria.horizon_min_fraction)]
    if not early:
        return None
    names, frames = listed_by(load(ENGLISH), [s.name for s in early]), [s.frames for s in early]
    verb, total = "is" if len(early) == 1 else "are", len(early[0].rotation_error)
    span = f"{min(frames)}" if min(frames) == max(frames) else f"{min(frames)} to {max(frames)}"
    needed = f"{criteria.horizon_min_fraction:.0%} are needed"
    return f"{names} {verb} predictable for {span} of {total} frames only ({needed})"


def delta_pos(c: Comparison, criteria: Criteria) -> MetricValue:
    """RMSE of the centre position [m], worst object, up to each object's horizon.

    Static bodies enter with the distance of their visible surface and of their outline's middle. A missing or
    an extra object fails.
    """
    states, matching = c.states, c.matching
    chaotic = unpredictable(states, criteria)
    complaint = _count_complaint(matching)
    if chaotic is not None and complaint is None:
        return criteria.unmeasured("delta_pos", "not_measured", chaotic)
    moving = {s.name: rmse(s.position_error[: s.frames]) for s in states}
    values = moving | {k: v for k, v in matching.static.distances().items() if k not in moving}
    values |= {f"{k} (extra)": v for k, v in matching.static.extra.items()}
    if not values:
        reason = complaint or "neither world shows anything"
        return criteria.unmeasured(
            "delta_pos",
            "error" if complaint else "not_applicable",
            reason,
            passed=False if complaint else None,
        )
    worst = max(values, key=lambda k: values[k])
    detail = {"worst": worst, **_axes(states, worst), "static": matching.static.distances()}
    if complaint is not None:
        return criteria.measured(
            "delta_pos", values[worst], per_object=values, detail=detail, passed=False, reason=complaint
        )
    return criteria.measured("delta_pos", values[worst], per_object=values, detail=detail)


def delta_pos_relative(c: Comparison, criteria: Criteria) -> MetricValue:
    """RMSE of the centre position as a share of the body's own bounding-box diagonal, worst object.

    Of the body's, not of the moving scene's: two marbles' breadth aside is wrong however far it rolls. Static
    objects enter with the distance of their visible surface.
    """
    chaotic = unpredictable(c.states, criteria)
    if chaotic is not None:
        return criteria.unmeasured("delta_pos_relative", "not_measured", chaotic)
    values = {s.name: rmse(s.position_error[: s.frames]) / s.diagonal for s in c.states}
    values |= {k: v for k, v in static_shares(c).items() if k not in values}
    if not values:
        return criteria.unmeasured("delta_pos_relative", "not_applicable", "no object was matched")
    worst = max(values, key=lambda k: values[k])
    return criteria.measured("delta_pos_relative", values[worst], per_object=values, detail={"worst": worst})


def delta_rot(c: Comparison, criteria: Criteria) -> MetricValue:
    """RMSE of the angle between orientations modulo symmetry [deg], worst object, up to the horizon."""
    chaotic = unpredictable(c.states, criteria)
    if chaotic is not None:
        return criteria.unmeasured("delta_rot", "not_measured", chaotic)
    if not c.states:
        return criteria.unmeasured("delta_rot", "not_applicable", "no moving object was matched")
    values = {s.name: rmse(s.rotation_error[: s.frames]) for s in c.states}
    worst = max(values, key=lambda k: values[k])
    return criteria.measured("delta_rot", values[worst], per_object=values, detail={"worst": worst})


def delta_scale(c: Comparison, criteria: Criteria) -> MetricValue:
    """Largest of relative size error per dimension and shape distance / diagonal, worst object.

    Of static objects the size in the picture, outline to outline.
    """
    moving = {s.name for s in c.states}
    static = {k: v.size for k, v in c.matching.static.seen.items() if k not in moving}
    if not c.states and not static:
        return criteria.unmeasured("delta_scale", "not_applicable", "no object was matched")
    sizes = {s.name: size_error(s.turn, s.candidate_size, s.reference_size) for s in c.states}
    shapes = {
        s.name: shape_distance(s.reference, c.reference.world, s.candidate, c.candidate.world, s.turn)
        / s.diagonal
        for s in c.states
    }
    values = {name: max(sizes[name], shapes[name]) for name in sizes} | static
    worst = max(values, key=lambda k: values[k])
    detail = {"worst": worst, "size": sizes, "shape": shapes}
    return criteria.measured("delta_scale", values[worst], per_object=values, detail=detail)


def static_shares(c: Comparison) -> dict[str, float]:
    """Distance of the visible surface over the diagonal, by static object; planes have no size."""
    world = c.reference.world
    sizes = {o.name: float(np.linalg.norm(extents(o, world))) for o in world.objects}
    return {k: v / sizes[k] for k, v in c.matching.static.errors.items() if k in sizes}


def _count_complaint(matching: Matching) -> str | None:
    parts = [f"{name} has no counterpart" for name in matching.missing]
    parts += [f"{name} stands for nothing in the reference" for name in matching.extra]
    return "; ".join(parts) or None


def _axes(states: tuple[PairStates, ...], worst: str) -> dict[str, object]:
    """Per-axis RMSE [m] and the error relative to the diagonal, of the worst object where it moves."""
    for s in states:
        if s.name == worst:
            error = s.position_error[: s.frames]
            axes = {axis: rmse(error[:, i]) for i, axis in enumerate("xyz")}
            return {"axes": axes, "relative": rmse(error) / s.diagonal, "frames": s.frames}
    return {}

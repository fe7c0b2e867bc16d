"""Physics axis: does every contact dissipate what the reference's materials would dissipate?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.matching import Matching
from fourdcb.metrics.result import MetricValue
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.world import Object, World, contact_properties

if TYPE_CHECKING:
    from fourdcb.replay import Replay

    _Columns = TypeVar("_Columns", ContactTable, "RowCoefficients")

F64 = NDArray[np.float64]
_SLIDING = 0.99
_NEGLIGIBLE = 1e-6
_FRICTIONLESS = 1e-9  # below, the impulse that was measured says nothing of what the reference's would be
_BLOCK = 2**14  # contact rows that are worked on at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactLoss:
    """Energy [J] that each contact row dissipates, columns of length C.

    Attributes:
        own: with the coefficients under which it was simulated.
        expected: with the reference's coefficients.
        floor: a quarter of the kinetic energy that arrives along the normal.
    """

    own: F64
    expected: F64
    floor: F64

    def error(self, rows: NDArray[np.bool_] | slice = slice(None)) -> float:
        """|E − E′| / max(E′, floor) over some rows; 0 when nothing is dissipated."""
        own, expected = float(self.own[rows].sum()), float(self.expected[rows].sum())
        scale = max(expected, float(self.floor[rows].sum()))
        return abs(own - expected) / scale if scale > 0 else (1.0 if own > 0 else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCoefficients:
    """Pair restitution and friction of every contact row, own and reference's, shape (C,)."""

    own_restitution: F64
    own_friction: F64
    reference_restitution: F64
    reference_friction: F64


def contact_loss(trajectory: Trajectory, gravity: float, c: RowCoefficients) -> ContactLoss:
    """Dissipation per row: Σ ½ J_n (1−e) |u_n⁻| + |J_t| ½ |u_t⁻ + u_t⁺|, and the same re-scaled.

    An impact needs an approach speed above 2 g / rate. With other coefficients an impact's normal impulse
    scales with (1 + e); a lasting contact carries the same load whatever its restitution. A sliding
    contact's friction scales with J_n and μ, a sticking one's is capped at μ J_n.

    Args:
        gravity: largest acceleration field in the world [m/s²].
    """
    rows = trajectory.contacts
    loss = ContactLoss(own=np.empty(len(rows)), expected=np.empty(len(rows)), floor=np.empty(len(rows)))
    slowest = 2.0 * gravity / trajectory.rate_hz
    for start in range(0, len(rows), _BLOCK):  # what comes in between would fill as much memory as a clip
        run = slice(start, start + _BLOCK)
        part = _loss(_part(rows, run), slowest, _part(c, run))
        loss.own[run], loss.expected[run], loss.floor[run] = part.own, part.expected, part.floor
    return loss


def _part(columns: _Columns, rows: slice) -> _Columns:
    """The same columns, some rows of them."""
    parts: dict[str, Any] = {field.name: getattr(columns, field.name)[rows] for field in fields(columns)}
    return type(columns)(**parts)


def _loss(t: ContactTable, slowest: float, c: RowCoefficients) -> ContactLoss:
    """See :func:`contact_loss`; ``slowest`` approach of an impact [m/s]."""
    along = np.sum(t.velocity_before * t.normal, axis=-1)
    approach = np.maximum(-along, 0.0)
    impact = approach > slowest
    tangential = t.velocity_before + t.velocity_after
    tangential -= np.sum(tangential * t.normal, axis=-1)[:, None] * t.normal
    path = 0.5 * np.linalg.norm(tangential, axis=-1)
    normal, friction = t.normal_impulse, np.linalg.norm(t.tangential_impulse, axis=-1)

    ratio = np.where(impact, (1 + c.reference_restitution) / (1 + c.own_restitution), 1.0)
    expected_normal = normal * ratio
    sliding = friction >= _SLIDING * c.own_friction * normal
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = friction * ratio * (c.reference_friction / c.own_friction)
    limit = c.reference_friction * expected_normal
    slipping = np.where(c.own_friction > _FRICTIONLESS, scaled, limit)
    expected_friction = np.where(sliding, slipping, np.minimum(friction * ratio, limit))
    own_impact = np.where(impact, 0.5 * normal * (1 - c.own_restitution) * approach, 0.0)
    expected_impact = np.where(impact, 0.5 * expected_normal * (1 - c.reference_restitution) * approach, 0.0)
    return ContactLoss(
        own=own_impact + friction * path,
        expected=expected_impact + expected_friction * path,
        floor=np.where(impact, 0.25 * normal * approach / (2 * (1 + c.own_restitution)), 0.0),
    )


def row_coefficients(
    trajectory: Trajectory, own: World, reference: World, counterpart: Mapping[str, str]
) -> RowCoefficients:
    """Pair products per row; a body without a counterpart in the reference keeps its own values."""
    mine, theirs = contact_properties(own), contact_properties(reference)
    expected = {n: theirs.get(counterpart.get(n, ""), mine[n]) for n in trajectory.names}
    a, b = trajectory.contacts.body_a, trajectory.contacts.body_b

    def product(values: list[float]) -> F64:
        v = np.array(values)
        return v[a] * v[b]

    names = trajectory.names
    return RowCoefficients(
        own_restitution=product([mine[n].restitution for n in names]),
        own_friction=product([mine[n].friction for n in names]),
        reference_restitution=product([expected[n].restitution for n in names]),
        reference_friction=product([expected[n].friction for n in names]),
    )


def gravity_of(world: World) -> float:
    """Largest acceleration field on a simulated object [m/s²]."""
    fields = (float(np.linalg.norm(o.acc)) for o in world.objects if o.kind == "dynamic")
    return max(fields, default=0.0)


def candidate_loss(candidate: Replay, reference: Replay, matching: Matching) -> ContactLoss:
    """Loss of the candidate's rows, own and under the reference's coefficients.

    What counts as an impact follows from the reference's gravity, which the candidate cannot choose.
    """
    coefficients = row_coefficients(
        candidate.trajectory, candidate.world, reference.world, matching.counterpart
    )
    return contact_loss(candidate.trajectory, gravity_of(reference.world), coefficients)


def energy_error(
    loss: ContactLoss, candidate: Replay, reference: Replay, matching: Matching, criteria: Criteria
) -> MetricValue:
    """|E − E′| / max(E′, floor) over the candidate's contacts; a keyframed stand-in fails."""
    kinds = _kind_complaint(matching, reference.world, candidate.world)
    own, expected = float(loss.own.sum()), float(loss.expected.sum())
    truth = _own_dissipation(reference)
    scale = _NEGLIGIBLE * max(_energy_scale(reference.trajectory), _energy_scale(candidate.trajectory))
    if max(own, expected) <= scale:
        if truth > scale:
            reason = kinds or "the candidate dissipates nothing"
            return criteria.measured("energy_error", 1.0, reason=reason, passed=False)
        if kinds is not None:
            return criteria.unmeasured("energy_error", "error", kinds, passed=False)
        return criteria.unmeasured("energy_error", "not_applicable", "nothing is dissipated")
    detail = {
        "dissipated_j": own,
        "expected_j": expected,
        "reference_dissipated_j": truth,
        **_honesty(candidate, own),
    }
    values = _per_object(loss, candidate.trajectory, matching)
    if kinds is not None:
        return criteria.measured(
            "energy_error", loss.error(), per_object=values, detail=detail, reason=kinds, passed=False
        )
    return criteria.measured("energy_error", loss.error(), per_object=values, detail=detail)


def _own_dissipation(replay: Replay) -> float:
    """Energy that a replay's contacts dissipate under its own coefficients [J]."""
    coefficients = row_coefficients(replay.trajectory, replay.world, replay.world, counterpart={})
    return float(contact_loss(replay.trajectory, gravity_of(replay.world), coefficients).own.sum())


def _energy_scale(trajectory: Trajectory) -> float:
    return float(trajectory.kinetic_energy.sum(axis=1).max()) if trajectory.kinetic_energy.size else 0.0


def _honesty(candidate: Replay, dissipated: float) -> dict[str, float]:
    """The engine's own books: mechanical energy that left the dynamic bodies against the contacts' sum.

    Keyframed bodies do work and rolling resistance has no contact row: with either no gap is told.
    """
    t = candidate.trajectory
    dynamic = [i for i, kind in enumerate(t.kinds) if kind == "dynamic"]
    total = (t.kinetic_energy + t.potential_energy)[:, dynamic].sum(axis=1)
    lost = float(total[0] - total[-1])
    if "kinematic" in t.kinds or any(o.rolling_friction > 0 for o in candidate.world.objects):
        return {"measured_loss_j": lost}
    return {"measured_loss_j": lost, "engine_gap": abs(lost - dissipated) / max(dissipated, 1e-12)}


def _per_object(loss: ContactLoss, trajectory: Trajectory, matching: Matching) -> Mapping[str, float]:
    t = trajectory.contacts
    values: dict[str, float] = {}
    for pair in matching.pairs:
        i = trajectory.index(pair.candidate)
        rows = (t.body_a == i) | (t.body_b == i)
        if rows.any():
            values[pair.reference] = loss.error(rows)
    return values


def _kind_complaint(matching: Matching, reference: World, candidate: World) -> str | None:
    parts = [
        f"{m.reference} is {_KIND_WORD[candidate.object(m.candidate).kind]}, "
        f"the reference's is {_KIND_WORD[reference.object(m.reference).kind]}"
        for m in matching.pairs
        if not m.same_kind
    ]
    return "; ".join(parts) or None


_KIND_WORD: dict[str, str] = {"dynamic": "simulated", "static": "fixed", "kinematic": "keyframed"}


def kind_word(obj: Object) -> str:
    """How the engine treats an object, in a word."""
    return _KIND_WORD[obj.kind]

"""Physics axis: does every contact dissipate what the reference's materials would dissipate?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.metrics.matching import Matching
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.world import Object, World, contact_properties

if TYPE_CHECKING:
    from fourdcb.replay import Replay

    _Columns = TypeVar("_Columns", ContactTable, "RowCoefficients")

_SLIDING = 0.99
_FRICTIONLESS = 1e-9  # below, the impulse that was measured says nothing of what the reference's would be
Mechanism = Literal["impact", "slide"]
_VISIBLE = 0.02
_BLOCK = 2**14  # contact rows that are worked on at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactLoss:
    """Energy [J] that each contact row dissipates, columns of length C.

    Attributes:
        own: with the coefficients under which it was simulated.
        expected: with the reference's coefficients.
        own_impact, expected_impact: the part of both that impacts take; the rest goes to sliding.
        floor: a quarter of the kinetic energy that arrives along the normal.
    """

    own: F64
    expected: F64
    own_impact: F64
    expected_impact: F64
    floor: F64

    def error(self, rows: NDArray[np.bool_] | slice = slice(None)) -> float:
        """|E − E′| / max(E′, floor) over some rows; 0 when nothing is dissipated."""
        return _share(self.own[rows], self.expected[rows], self.floor[rows])

    def mechanisms(self, rows: NDArray[np.bool_] | slice = slice(None)) -> dict[Mechanism, float]:
        """The same of impacts and of sliding apart, over rows of one pair.

        What takes less than a fiftieth of all that is lost is left out: nobody sees it.
        """
        least = _VISIBLE * max(float(self.own.sum()), float(self.expected.sum()))
        own, expected = self.own[rows], self.expected[rows]
        hit, due = self.own_impact[rows], self.expected_impact[rows]
        found: dict[Mechanism, float] = {}
        if max(hit.sum(), due.sum()) > least:
            found["impact"] = _share(hit, due, self.floor[rows])
        if max((own - hit).sum(), (expected - due).sum()) > least:
            found["slide"] = _share(own - hit, expected - due, np.zeros(0))
        return found


def _share(own: F64, expected: F64, floor: F64) -> float:
    spent, due = float(own.sum()), float(expected.sum())
    scale = max(due, float(floor.sum()))
    return abs(spent - due) / scale if scale > 0 else (1.0 if spent > 0 else 0.0)


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
    loss = ContactLoss(**{field.name: np.empty(len(rows)) for field in fields(ContactLoss)})
    slowest = 2.0 * gravity / trajectory.rate_hz
    for start in range(0, len(rows), _BLOCK):  # what comes in between would fill as much memory as a clip
        run = slice(start, start + _BLOCK)
        part = _loss(_part(rows, run), slowest, _part(c, run))
        for field in fields(ContactLoss):
            getattr(loss, field.name)[run] = getattr(part, field.name)
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
        own_impact=own_impact,
        expected_impact=expected_impact,
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


_KIND_WORD: dict[str, str] = {"dynamic": "simulated", "static": "fixed", "kinematic": "keyframed"}


def kind_word(obj: Object) -> str:
    """How the engine treats an object, in a word."""
    return _KIND_WORD[obj.kind]

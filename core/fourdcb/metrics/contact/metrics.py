"""Physics axis: what contacts dissipate, and whether they happen when they should."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fourdcb.metrics.contact.collision import unexplained
from fourdcb.metrics.contact.energy import ContactLoss, contact_loss, gravity_of, kind_word, row_coefficients
from fourdcb.metrics.contact.limits import penetration_limits
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.matching import Matching
from fourdcb.metrics.result import MetricValue
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

if TYPE_CHECKING:
    from fourdcb.metrics.comparison import Comparison
    from fourdcb.replay import Replay

_NEGLIGIBLE = 1e-6


def energy_error(c: Comparison, criteria: Criteria) -> MetricValue:
    """|E − E′| / max(E′, floor) over the candidate's contacts; a keyframed stand-in fails.

    The worst of all contacts together and of every pair's impacts and slides apart: sums cancel, and a long
    slide hides an impact.
    """
    loss, candidate, reference, matching = c.loss, c.candidate, c.reference, c.matching
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
    detail: dict[str, Any] = {
        "dissipated_j": own,
        "expected_j": expected,
        "reference_dissipated_j": truth,
        **_honesty(candidate, own),
    }
    apart = _apart(loss, candidate.trajectory, matching)
    if apart:
        detail["mechanisms"] = apart
    worst = max(loss.error(), *apart.values(), 0.0)
    values = _per_object(loss, candidate.trajectory, matching)
    if kinds is not None:
        return criteria.measured(
            "energy_error", worst, per_object=values, detail=detail, reason=kinds, passed=False
        )
    return criteria.measured("energy_error", worst, per_object=values, detail=detail)


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


def _apart(loss: ContactLoss, trajectory: Trajectory, matching: Matching) -> dict[str, float]:
    """Errors of every pair's impacts and slides, called ``impact of ball on floor``."""
    t, names = trajectory.contacts, [matching.counterpart.get(n, n) for n in trajectory.names]
    keys = t.body_a.astype(np.int64) * len(names) + t.body_b
    found: dict[str, float] = {}
    for key in np.unique(keys):
        a, b = (names[i] for i in divmod(int(key), len(names)))
        for mechanism, error in loss.mechanisms(keys == key).items():
            name = f"{mechanism} of {a} on {b}"
            found[name] = max(error, found.get(name, 0.0))
    return found


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
        f"{m.reference} is {kind_word(candidate.object(m.candidate))}, "
        f"the reference's is {kind_word(reference.object(m.reference))}"
        for m in matching.pairs
        if not m.same_kind
    ]
    return "; ".join(parts) or None


def collision_accuracy(c: Comparison, criteria: Criteria) -> MetricValue:
    """Least of recall and precision of onsets and contact frames; deep penetration fails as well."""
    found = c.collisions
    if not found.any_contact:
        return criteria.unmeasured("collision_accuracy", "not_applicable", "nothing touches in either world")
    detail = {
        "onset_recall": found.onset_recall,
        "onset_precision": found.onset_precision,
        "frame_recall": found.frame_recall,
        "frame_precision": found.frame_precision,
    }
    deep = unexplained(found, c.reference.trajectory, penetration_limits(c, criteria))
    if deep:
        worst = max(deep, key=lambda p: p.excess)
        reason = f"{worst.pair[0]} and {worst.pair[1]} overlap by {1000 * worst.depth:.1f} mm"
        detail["penetration_m"] = worst.depth
        return criteria.measured(
            "collision_accuracy", found.accuracy, detail=detail, passed=False, reason=reason
        )
    return criteria.measured("collision_accuracy", found.accuracy, detail=detail)


def impact_error(c: Comparison, criteria: Criteria) -> MetricValue:
    """The worst outcome's error, however late it happens."""
    if not c.outcomes:
        reason = "no impact and no end of a slide happens in both worlds at the same time"
        return criteria.unmeasured("impact_error", "not_applicable", reason)
    worst = max(c.outcomes, key=lambda o: o.error)
    values: dict[str, float] = {}
    for o in c.outcomes:
        values[o.body] = max(o.error, values.get(o.body, 0.0))
    detail = {"worst": worst.body, "other": worst.other, "time": worst.time, "kind": worst.kind,
              "count": len(c.outcomes)}  # fmt: skip
    return criteria.measured("impact_error", worst.error, per_object=values, detail=detail)

"""Findings about contacts: what they dissipate, when they begin, how deep they go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.causes.changes import first_change
from fourdcb.metrics.causes.contact_changes import pair_values, touching_pairs
from fourdcb.metrics.causes.motion import script_cause
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.contact.collision import EXTRA, Pair, unexplained
from fourdcb.metrics.contact.limits import penetration_limits
from fourdcb.metrics.contact.outcomes import Outcome
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.findings.coefficients import COEFFICIENTS, pair_arguments
from fourdcb.metrics.kinds import finding
from fourdcb.metrics.result import AxisResult, Finding
from fourdcb.trajectory import Trajectory
from fourdcb.world import contact_properties
from fourdcb.world.contact import ContactProperties, ContactProperty

_SAME_MEETING = 0.5


def contact_findings(c: Comparison, physics: AxisResult, criteria: Criteria) -> Iterator[Finding]:
    """Coefficients that dissipate wrongly, contacts at the wrong time or missing, deep overlaps."""
    if physics.metrics["energy_error"].passed is False:
        yield from _coefficients(c, criteria)
    if physics.metrics["collision_accuracy"].passed is False:
        yield from _onsets(c, criteria)
        yield from _lasting(c)
    if physics.metrics["impact_error"].passed is False:
        yield from _impacts(c, criteria)
    limits = penetration_limits(c, criteria)
    for p in unexplained(c.collisions, c.reference.trajectory, limits):
        mover, other = _mover_first(c, p.pair)
        frame = c.reference.trajectory.frame_at(p.time)
        yield finding(
            "penetration", mover, other, frame=frame, time=p.time, measured=p.depth,
            expected=limits(p.pair),
        )  # fmt: skip


def _impacts(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    """The worst wrong outcome of each body."""
    limit = criteria.thresholds["impact_error"]
    worst: dict[str, Outcome] = {}
    for o in c.outcomes:
        if not limit.passes(o.error) and o.error > (worst[o.body].error if o.body in worst else 0.0):
            worst[o.body] = o
    for o in worst.values():
        frame = c.reference.trajectory.frame_at(o.time)
        gap = float(np.linalg.norm(o.measured - o.expected))
        yield finding(
            "impact", o.body, o.other, frame=frame, time=o.time, form=o.kind, gap=gap,
            measured=float(np.linalg.norm(o.measured)), expected=float(np.linalg.norm(o.expected)),
        )  # fmt: skip


def _lost_rightly(c: Comparison, rows: NDArray[np.bool_], criteria: Criteria) -> bool:
    limit = criteria.thresholds["energy_error"]
    return all(limit.passes(e) for e in (c.loss.error(rows), *c.loss.mechanisms(rows).values()))


def _coefficients(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    """Pairs whose rows lose too much or too little, with the coefficient that says so."""
    t = c.candidate.trajectory
    n = len(t.names)
    own, truth = contact_properties(c.candidate.world), contact_properties(c.reference.world)
    touching = touching_pairs(c)
    values = {prop: pair_values(c, prop, touching) for prop in COEFFICIENTS}
    keys = t.contacts.body_a.astype(np.int64) * n + t.contacts.body_b
    for key in np.unique(keys):
        rows = keys == key
        names = [t.names[i] for i in divmod(int(key), n)]
        partners = [c.matching.counterpart.get(name) for name in names]
        if None in partners or _lost_rightly(c, rows, criteria):
            continue
        pair = _mover_first(c, (str(partners[0]), str(partners[1])))
        step = int(t.contacts.step[np.argmax(rows & (c.loss.own + c.loss.expected > 0))])
        frame = min(int(np.ceil(step / t.substeps_per_frame)), t.n_frames - 1)
        for prop in COEFFICIENTS:
            mine = float(np.prod([getattr(own[name], prop) for name in names]))
            theirs = float(np.prod([getattr(truth[str(p)], prop) for p in partners]))
            if abs(mine - theirs) <= 0.01 * max(mine, theirs):
                continue
            yield finding(
                prop, *pair, frame=frame, time=frame / t.fps, measured=mine, expected=theirs,
                **pair_arguments([pair], together=_together(own, names, prop)),
                likely_cause=script_cause(first_change(c, values[prop].for_pair((names[0], names[1])))),
            )  # fmt: skip


def _together(own: Mapping[str, ContactProperties], names: list[str], prop: ContactProperty) -> bool:
    """Whether both bodies have a share, so that the number is not what one of them states."""
    return all(getattr(own[name], prop) != 1.0 for name in names)


def _onsets(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    """The first beginning per pair that has no partner: late, early, missing or invented."""
    missed, invented = c.collisions.onsets.missed, c.collisions.onsets.invented
    truth = c.reference.trajectory
    for pair in sorted({*missed, *invented}):
        named = _mover_first(c, pair)
        lost, found = missed.get(pair, np.zeros(0)), invented.get(pair, np.zeros(0))
        if len(lost) and len(found) and abs(found[0] - lost[0]) < _SAME_MEETING:
            gap = float(found[0] - lost[0])
            yield _onset(
                "contact_time", named, truth, float(found[0]), float(lost[0]), gap=abs(gap),
                form="late" if gap > 0 else "early", allowed=criteria.contact_tolerance,
            )  # fmt: skip
        elif len(lost):
            yield _onset("missed_contact", named, truth, None, float(lost[0]))
        else:
            yield _onset("extra_contact", named, truth, float(found[0]), None)


def _lasting(c: Comparison) -> Iterator[Finding]:
    """Pairs that begin to touch at the right time and part at the wrong one."""
    told = {*c.collisions.onsets.missed, *c.collisions.onsets.invented}
    for times, form in ((c.collisions.frames.missed, "left"), (c.collisions.frames.invented, "stays")):
        for pair in sorted(set(times) - told):
            t = float(times[pair][0])
            yield finding(
                "contact_length", *_mover_first(c, pair), frame=c.reference.trajectory.frame_at(t), time=t,
                measured=float(len(times[pair])), expected=0.0, form=form,
            )  # fmt: skip


def _onset(
    kind: str, pair: Pair, truth: Trajectory, measured: float | None, expected: float | None, **arguments: Any
) -> Finding:
    """A contact's beginning: at the candidate's time [s], or at the reference's where there is none."""
    t = measured if measured is not None else expected
    assert t is not None
    return finding(
        kind, *pair, frame=truth.frame_at(t), time=t, measured=measured, expected=expected, **arguments
    )


def _mover_first(c: Comparison, pair: Pair) -> Pair:
    """Moving bodies are the subjects of sentences."""
    static = {
        body.name
        for body, kind in zip(c.reference.world.bodies, c.reference.trajectory.kinds, strict=True)
        if kind == "static"
    }
    a, b = pair
    fixed = [name in static or name.endswith(EXTRA) for name in (a, b)]
    a, b = a.removesuffix(EXTRA), b.removesuffix(EXTRA)
    return (b, a) if fixed[0] and not fixed[1] else (a, b)

"""Findings about contacts: what they dissipate, when they begin, how deep they go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.causes.changes import first_change
from fourdcb.metrics.causes.contact_changes import pair_values, touching_pairs
from fourdcb.metrics.causes.motion import script_cause
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.contact.collision import EXTRA, Pair, unexplained
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.findings.coefficients import sentence
from fourdcb.metrics.result import AxisResult, Finding
from fourdcb.trajectory import Trajectory
from fourdcb.world import contact_properties
from fourdcb.world.contact import ContactProperties, ContactProperty

F64 = NDArray[np.float64]
_SAME_MEETING = 0.5
_COEFFICIENTS: tuple[ContactProperty, ...] = ("restitution", "friction")


def contact_findings(c: Comparison, physics: AxisResult, criteria: Criteria) -> Iterator[Finding]:
    """Coefficients that dissipate wrongly, contacts at the wrong time or missing, deep overlaps."""
    if physics.metrics["energy_error"].passed is False:
        yield from _coefficients(c, criteria)
    if physics.metrics["collision_accuracy"].passed is False:
        yield from _onsets(c, criteria)
        yield from _lasting(c)
    for p in unexplained(c.collisions, c.reference.trajectory, criteria.penetration):
        mover, other = _mover_first(c, p.pair)
        frame = c.reference.trajectory.frame_at(p.time)
        yield Finding(
            frame=frame, time=p.time, axis="physics", objects=(mover, other), kind="penetration",
            message=f"frame {frame}: {mover} penetrates {other} by {1000 * p.depth:.1f} mm (collision)",
            measured=p.depth, expected=criteria.penetration, unit="m",
        )  # fmt: skip


def _coefficients(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    """Pairs whose rows lose too much or too little, with the coefficient that says so."""
    t = c.candidate.trajectory
    n = len(t.names)
    own, truth = contact_properties(c.candidate.world), contact_properties(c.reference.world)
    touching = touching_pairs(c)
    values = {prop: pair_values(c, prop, touching) for prop in _COEFFICIENTS}
    keys = t.contacts.body_a.astype(np.int64) * n + t.contacts.body_b
    for key in np.unique(keys):
        rows = keys == key
        names = [t.names[i] for i in divmod(int(key), n)]
        partners = [c.matching.counterpart.get(name) for name in names]
        if None in partners or criteria.thresholds["energy_error"].passes(c.loss.error(rows)):
            continue
        pair = _mover_first(c, (str(partners[0]), str(partners[1])))
        step = int(t.contacts.step[np.argmax(rows & (c.loss.own + c.loss.expected > 0))])
        frame = min(int(np.ceil(step / t.substeps_per_frame)), t.n_frames - 1)
        for prop in _COEFFICIENTS:
            mine = float(np.prod([getattr(own[name], prop) for name in names]))
            theirs = float(np.prod([getattr(truth[str(p)], prop) for p in partners]))
            if abs(mine - theirs) <= 0.01 * max(mine, theirs):
                continue
            yield Finding(
                frame=frame, time=frame / t.fps, axis="physics", objects=pair, kind=prop,
                message=f"frame {frame}: "
                + sentence([pair], prop, mine, theirs, together=_together(own, names, prop)),
                measured=mine, expected=theirs,
                likely_cause=script_cause(first_change(c, values[prop].for_pair((names[0], names[1])))),
            )  # fmt: skip


def _together(own: Mapping[str, ContactProperties], names: list[str], prop: ContactProperty) -> bool:
    """Whether both bodies have a share, so that the number is not what one of them states."""
    return all(getattr(own[name], prop) != 1.0 for name in names)


def _onsets(c: Comparison, criteria: Criteria) -> Iterator[Finding]:
    """The first beginning per pair that has no partner: late, early, missing or invented."""
    missed, invented = c.collisions.onsets.missed, c.collisions.onsets.invented
    truth = c.reference.trajectory
    allowed = f"{1000 * criteria.contact_tolerance:.0f} ms are allowed"
    for pair in sorted({*missed, *invented}):
        mover, other = _mover_first(c, pair)
        lost, found = missed.get(pair, np.zeros(0)), invented.get(pair, np.zeros(0))
        if len(lost) and len(found) and abs(found[0] - lost[0]) < _SAME_MEETING:
            gap = float(found[0] - lost[0])
            side = "late" if gap > 0 else "early"
            text = f"{mover} touches {other} {1000 * abs(gap):.0f} ms too {side} ({allowed})"
            yield _onset("contact_time", (mover, other), text, truth, float(found[0]), float(lost[0]))
        elif len(lost):
            text = f"{mover} does not touch {other} here (the reference does, at {lost[0]:.2f} s)"
            yield _onset("missed_contact", (mover, other), text, truth, None, float(lost[0]))
        else:
            text = f"{mover} touches {other}, the reference does not"
            yield _onset("extra_contact", (mover, other), text, truth, float(found[0]), None)


def _lasting(c: Comparison) -> Iterator[Finding]:
    """Pairs that begin to touch at the right time and part at the wrong one."""
    told = {*c.collisions.onsets.missed, *c.collisions.onsets.invented}
    for times, text in (
        (c.collisions.frames.missed, "has left {}, the reference still touches it"),
        (c.collisions.frames.invented, "still touches {}, the reference has left it"),
    ):
        for pair in sorted(set(times) - told):
            mover, other = _mover_first(c, pair)
            t = float(times[pair][0])
            frame = c.reference.trajectory.frame_at(t)
            yield Finding(
                frame=frame, time=t, axis="physics", objects=(mover, other), kind="contact_length",
                message=f"frame {frame}: {mover} {text.format(other)} ({len(times[pair])} frames in all)",
                measured=float(len(times[pair])), expected=0.0, unit="frames",
            )  # fmt: skip


def _onset(
    kind: str, pair: Pair, text: str, truth: Trajectory, measured: float | None, expected: float | None
) -> Finding:
    """A contact's beginning: at the candidate's time [s], or at the reference's where there is none."""
    t = measured if measured is not None else expected
    assert t is not None
    frame = truth.frame_at(t)
    return Finding(
        frame=frame, time=t, axis="physics", objects=pair, kind=kind, message=f"frame {frame}: {text}",
        measured=measured, expected=expected, unit="s",
    )  # fmt: skip


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

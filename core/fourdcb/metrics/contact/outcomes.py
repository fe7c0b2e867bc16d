"""What impacts and slides lead to: the change of velocity, however late in the clip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.metrics.contact.collision import Pair, PairContacts, pair_contacts
from fourdcb.metrics.matching import Matching
from fourdcb.trajectory import Trajectory

_AFTER = 0.004  # [s] in which an impact is over; what a field adds meanwhile it adds on both sides
_LEAST = 0.3  # the last little bounces of a ball say nothing of its collisions
_LASTING = 0.1  # [s] of touching that make a slide


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One body after one contact that happens in both worlds at the same time.

    Attributes:
        kind: an impact's change of velocity, or the velocity with which a slide ends by parting.
        body, other: reference names.
        time: in the reference [s].
        measured, expected: candidate's and reference's, world axes [m/s], shape (3,).
        floor: the least speed that errors are compared with [m/s]: a share of the body's largest outcome.
    """

    kind: Literal["impact", "parting"]
    body: str
    other: str
    time: float
    measured: F64
    expected: F64
    floor: float

    @property
    def error(self) -> float:
        """|difference| as a share of the reference's."""
        gap = float(np.linalg.norm(self.measured - self.expected))
        scale = max(float(np.linalg.norm(self.expected)), self.floor)
        return gap / scale if scale > 0 else 0.0


def outcomes(
    truth: Trajectory,
    guess: Trajectory,
    matching: Matching,
    horizon: Mapping[str, float],
    tolerance: float,
    slowest: float,
) -> tuple[Outcome, ...]:
    """Outcomes of the contacts that happen in both worlds within ``tolerance`` [s], up to the horizon.

    Args:
        slowest: impacts below this approach [m/s] in the reference say nothing.
    """
    ref = pair_contacts(truth, {name: name for name in truth.names}, horizon)
    cand = pair_contacts(guess, matching.counterpart, {})
    dynamic = {n for n, kind in zip(truth.names, truth.kinds, strict=True) if kind == "dynamic"}
    twin = {m.reference: m.candidate for m in matching.pairs if m.same_kind and m.reference in dynamic}
    found: list[Outcome] = []
    for pair in sorted(ref.keys() & cand.keys()):
        for body in sorted(set(pair) & twin.keys()):
            a, b = truth.index(body), guess.index(twin[body])
            for mine, theirs in _impacts(ref[pair], cand[pair], tolerance, slowest):
                changes = _change(truth, a, mine), _change(guess, b, theirs)
                found.append(_outcome("impact", pair, body, mine / truth.rate_hz, *changes))
            for mine, theirs in _partings(ref[pair], cand[pair], tolerance, len(truth.times) - 1):
                speeds = _parted(truth.linear_velocity[:, a], guess.linear_velocity[:, b], mine, theirs)
                found.append(_outcome("parting", pair, body, mine / truth.rate_hz, *speeds))
    largest: dict[str, float] = {}
    for o in found:
        largest[o.body] = max(float(np.linalg.norm(o.expected)), largest.get(o.body, slowest))
    return tuple(replace(o, floor=_LEAST * largest[o.body]) for o in found)


def _outcome(
    kind: Literal["impact", "parting"], pair: Pair, body: str, time: float, expected: F64, measured: F64
) -> Outcome:
    other = pair[1] if pair[0] == body else pair[0]
    return Outcome(
        kind=kind, body=body, other=other, time=time, measured=measured, expected=expected, floor=0.0
    )


def _impacts(
    ref: PairContacts, cand: PairContacts, tolerance: float, slowest: float
) -> Iterator[tuple[int, int]]:
    """Substeps of each of the reference's impacts, and of the candidate's strongest one near it."""
    times, speeds = ref.impacts(tolerance)
    others, strengths = cand.impacts(0.25 * tolerance)
    for time, speed in zip(times, speeds, strict=True):
        near = np.flatnonzero(np.abs(others - time) <= tolerance + 1e-9)
        if speed >= slowest and len(near):
            best = others[near[np.argmax(strengths[near])]]
            yield round(time * ref.rate_hz), round(best * cand.rate_hz)


def _partings(
    ref: PairContacts, cand: PairContacts, tolerance: float, last: int
) -> Iterator[tuple[int, int]]:
    """Substeps at which the last lasting contact of both ends, where it ends before the clip does."""
    mine, theirs = _end_of_slide(ref, tolerance), _end_of_slide(cand, tolerance)
    if mine is None or theirs is None or abs(mine - theirs) > tolerance * ref.rate_hz:
        return
    if max(mine, theirs) < last - tolerance * ref.rate_hz:
        yield mine, theirs


def _end_of_slide(contacts: PairContacts, gap: float) -> int | None:
    """The last substep of the last contact that lasts, or None."""
    breaks = np.flatnonzero(np.diff(contacts.steps) > gap * contacts.rate_hz)
    first, final = np.concatenate([[0], breaks + 1]), np.concatenate([breaks, [len(contacts.steps) - 1]])
    lengths = contacts.steps[final] - contacts.steps[first]
    lasting = np.flatnonzero(lengths >= _LASTING * contacts.rate_hz)
    return int(contacts.steps[final[lasting[-1]]]) if len(lasting) else None


def _parted(truth: F64, guess: F64, mine: int, theirs: int) -> tuple[F64, F64]:
    """Velocities at the two partings, or at one instant between them where they agree better there.

    When exactly bodies lose touch is a matter of a micrometre, and a blow may come between the two partings:
    one world has then parted before it and the other after.
    """
    first, last = min(mine, theirs), min(max(mine, theirs) + 1, len(truth) - 1, len(guess) - 1)
    gaps = np.linalg.norm(truth[first : last + 1] - guess[first : last + 1], axis=1)
    best = first + int(np.argmin(gaps))
    apart = np.linalg.norm(truth[mine] - guess[theirs])
    return (truth[mine], guess[theirs]) if apart <= gaps.min() else (truth[best], guess[best])


def _change(trajectory: Trajectory, body: int, step: int) -> F64:
    """Change of velocity from just before an impact that shows at the end of ``step`` until it is over."""
    v = trajectory.linear_velocity[:, body]
    after = min(step + round(_AFTER * trajectory.rate_hz), len(v) - 1)
    change: F64 = v[after] - v[max(step - 1, 0)]
    return change

"""Physics axis: who touches whom, when, and how deep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, I64
from fourdcb.metrics.matching import Matching
from fourdcb.trajectory import Trajectory

Pair = tuple[str, str]
_LOOSE = 0.25
_LOADED = 0.05
EXTRA = " (extra)"


@dataclass(frozen=True, slots=True)
class PairContacts:
    """When one pair touches.

    Attributes:
        steps: substeps with weight on the contact, ascending, shape (K,).
        rate_hz, fps: of the trajectory.
        approach: speed at which the two come together, shape (K,) [m/s].
        impulse: along the normal, shape (K,) [N·s].
    """

    steps: I64
    rate_hz: float
    fps: float
    approach: F64
    impulse: F64

    def onsets(self, gap: float) -> F64:
        """Times at which a contact begins after at least ``gap`` [s] without [s]."""
        if not len(self.steps):
            return np.zeros(0)
        begins = np.concatenate([[True], np.diff(self.steps) > gap * self.rate_hz])
        return self.steps[begins] / self.rate_hz

    def impacts(self, gap: float) -> tuple[F64, F64]:
        """Times of :meth:`onsets` [s], and the largest approach within ``gap`` [s] of each [m/s]."""
        times = self.onsets(gap)
        first = np.searchsorted(self.steps, np.round(times * self.rate_hz))
        last = np.searchsorted(self.steps, np.round((times + gap) * self.rate_hz), side="right")
        speeds = [float(self.approach[i:j].max()) for i, j in zip(first, last, strict=True)]
        return times, np.array(speeds, dtype=np.float64)

    def frames(self, *, loaded: bool = False) -> I64:
        """Frames in whose interval (k − 1, k] / fps the pair touches.

        Args:
            loaded: only those that carry at least a twentieth of what the pair's median frame does: whether
                a resting body that turns or slides touches a little in between is decided by nanometres.
        """
        every = np.ceil(self.steps / (self.rate_hz / self.fps) - 1e-9).astype(np.int64)
        frames, place = np.unique(every, return_inverse=True)
        if not loaded or not len(frames):
            return frames
        carried = np.bincount(place, weights=self.impulse)
        return frames[carried >= _LOADED * float(np.median(carried))]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Times without a partner on the other side, by pair [s]."""

    missed: Mapping[Pair, F64]
    invented: Mapping[Pair, F64]


@dataclass(frozen=True, slots=True)
class Penetration:
    """The deepest overlap that one substep at the approach speed does not explain."""

    pair: Pair
    time: float
    depth: float
    excess: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Collisions:
    """Everything that collision_accuracy is made of; each share is 1 where there is nothing to share.

    ``onsets`` are beginnings of contacts, ``frames`` frames in contact.
    """

    onset_recall: float
    onset_precision: float
    frame_recall: float
    frame_precision: float
    onsets: Unmatched
    frames: Unmatched
    penetrations: tuple[Penetration, ...]
    any_contact: bool

    @property
    def accuracy(self) -> float:
        """The least of the four shares."""
        return min(self.onset_recall, self.onset_precision, self.frame_recall, self.frame_precision)


def pair_contacts(
    trajectory: Trajectory, names: Mapping[str, str], until: Mapping[str, float]
) -> dict[Pair, PairContacts]:
    """Contacts by (sorted) pair of reference names.

    Contacts of several bodies that stand for one count together.

    Args:
        names: body name → reference name; a body without one keeps its own, marked so that it meets nothing.
        until: contacts later than the earlier of a pair's horizons [s] do not count.
    """
    labels = [names.get(n, f"{n}{EXTRA}") for n in trajectory.names]
    t = trajectory.contacts
    loaded = t.normal_impulse > 0
    closing = np.maximum(-np.sum(t.velocity_before * t.normal, axis=-1), 0.0)
    found: dict[Pair, list[NDArray[np.intp]]] = {}
    keys = t.body_a.astype(np.int64) * len(labels) + t.body_b
    for key in np.unique(keys[loaded]):
        a, b = labels[int(key) // len(labels)], labels[int(key) % len(labels)]
        limit = min(until.get(a, np.inf), until.get(b, np.inf)) * trajectory.rate_hz
        rows = np.flatnonzero(loaded & (keys == key) & (t.step <= limit))
        found.setdefault((min(a, b), max(a, b)), []).append(rows)
    merged = {pair: np.concatenate(parts) for pair, parts in found.items()}
    return {p: _pair(trajectory, rows, closing) for p, rows in merged.items() if len(rows)}


def _pair(trajectory: Trajectory, rows: NDArray[np.intp], closing: F64) -> PairContacts:
    steps, place = np.unique(trajectory.contacts.step[rows].astype(np.int64), return_inverse=True)
    approach = np.zeros(len(steps))
    np.maximum.at(approach, place, closing[rows])
    impulse: F64 = np.bincount(place, weights=trajectory.contacts.normal_impulse[rows]).astype(np.float64)
    return PairContacts(steps, trajectory.rate_hz, trajectory.fps, approach, impulse)


def compare_contacts(
    truth: Trajectory,
    guess: Trajectory,
    matching: Matching,
    horizon: Mapping[str, float],
    tolerance: float,
    *,
    slowest: float = 0.0,
) -> Collisions:
    """Onsets and contact frames of two trajectories against each other.

    A contact's beginning counts when the pair was apart for ``tolerance`` [s]; its partner on the other
    side may have been apart for less, so that a rattle at the limit is not held against anybody. Beginnings
    weigh as their speed squared, and those slower than ``slowest`` [m/s] nothing. Contact frames match
    within the same tolerance. Contacts of moving objects that the reference does not have are left out, as
    such objects fail geometry; static ones may be out of sight, and touching them counts.
    """
    own = {name: name for name in truth.names}
    ref = pair_contacts(truth, own, horizon)
    cand = pair_contacts(guess, matching.counterpart, horizon)
    still, strangers = _still(truth, guess, matching), _strangers(guess, matching)
    ref = {p: c for p, c in ref.items() if not still.issuperset(p)}
    cand = {p: c for p, c in cand.items() if not still.issuperset(p) and strangers.isdisjoint(p)}
    slack = tolerance * truth.fps
    recall, missed = _onset_share(ref, cand, tolerance, slowest)
    precision, invented = _onset_share(cand, ref, tolerance, slowest)
    frame_recall, lost = _frame_share(ref, cand, slack)
    frame_precision, added = _frame_share(cand, ref, slack)
    return Collisions(
        onset_recall=recall,
        onset_precision=precision,
        frame_recall=frame_recall,
        frame_precision=frame_precision,
        onsets=Unmatched(missed, invented),
        frames=Unmatched(lost, added),
        penetrations=penetrations(guess, matching.counterpart),
        any_contact=bool(ref or cand),
    )


def unexplained(c: Collisions, truth: Trajectory, limit: Callable[[Pair], float]) -> tuple[Penetration, ...]:
    """Penetrations beyond a pair's ``limit`` [m] that the reference's own replay does not show as well."""
    own = {p.pair: p.excess for p in penetrations(truth, {n: n for n in truth.names})}
    return tuple(
        p for p in c.penetrations if p.excess >= limit(p.pair) and p.excess > own.get(p.pair, 0.0) + 1e-4
    )


def penetrations(trajectory: Trajectory, names: Mapping[str, str]) -> tuple[Penetration, ...]:
    """Deepest unexplained overlap of every pair; an approach explains what it passes in one substep."""
    t = trajectory.contacts
    approach = np.maximum(-np.sum(t.velocity_before * t.normal, axis=-1), 0.0)
    window = max(1, round(trajectory.rate_hz / 30.0))
    found: list[Penetration] = []
    keys = t.body_a.astype(np.int64) * len(trajectory.names) + t.body_b
    for key in np.unique(keys):
        rows = np.flatnonzero(keys == key)
        allowed = _recent_maximum(t.step[rows], approach[rows], window) / trajectory.rate_hz
        excess = -t.distance[rows] - allowed
        i = int(np.argmax(excess))
        if excess[i] > 0:
            row = rows[i]
            a, b = (
                trajectory.names[k]
                for k in (int(key) // len(trajectory.names), int(key) % len(trajectory.names))
            )
            pair = (names.get(a, a), names.get(b, b))
            time = float(t.step[row] / trajectory.rate_hz)
            found.append(Penetration(pair, time, float(-t.distance[row]), float(excess[i])))
    return tuple(found)


def _recent_maximum(steps: NDArray[np.int32], values: F64, window: int) -> F64:
    """Largest value of each row's last ``window`` substeps (an impact's overlap is pushed out slowly)."""
    start = int(steps.min())
    dense = np.zeros(int(steps.max()) - start + 1)
    np.maximum.at(dense, steps - start, values)
    padded = np.concatenate([np.zeros(window - 1), dense])
    recent = np.lib.stride_tricks.sliding_window_view(padded, window).max(axis=1)
    return recent[steps - start]


def _onset_share(
    these: Mapping[Pair, PairContacts],
    others: Mapping[Pair, PairContacts],
    tolerance: float,
    slowest: float,
) -> tuple[float, dict[Pair, F64]]:
    total, matched, unmatched = 0.0, 0.0, {}
    for pair, contacts in these.items():
        times, speeds = contacts.impacts(tolerance)
        times, weights = times[speeds >= slowest], np.square(speeds[speeds >= slowest])
        partner = others.get(pair)
        near = _within(times, partner.onsets(_LOOSE * tolerance) if partner else np.zeros(0), tolerance)
        total, matched = total + float(weights.sum()), matched + float(weights[near].sum())
        if not near.all():
            unmatched[pair] = times[~near]
    return (matched / total if total else 1.0), unmatched


def _frame_share(
    these: Mapping[Pair, PairContacts], others: Mapping[Pair, PairContacts], slack: float
) -> tuple[float, dict[Pair, F64]]:
    total, matched, unmatched = 0, 0, {}
    for pair, contacts in these.items():
        frames = contacts.frames(loaded=True).astype(np.float64)
        partner = others.get(pair)
        other = partner.frames().astype(np.float64) if partner else np.zeros(0)
        near = _within(frames, other, slack)
        total, matched = total + len(frames), matched + int(near.sum())
        if not near.all():
            unmatched[pair] = frames[~near] / contacts.fps
    return (matched / total if total else 1.0), unmatched


def _within(values: F64, sorted_others: F64, tolerance: float) -> NDArray[np.bool_]:
    if not len(sorted_others):
        return np.zeros(len(values), dtype=bool)
    right = np.searchsorted(sorted_others, values)
    after = sorted_others[np.minimum(right, len(sorted_others) - 1)]
    before = sorted_others[np.maximum(right - 1, 0)]
    return np.minimum(np.abs(after - values), np.abs(before - values)) <= tolerance + 1e-9


def _still(truth: Trajectory, guess: Trajectory, matching: Matching) -> set[str]:
    """Names whose contacts with each other say nothing: static on a side, or not simulated in the reference.

    The engine reports no contacts between static bodies, so a static body that stands for one that rests
    would miss those with its support.
    """
    kinds = dict(zip(guess.names, guess.kinds, strict=True))
    found = {name for name, kind in zip(truth.names, truth.kinds, strict=True) if kind != "dynamic"}
    found |= {m.reference for m in matching.pairs if m.same_kind and kinds[m.candidate] == "static"}
    return found | {f"{n}{EXTRA}" for n, k in kinds.items() if k == "static"}


def _strangers(guess: Trajectory, matching: Matching) -> set[str]:
    """Moving objects of the candidate that stand for nothing, as they are called in pairs."""
    moving = (n for n, kind in zip(guess.names, guess.kinds, strict=True) if kind != "static")
    return {f"{n}{EXTRA}" for n in moving if n not in matching.counterpart}

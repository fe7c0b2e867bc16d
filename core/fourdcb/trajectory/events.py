"""Events out of states and contacts: what happened, when, between whom.

Everything is derived from the recorded arrays alone, so the same trajectory always tells the same story.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.trajectory.model import ContactTable, Event, Trajectory

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

GAP = 1 / 60  # [s]; a pair that parts for less has not parted (micro bounces of a settling body)
BOUNCE_SPEED = 0.05  # [m/s] along the normal
SLIDE_START, SLIDE_STOP = 0.02, 0.01  # [m/s] along the surface
SLIDE_TIME = 0.05  # [s]; shorter slips are part of an impact
REST_SPEED, REST_SPIN, REST_TIME = 0.01, 0.1, 0.25  # [m/s], [rad/s], [s]
TOPPLE_DEG, UPRIGHT_DEG = 45.0, 30.0
PENETRATION = 0.002  # [m] beyond the depth that one substep of approach explains


@dataclass(frozen=True, slots=True)
class _Pair:
    """Contacts of one pair, one entry per substep with contact, in time order.

    Attributes:
        step: shape (K,); approach, separation: speeds along the normal before and after [m/s], >= 0;
        slip: speed along the surface after [m/s]; depth: largest penetration [m];
        starts: first entry of each episode.
    """

    step: I32
    approach: F64
    separation: F64
    slip: F64
    depth: F64
    starts: NDArray[np.intp]

    def episodes(self) -> Iterator[tuple[int, int]]:
        """(first, last) entry of each episode."""
        ends = [*(self.starts[1:] - 1), len(self.step) - 1]
        yield from zip(self.starts.tolist(), (int(end) for end in ends), strict=True)


def with_events(trajectory: Trajectory, *, round_bodies: Collection[str] = ()) -> Trajectory:
    """The trajectory with its events filled in; see :func:`derive_events`."""
    return replace(trajectory, events=derive_events(trajectory, round_bodies=round_bodies))


def derive_events(trajectory: Trajectory, *, round_bodies: Collection[str] = ()) -> tuple[Event, ...]:
    """Events in time order.

    touch: a pair meets (after at least 1/60 s apart; also at the start). bounce: it parts again with more
    than 0.05 m/s along the normal. slide_start / slide_stop: slip above 0.02 m/s for at least 0.05 s, and its
    end while still touching. rest: a body that moved stands still for at least 0.25 s. topple: its upright
    axis leans by more than 45° (value: the largest lean until it stands up again). penetration: a pair is
    deeper than the approach speed of the episode explains by more than 2 mm.

    Args:
        trajectory: recorded states and contacts.
        round_bodies: names of bodies that cannot topple (balls).
    """
    events: list[Event] = []
    for names, pair in _pairs(trajectory):
        events += _meetings(trajectory, names, pair)
        events += _slides(trajectory, names, pair)
        events += _penetrations(trajectory, names, pair)
    for n, (name, kind) in enumerate(zip(trajectory.names, trajectory.kinds, strict=True)):
        if kind == "dynamic":
            events += _rests(trajectory, n)
            events += [] if name in round_bodies else _topples(trajectory, n)
    return tuple(sorted(events, key=lambda event: (event.time, event.kind, event.bodies)))


def _pairs(trajectory: Trajectory) -> Iterator[tuple[tuple[str, str], _Pair]]:
    contacts = trajectory.contacts
    key = contacts.body_a.astype(np.int64) * len(trajectory.names) + contacts.body_b
    for value in np.unique(key):
        rows = np.flatnonzero(key == value)
        a, b = divmod(int(value), len(trajectory.names))
        yield (trajectory.names[a], trajectory.names[b]), _pair(contacts, rows, trajectory.rate_hz)


def _pair(contacts: ContactTable, rows: NDArray[np.intp], rate_hz: float) -> _Pair:
    normal, after = contacts.normal[rows], contacts.velocity_after[rows]
    closing = -np.einsum("ij,ij->i", contacts.velocity_before[rows], normal)
    opening = np.einsum("ij,ij->i", after, normal)
    slip = np.linalg.norm(after - opening[:, None] * normal, axis=1)
    steps = contacts.step[rows]
    first = np.concatenate([[0], np.flatnonzero(np.diff(steps)) + 1])
    step = steps[first]
    gaps = np.flatnonzero(np.diff(step) > max(1.0, GAP * rate_hz)) + 1
    return _Pair(
        step=step,
        approach=np.maximum(np.maximum.reduceat(closing, first), 0.0),
        separation=np.maximum(np.maximum.reduceat(opening, first), 0.0),
        slip=np.minimum.reduceat(slip, first),
        depth=-np.minimum.reduceat(contacts.distance[rows], first),
        starts=np.concatenate([[0], gaps]),
    )


def _meetings(trajectory: Trajectory, names: tuple[str, str], pair: _Pair) -> Iterator[Event]:
    last_step = len(trajectory.times) - 1
    for first, last in pair.episodes():
        # A contact is found at the start of the substep at whose end it is read.
        touched = float(trajectory.times[pair.step[first] - 1])
        yield Event(kind="touch", time=touched, bodies=names, value=float(pair.approach[first]))
        parted = last_step - pair.step[last] > GAP * trajectory.rate_hz or last + 1 < len(pair.step)
        if parted and pair.separation[last] > BOUNCE_SPEED:
            time = float(trajectory.times[pair.step[last]])
            yield Event(kind="bounce", time=time, bodies=names, value=float(pair.separation[last]))


def _slides(trajectory: Trajectory, names: tuple[str, str], pair: _Pair) -> Iterator[Event]:
    shortest = SLIDE_TIME * trajectory.rate_hz
    for first, last in pair.episodes():
        slip = pair.slip[first : last + 1]
        for start, stop in _spans(slip > SLIDE_START, slip > SLIDE_STOP):
            begin, end = pair.step[first + start], pair.step[first + stop - 1]
            if end - begin < shortest:
                continue
            time = float(trajectory.times[begin - 1])
            yield Event(kind="slide_start", time=time, bodies=names, value=float(slip[start]))
            if stop < len(slip):
                time = float(trajectory.times[pair.step[first + stop]])
                yield Event(kind="slide_stop", time=time, bodies=names, value=float(slip[stop]))


def _penetrations(trajectory: Trajectory, names: tuple[str, str], pair: _Pair) -> Iterator[Event]:
    for first, last in pair.episodes():
        explained = np.maximum.accumulate(pair.approach[first : last + 1]) / trajectory.rate_hz
        excess = pair.depth[first : last + 1] - explained
        worst = int(np.argmax(excess))
        if excess[worst] > PENETRATION:
            time = float(trajectory.times[pair.step[first + worst]])
            depth = float(pair.depth[first + worst])
            yield Event(kind="penetration", time=time, bodies=names, value=depth)


def _rests(trajectory: Trajectory, n: int) -> Iterator[Event]:
    speed = np.linalg.norm(trajectory.linear_velocity[:, n], axis=1)
    spin = np.linalg.norm(trajectory.angular_velocity[:, n], axis=1)
    still = (speed < REST_SPEED) & (spin < REST_SPIN)
    for start, stop in _spans(still, still):
        if start > 0 and stop - start >= REST_TIME * trajectory.rate_hz:
            yield Event(kind="rest", time=float(trajectory.times[start]), bodies=(trajectory.names[n],))


def _topples(trajectory: Trajectory, n: int) -> Iterator[Event]:
    rotation = rotation_from_quaternion(trajectory.orientation_wxyz[:, n])
    upright = rotation[0].T @ np.array([0.0, 0.0, 1.0])  # the axis that is up at t = 0, in the body
    lean = np.degrees(np.arccos(np.clip(rotation[:, 2] @ upright, -1.0, 1.0)))
    for start, stop in _spans(lean > TOPPLE_DEG, lean > UPRIGHT_DEG):
        worst = float(lean[start:stop].max())
        yield Event(
            kind="topple", time=float(trajectory.times[start]), bodies=(trajectory.names[n],), value=worst
        )


def _spans(begins: NDArray[np.bool_], holds: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """[start, stop) of every run that starts where ``begins`` is true and lasts while ``holds`` is."""
    starts, breaks = np.flatnonzero(begins), np.flatnonzero(~holds)
    at = 0
    while True:
        i = int(np.searchsorted(starts, at))
        if i == len(starts):
            return
        start = int(starts[i])
        j = int(np.searchsorted(breaks, start))
        stop = int(breaks[j]) if j < len(breaks) else len(holds)
        yield start, stop
        at = stop + 1

"""Events out of states and contacts: what happened, when, between whom.

Everything is derived from the recorded arrays alone, so the same trajectory always tells the same story.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, I32
from fourdcb.trajectory.model import ContactTable, Event, Trajectory

GAP = 1 / 60  # [s]; a pair that parts for less has not parted (micro bounces of a settling body)
BOUNCE_SPEED = 0.05  # [m/s] along the normal
SLIDE_START, SLIDE_STOP = 0.02, 0.01  # [m/s] along the surface
SLIDE_TIME = 0.05  # [s]; shorter slips are part of an impact
REST_SPEED, REST_SPIN, REST_TIME = 0.01, 0.1, 0.25  # [m/s], [rad/s], [s]
TOPPLE_DEG, UPRIGHT_DEG = 45.0, 30.0
_BLOCK = 2**14  # contacts that are worked on at once
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
    contacts, n_bodies = trajectory.contacts, len(trajectory.names)
    if not len(contacts):
        return
    key = contacts.body_a * n_bodies + contacts.body_b
    if n_bodies**2 < 2**15:
        key = key.astype(np.int16)  # numpy sorts these in linear time
    order = np.argsort(key, kind="stable")
    key, steps = key[order], contacts.step[order]
    changes = (key[1:] != key[:-1]) | (steps[1:] != steps[:-1])
    first = np.concatenate([[0], np.flatnonzero(changes) + 1])
    step, key = steps[first], key[first]
    closing, opening, slip = _speeds(contacts)
    approach = np.maximum(np.maximum.reduceat(closing[order], first), 0.0)
    separation = np.maximum(np.maximum.reduceat(opening[order], first), 0.0)
    slip = np.minimum.reduceat(slip[order], first)
    depth = -np.minimum.reduceat(contacts.distance[order], first)
    bounds = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
    for run in map(slice, bounds[:-1], bounds[1:]):
        a, b = divmod(int(key[run.start]), n_bodies)
        gaps = np.flatnonzero(np.diff(step[run]) > max(1.0, GAP * trajectory.rate_hz)) + 1
        yield (
            (trajectory.names[a], trajectory.names[b]),
            _Pair(
                step=step[run],
                approach=approach[run],
                separation=separation[run],
                slip=slip[run],
                depth=depth[run],
                starts=np.concatenate([[0], gaps]),
            ),
        )


def _speeds(contacts: ContactTable) -> tuple[F64, F64, F64]:
    """Closing speed before, opening speed and slip after [m/s], shape (C,)."""
    closing, opening, slip = np.empty((3, len(contacts)))
    for start in range(0, len(contacts), _BLOCK):
        run = slice(start, start + _BLOCK)
        normal, before = contacts.normal[run].T, contacts.velocity_before[run].T
        after = contacts.velocity_after[run].T
        closing[run], opening[run] = -_dot(before, normal), _dot(after, normal)
        slip[run] = _length(after - opening[run] * normal)
    return closing, opening, slip


def _dot(a: F64, b: F64) -> F64:
    """Of vectors in columns, shape (3, C): numpy is several times faster along them than across."""
    product: F64 = a[0] * b[0] + a[2] * b[2] + a[1] * b[1]  # added up in the order of einsum
    return product


def _length(v: F64) -> F64:
    length: F64 = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return length


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
    speed = _length(trajectory.linear_velocity[:, n].T)
    spin = _length(trajectory.angular_velocity[:, n].T)
    still = (speed < REST_SPEED) & (spin < REST_SPIN)
    for start, stop in _spans(still, still):
        if start > 0 and stop - start >= REST_TIME * trajectory.rate_hz:
            yield Event(kind="rest", time=float(trajectory.times[start]), bodies=(trajectory.names[n],))


def _topples(trajectory: Trajectory, n: int) -> Iterator[Event]:
    up = _up_in_body(trajectory.orientation_wxyz[:, n])
    lean = np.degrees(np.arccos(np.clip(up @ up[0], -1.0, 1.0)))  # of the axis that is up at t = 0
    for start, stop in _spans(lean > TOPPLE_DEG, lean > UPRIGHT_DEG):
        worst = float(lean[start:stop].max())
        yield Event(
            kind="topple", time=float(trajectory.times[start]), bodies=(trajectory.names[n],), value=worst
        )


def _up_in_body(orientation_wxyz: F64) -> F64:
    """The world's up in the body's frame: the last rows of the rotation matrices, shape (S + 1, 3)."""
    coordinates = np.ascontiguousarray(orientation_wxyz.T)
    w, x, y, z = coordinates / np.sqrt(np.square(orientation_wxyz).sum(axis=1))
    return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)


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

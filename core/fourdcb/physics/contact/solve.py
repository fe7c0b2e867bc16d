"""Impulses of all contacts of an island: the exact law of each point, point by point, until all hold."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.cone import solve_point
from fourdcb.physics.contact.layout import (
    BLOCK,
    BODY_A,
    BODY_B,
    COURSE,
    DRIFT,
    DYNAMIC,
    FRAME,
    I64,
    IMPULSE,
    INV_MASS,
    KEPT,
    LEVER,
    MID_SPIN,
    MU,
    ROLL,
    ROLL_MASS,
    TARGET,
    Simulation,
)
from fourdcb.physics.contact.rows import push_apart, speed, twist

MOST_ROUNDS = 200
_MOST_SLOW = 1e5  # beyond it rounding would be sought
SMALL = 1e-7  # of the velocities at stake: a sweep that changes none by more is the last


@compiled
def relax(sim: Simulation, which: I64, first: int, stop: int, scale: float, most: int) -> bool:
    """Solves rows ``which[first] … which[stop - 1]``, whose impulses act on the velocities already.

    A round is a sweep there and one back, so that no end of a chain comes first. What a round changes is
    taken for a gradient, and the step goes on along conjugate directions: a heavy body on a light one takes
    tens of rounds instead of thousands (Silcowitz-Hansen, Niebe, Erleben: A Nonsmooth Nonlinear
    Conjugate Gradient Method for Interactive Contact Force Problems, The Visual Computer 26, 2010).

    Args:
        sim: rows, prepared, with their targets.
        which, first, stop: which rows.
        scale: velocity [m/s] that counts as one.
        most: number of rounds.

    Returns:
        Whether all laws hold.
    """
    limit = SMALL * scale
    before = 0.0
    for count in range(most):
        _remember(sim, which, first, stop)
        if _sweep(sim, which, first, stop, True) <= limit:
            return True
        if _sweep(sim, which, first, stop, False) <= limit:
            return True
        size = _size_of_change(sim, which, first, stop)
        share = size / before if count > 0 and before > 0.0 else 2.0
        if share > 1.0:
            share = 0.0
        _go_on(sim, which, first, stop, share)
        before = size
    return False


@compiled
def slowness(sim: Simulation, which: I64, first: int, stop: int) -> float:
    """About how many sweeps an error lives: what is left is that many times what a sweep changes.

    The ratio of the masses, times the square of the number of pairs that hang together (at least one).
    """
    body, tag = sim.body, sim.tag
    lightest, heaviest, pairs = 0.0, 1e300, 1.0
    last_a, last_b = -1, -1
    for at in range(first, stop):
        a, b = tag[which[at], BODY_A], tag[which[at], BODY_B]
        if a == last_a and b == last_b:
            continue
        last_a, last_b = a, b
        for n in (a, b):
            if sim.kind[n] == DYNAMIC:
                lightest = max(lightest, body[n, INV_MASS])
                heaviest = min(heaviest, body[n, INV_MASS])
        if sim.kind[a] == DYNAMIC and sim.kind[b] == DYNAMIC:
            pairs += 1.0
    return min(lightest / heaviest * pairs * pairs, _MOST_SLOW)


@compiled
def _sweep(sim: Simulation, which: I64, first: int, stop: int, forward: bool) -> float:
    """Solves every row once; the largest change of a velocity [m/s]."""
    change = 0.0
    for step in range(stop - first):
        i = which[first + step] if forward else which[stop - 1 - step]
        change = max(change, _one(sim, i))
        if sim.row[i, LEVER] > 0.0:
            change = max(change, _roll(sim, i))
    return change


@compiled
def _remember(sim: Simulation, which: I64, first: int, stop: int) -> None:
    row = sim.row
    for at in range(first, stop):
        i = which[at]
        for k in range(5):
            row[i, KEPT + k] = row[i, IMPULSE + k]


@compiled
def _size_of_change(sim: Simulation, which: I64, first: int, stop: int) -> float:
    """What a round has changed, squared, in units of energy [J]."""
    row, size = sim.row, 0.0
    for at in range(first, stop):
        i = which[at]
        for d in range(3):
            size += row[i, BLOCK + 4 * d] * (row[i, IMPULSE + d] - row[i, KEPT + d]) ** 2
        if row[i, LEVER] > 0.0:
            for d in range(2):
                size += (row[i, ROLL + d] - row[i, KEPT + 3 + d]) ** 2 / row[i, ROLL_MASS]
    return size


@compiled
def _go_on(sim: Simulation, which: I64, first: int, stop: int, share: float) -> None:
    """Goes on along the directions so far, and adds the last change to them."""
    row = sim.row
    for at in range(first, stop):
        i = which[at]
        for k in range(5):
            along = share * row[i, COURSE + k] if share > 0.0 else 0.0
            row[i, COURSE + k] = along + row[i, IMPULSE + k] - row[i, KEPT + k]
            row[i, IMPULSE + k] += along
            if along != 0.0:
                if k < 3:
                    push_apart(sim, i, k, along)
                else:
                    twist(sim, i, k - 2, along)


@compiled
def _one(sim: Simulation, i: int) -> float:
    """Solves row i for the others' impulses; the largest change of its velocity [m/s]."""
    row = sim.row
    p0, p1, p2 = row[i, IMPULSE], row[i, IMPULSE + 1], row[i, IMPULSE + 2]
    u0, u1, u2 = speed(sim, i, 0), speed(sim, i, 1), speed(sim, i, 2)
    u0, u1, u2 = u0 + row[i, DRIFT], u1 + row[i, DRIFT + 1], u2 + row[i, DRIFT + 2]
    k = BLOCK
    b0 = u0 - row[i, k] * p0 - row[i, k + 1] * p1 - row[i, k + 2] * p2
    b1 = u1 - row[i, k + 3] * p0 - row[i, k + 4] * p1 - row[i, k + 5] * p2
    b2 = u2 - row[i, k + 6] * p0 - row[i, k + 7] * p1 - row[i, k + 8] * p2
    q0, q1, q2 = solve_point(row, i, b0, b1, b2, row[i, TARGET], row[i, MU], p1, p2)
    row[i, IMPULSE], row[i, IMPULSE + 1], row[i, IMPULSE + 2] = q0, q1, q2
    d0, d1, d2 = q0 - p0, q1 - p1, q2 - p2
    if d0 != 0.0:
        push_apart(sim, i, 0, d0)
    if d1 != 0.0 or d2 != 0.0:
        push_apart(sim, i, 1, d1)
        push_apart(sim, i, 2, d2)
    return max(abs(d0) * row[i, k], abs(d1) * row[i, k + 4], abs(d2) * row[i, k + 8])


@compiled
def _roll(sim: Simulation, i: int) -> float:
    """Rolling friction: a torque against the rolling, round about the normal, of at most lever × p_n."""
    row, body = sim.row, sim.body
    a, b = sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    w1, w2 = 0.0, 0.0
    for k in range(3):
        relative = body[a, MID_SPIN + k] - body[b, MID_SPIN + k]
        w1 += relative * row[i, FRAME + 3 + k]
        w2 += relative * row[i, FRAME + 6 + k]
    t1, t2 = row[i, ROLL] - row[i, ROLL_MASS] * w1, row[i, ROLL + 1] - row[i, ROLL_MASS] * w2
    most, size = row[i, LEVER] * row[i, IMPULSE], math.sqrt(t1 * t1 + t2 * t2)
    if size > most:
        t1, t2 = t1 * most / size, t2 * most / size
    d1, d2 = t1 - row[i, ROLL], t2 - row[i, ROLL + 1]
    row[i, ROLL], row[i, ROLL + 1] = t1, t2
    if d1 == 0.0 and d2 == 0.0:
        return 0.0
    twist(sim, i, 1, d1)
    twist(sim, i, 2, d2)
    return (abs(d1) + abs(d2)) / row[i, ROLL_MASS] * row[i, LEVER]


@compiled
def apply_impulses(sim: Simulation, which: I64, first: int, stop: int) -> None:
    """Lets the impulses that the rows start with act on the velocities."""
    row = sim.row
    for at in range(first, stop):
        i = which[at]
        for d in range(3):
            if row[i, IMPULSE + d] != 0.0:
                push_apart(sim, i, d, row[i, IMPULSE + d])
        for d in range(2):
            if row[i, ROLL + d] != 0.0:
                twist(sim, i, d + 1, row[i, ROLL + d])

"""Lasting contacts: the impulses of one step, and overlaps taken back."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.layout import (
    ARM_A,
    ARM_B,
    AT_ONCE,
    BEYOND,
    BLOCK,
    BODY_A,
    BODY_B,
    DISTANCE,
    DYNAMIC,
    FLAGS,
    FRAME,
    IMPULSE,
    INV_MASS,
    LIVE,
    MID_ROT,
    MID_SPIN,
    PUSH,
    ROWS,
    SLOW,
    SPIN_A,
    SPIN_B,
    TARGET,
    TOUCHED,
    TURN,
    Simulation,
)
from fourdcb.physics.contact.motion import aim, put_inverse
from fourdcb.physics.contact.newton import solve_at_once
from fourdcb.physics.contact.rows import field_of, prepare, speed, tell_drift, touch_of
from fourdcb.physics.contact.solve import MOST_ROUNDS, SMALL, apply_impulses, relax, slowness

_SHARE = 0.2  # of an overlap that is taken back in a step
_PUSHES = 30
_PATIENCE = 12  # rounds of sweeps before an island is solved at once
_FINE = 0.1  # how exactly that is done


@compiled
def press(sim: Simulation, n_islands: int, h: float) -> None:
    """Velocities in the middle of a step of ``h`` [s], with the impulses of all lasting contacts."""
    body, tag, row = sim.body, sim.tag, sim.row
    aim(body, sim.kind, h)
    for n in range(len(sim.kind)):
        body[n, TOUCHED] = 0.0
        for k in range(3):
            body[n, PUSH + k] = 0.0
            body[n, TURN + k] = 0.0
    for i in range(sim.counts[ROWS]):
        if tag[i, FLAGS] & LIVE:
            for n in (tag[i, BODY_A], tag[i, BODY_B]):
                if sim.kind[n] == DYNAMIC:
                    put_inverse(body, n, MID_ROT)
    for k in range(n_islands):
        first, stop = sim.group[k], sim.group[k + 1]
        scale = 0.0
        for at in range(first, stop):
            i = sim.order[at]
            prepare(sim, i)
            tell_drift(sim, i, h)
            _aim_row(sim, i, h)
            scale = max(scale, row[i, SLOW], 0.01 * abs(speed(sim, i, 0)))
        apply_impulses(sim, sim.order, first, stop)
        exactly = scale / slowness(sim, sim.order, first, stop)
        if not relax(sim, sim.order, first, stop, exactly, _PATIENCE):
            if solve_at_once(sim, sim.order, first, stop, _FINE * SMALL * scale):
                sim.counts[AT_ONCE] += 1
            else:
                relax(sim, sim.order, first, stop, exactly, MOST_ROUNDS)
        _take_back(sim, first, stop, h)
        for at in range(first, stop):
            i = sim.order[at]
            if row[i, IMPULSE] > 0.0:
                body[tag[i, BODY_A], TOUCHED] = 1.0
                body[tag[i, BODY_B], TOUCHED] = 1.0


@inline
def _aim_row(sim: Simulation, i: int, h: float) -> None:
    """The normal velocity that row i must have at least.

    A gap may close but not more. Overlap that a step's own curvature makes comes back through the velocity:
    that centres the constraint in the step; deeper overlaps are taken back without velocity.
    """
    row, tag = sim.row, sim.tag
    distance = row[i, DISTANCE]
    if distance > 0.0:
        row[i, TARGET] = -distance / h
    else:
        over = max(-distance - touch_of(sim.body, tag[i, BODY_A], tag[i, BODY_B]), 0.0)
        row[i, TARGET] = min(_SHARE * over, _curvature(sim, i, h)) / h


@inline
def _curvature(sim: Simulation, i: int, h: float) -> float:
    """How much overlap [m] the bend of the motion can make in one step."""
    body, tag, row = sim.body, sim.tag, sim.row
    a, b = tag[i, BODY_A], tag[i, BODY_B]
    bend = 0.5 * field_of(body, sim.kind, a, b)
    for side in range(2):
        n, arm = (a, ARM_A) if side == 0 else (b, ARM_B)
        if sim.kind[n] == DYNAMIC:
            w, r = 0.0, 0.0
            for k in range(3):
                w += body[n, MID_SPIN + k] ** 2
                r += row[i, arm + k] ** 2
            bend += 0.5 * w * math.sqrt(r)
    return bend * h * h


@compiled
def _take_back(sim: Simulation, first: int, stop: int, h: float) -> None:
    """Displacements that take part of each overlap back: poses change, velocities do not."""
    row, tag = sim.row, sim.tag
    deep = False
    for at in range(first, stop):
        i = sim.order[at]
        over = (
            -row[i, DISTANCE]
            - h * max(row[i, TARGET], 0.0)
            - touch_of(sim.body, tag[i, BODY_A], tag[i, BODY_B])
        )
        row[i, TARGET] = max(_SHARE * over, 0.0)
        deep = deep or over > 0.0
        row[i, BEYOND] = 0.0
    if not deep:
        return
    for _ in range(_PUSHES):
        for at in range(first, stop):
            _push_row(sim, sim.order[at])


@inline
def _push_row(sim: Simulation, i: int) -> None:
    body, row, a, b = sim.body, sim.row, sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    if row[i, TARGET] == 0.0:
        return
    moved = 0.0
    for k in range(3):
        moved += row[i, FRAME + k] * (body[a, PUSH + k] - body[b, PUSH + k])
        moved += row[i, ARM_A + k] * body[a, TURN + k] - row[i, ARM_B + k] * body[b, TURN + k]
    total = max(row[i, BEYOND] + (row[i, TARGET] - moved) / row[i, BLOCK], 0.0)
    p = total - row[i, BEYOND]
    row[i, BEYOND] = total
    for k in range(3):
        body[a, PUSH + k] += p * body[a, INV_MASS] * row[i, FRAME + k]
        body[b, PUSH + k] -= p * body[b, INV_MASS] * row[i, FRAME + k]
        body[a, TURN + k] += p * row[i, SPIN_A + k]
        body[b, TURN + k] -= p * row[i, SPIN_B + k]

"""Impacts: what happens at an instant in which bodies that touch approach each other.

Restitution is Newton's, u_n⁺ = -e u_n⁻. All contacts that approach are solved at once, those that do not are
left alone; where that makes others approach, the next pass solves those. So an impact travels through a chain
of touching balls as it does through one with small gaps, and a scene's symmetry is kept (Smith et al.,
Reflections on Simultaneous Impact, ACM Trans. Graph. 31(4), 2012). Newton's law with friction can create
energy; where it would, e is lowered in that impact until nothing is gained.
"""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.layout import (
    BEFORE,
    BODY_A,
    BODY_B,
    BOUNCE,
    DISTANCE,
    DYNAMIC,
    FLAGS,
    FRAME,
    HELD,
    HIT,
    IMPULSE,
    LIVE,
    MID_SPIN,
    MID_VEL,
    MOM,
    ROLL,
    ROT,
    ROWS,
    SLOW,
    START,
    STASH,
    STRUCK,
    TARGET,
    VEL,
    Simulation,
)
from fourdcb.physics.contact.motion import momentum_of, put_inverse, spin_of
from fourdcb.physics.contact.rows import prepare, speed, tell_speed, touch_of
from fourdcb.physics.contact.solve import MOST_ROUNDS, relax

MOST_PASSES = 60
_HALVINGS = 30


@compiled
def see_instant(sim: Simulation) -> None:
    """Puts the velocities and inertias of the current instant where the rows look for them."""
    body = sim.body
    for n in range(len(sim.kind)):
        if sim.kind[n] != DYNAMIC:
            continue
        for k in range(3):
            body[n, MID_VEL + k] = body[n, VEL + k]
        x, y, z = spin_of(body, n, ROT, MOM)
        body[n, MID_SPIN], body[n, MID_SPIN + 1], body[n, MID_SPIN + 2] = x, y, z


@compiled
def classify(sim: Simulation) -> bool:
    """Marks the rows that are held to their law, and tells whether any of them is an impact.

    A row that approaches fast at a distance is none yet: its impact has a time of its own.
    """
    row, tag = sim.row, sim.tag
    any_impact = False
    for i in range(sim.counts[ROWS]):
        tell_speed(sim, i, BEFORE)
        u = _along_normal(sim, i)
        touches = row[i, DISTANCE] <= touch_of(sim.body, tag[i, BODY_A], tag[i, BODY_B])
        if tag[i, FLAGS] & HELD:
            row[i, SLOW] *= 4.0
        if touches or u >= -row[i, SLOW]:
            tag[i, FLAGS] |= LIVE
        if touches and u < -row[i, SLOW]:
            tag[i, FLAGS] |= HIT
            any_impact = True
    return any_impact


@inline
def _along_normal(sim: Simulation, i: int) -> float:
    row = sim.row
    return (
        row[i, BEFORE] * row[i, FRAME]
        + row[i, BEFORE + 1] * row[i, FRAME + 1]
        + row[i, BEFORE + 2] * row[i, FRAME + 2]
    )


@compiled
def strike(sim: Simulation, first: int, stop: int) -> None:
    """Solves the impacts among the rows ``order[first] … order[stop - 1]`` of one island."""
    _row, tag, body = sim.row, sim.tag, sim.body
    hit = False
    for at in range(first, stop):
        hit = hit or bool(tag[sim.order[at], FLAGS] & HIT)
    if not hit:
        return
    for at in range(first, stop):
        i = sim.order[at]
        for n in (tag[i, BODY_A], tag[i, BODY_B]):
            if sim.kind[n] == DYNAMIC:
                put_inverse(body, n, ROT)
    for at in range(first, stop):
        prepare(sim, sim.order[at])
    for count in range(MOST_PASSES + 1):
        last = count == MOST_PASSES
        n_active, fastest = _approaching(sim, first, stop, last)
        if n_active == 0:
            break
        _one_pass(sim, n_active, fastest, last)
    for at in range(first, stop):
        i = sim.order[at]
        for n in (tag[i, BODY_A], tag[i, BODY_B]):
            if sim.kind[n] == DYNAMIC:
                for k in range(3):
                    body[n, VEL + k] = body[n, MID_VEL + k]
                x, y, z = momentum_of(body, n, ROT, MID_SPIN)
                body[n, MOM], body[n, MOM + 1], body[n, MOM + 2] = x, y, z


@compiled
def _approaching(sim: Simulation, first: int, stop: int, whole: bool) -> tuple[int, float]:
    """Lists touching rows that approach (all, if ``whole``) in ``active``; how many, how fast [m/s]."""
    row, tag = sim.row, sim.tag
    n, fastest = 0, 0.0
    for at in range(first, stop):
        i = sim.order[at]
        if row[i, DISTANCE] > touch_of(sim.body, tag[i, BODY_A], tag[i, BODY_B]):
            continue
        u = speed(sim, i, 0)
        fastest = max(fastest, -u)
        if whole or u < -row[i, SLOW]:
            sim.active[n] = i
            n += 1
    return n, fastest


@compiled
def _one_pass(sim: Simulation, n_active: int, fastest: float, plastic: bool) -> None:
    row, tag = sim.row, sim.tag
    for at in range(n_active):
        i = sim.active[at]
        tag[i, FLAGS] |= HIT
        for k in range(5):
            row[i, STASH + k] = row[i, IMPULSE + k]
            row[i, IMPULSE + k] = 0.0
        for d in range(3):
            row[i, START + d] = speed(sim, i, d)
        row[i, START + 3], row[i, START + 4] = _rolling(sim, i, 1), _rolling(sim, i, 2)
    full = 0.0 if plastic else 1.0
    _bounce(sim, n_active, full, fastest)
    if not plastic and _gain(sim, n_active) > 0.0:
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            _bounce(sim, n_active, middle, fastest)
            if _gain(sim, n_active) > 0.0:
                high = middle
            else:
                low = middle
        _bounce(sim, n_active, low, fastest)
    for at in range(n_active):
        i = sim.active[at]
        for d in range(3):
            for k in range(3):
                row[i, STRUCK + k] += row[i, IMPULSE + d] * row[i, FRAME + 3 * d + k]
        for k in range(5):
            row[i, IMPULSE + k] = row[i, STASH + k]


@compiled
def _bounce(sim: Simulation, n_active: int, share: float, fastest: float) -> None:
    """Solves the active rows with a share of their restitution, from the impulses that they have."""
    row = sim.row
    for at in range(n_active):
        i = sim.active[at]
        row[i, TARGET] = max(-share * row[i, BOUNCE] * row[i, START], 0.0)
    relax(sim, sim.active, 0, n_active, fastest, MOST_ROUNDS)


@compiled
def _gain(sim: Simulation, n_active: int) -> float:
    """Kinetic energy that the impulses of a pass have added [J]: impulse × mean velocity, summed up."""
    row = sim.row
    gain, size = 0.0, 0.0
    for at in range(n_active):
        i = sim.active[at]
        for d in range(3):
            work = 0.5 * row[i, IMPULSE + d] * (row[i, START + d] + speed(sim, i, d))
            gain += work
            size += abs(0.5 * row[i, IMPULSE + d] * row[i, START + d])
        for d in range(2):
            gain += 0.5 * row[i, ROLL + d] * (row[i, START + 3 + d] + _rolling(sim, i, d + 1))
    return gain - 1e-9 * size


@inline
def _rolling(sim: Simulation, i: int, d: int) -> float:
    """Relative spin about tangent d [rad/s]."""
    body, row, a, b = sim.body, sim.row, sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    w = 0.0
    for k in range(3):
        w += row[i, FRAME + 3 * d + k] * (body[a, MID_SPIN + k] - body[b, MID_SPIN + k])
    return w

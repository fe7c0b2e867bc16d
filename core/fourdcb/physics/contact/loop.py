"""The compiled rollout: substeps, cut where bodies meet."""

from __future__ import annotations

from fourdcb.kernels.jit import kernel
from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.detect import detect
from fourdcb.physics.contact.impact import classify, see_instant, strike
from fourdcb.physics.contact.islands import find_islands
from fourdcb.physics.contact.layout import (
    ACC,
    AFTER,
    BEFORE,
    BODY_A,
    BODY_B,
    DISTANCE,
    DONE,
    DYNAMIC,
    END_POS,
    END_QUAT,
    END_ROT,
    F64,
    FLAGS,
    FRAME,
    HIT,
    IMPULSE,
    KINEMATIC,
    LAST_STEP,
    LIVE,
    LOG_A,
    LOG_AFTER,
    LOG_B,
    LOG_BEFORE,
    LOG_DISTANCE,
    LOG_FRICTION,
    LOG_NORMAL,
    LOG_POSITION,
    LOG_PUSH,
    LOG_STEP,
    LOGGED,
    MID_ROT,
    MID_SPIN,
    MID_VEL,
    MOM,
    OVERFLOW,
    POINT,
    POS,
    QUAT,
    ROT,
    ROWS,
    STRUCK,
    TOUCHED,
    VEL,
    Simulation,
)
from fourdcb.physics.contact.motion import accept, momentum_of, put_rotation, reach_end, spin_of
from fourdcb.physics.contact.press import press
from fourdcb.physics.contact.rows import build_rows, tell_speed
from fourdcb.physics.contact.sweep import meeting_time

MOST_CUTS = 24  # of one substep
_SLIVER = 1e-9  # of a substep: so little of it is not worth a step


@kernel
def advance(
    sim: Simulation,
    drive: F64,
    states: F64,
    log: F64,
    keep_log: bool,
    h: float,
    first: int,
    stop: int,
    stride: int,
) -> None:
    """Makes substeps ``first`` … ``stop`` - 1.

    It ends early, with OVERFLOW set, where more contacts are found than there is room for, and where the log
    is nearly full; ``counts[DONE]`` tells how far it came.

    Args:
        sim: bodies at the start of substep ``first``.
        drive: poses (position, orientation wxyz) and velocities of the kinematic bodies at the start of each
            substep, shape (stop - first, kinematic bodies, 13).
        states: of the dynamic bodies after every ``stride``-th substep; out, shape (>= n, D, 13).
        log: contacts; rows from ``counts[LOGGED]`` on are written, shape (M, LOG_WIDTH).
        keep_log: whether contacts are logged.
        h: length of a substep [s].
        first, stop: which; before the first one of all, the contacts of the start are found.
        stride: substeps between two states.
    """
    if first == 0:
        _look(sim, h)
    for step in range(first, stop):
        sim.counts[DONE] = step
        if keep_log and len(log) - sim.counts[LOGGED] < (MOST_CUTS + 2) * len(sim.tag):
            return
        _drive(sim, drive, step - first)
        left, cuts = h, 0
        while left > _SLIVER * h:
            made = _one(sim, left, h, cuts < MOST_CUTS)
            if sim.counts[OVERFLOW]:
                return
            if keep_log:
                _log(sim, log, step + 1)
            left -= made
            cuts += 1
        if (step + 1) % stride == 0:
            _tell(sim, states, (step + 1) // stride - first // stride - 1)
    sim.counts[DONE] = stop


@compiled
def _look(sim: Simulation, h: float) -> None:
    """Finds the contacts of the start."""
    body = sim.body
    for n in range(len(sim.kind)):
        for k in range(3):
            body[n, END_POS + k] = body[n, POS + k]
        for k in range(4):
            body[n, END_QUAT + k] = body[n, QUAT + k]
        q = (body[n, QUAT], body[n, QUAT + 1], body[n, QUAT + 2], body[n, QUAT + 3])
        put_rotation(body, n, END_ROT, q)
        put_rotation(body, n, ROT, q)
    detect(sim, h)


@compiled
def _one(sim: Simulation, left: float, h: float, may_cut: bool) -> float:
    """One step of ``left`` [s], or up to where bodies meet; how long it was."""
    body = sim.body
    old = sim.clock[LAST_STEP]
    build_rows(sim, h, left, old)
    see_instant(sim)
    hit = classify(sim)
    _before(sim, old)
    n_islands = find_islands(sim)
    if hit:
        for k in range(n_islands):
            strike(sim, sim.group[k], sim.group[k + 1])
        for i in range(sim.counts[ROWS]):
            if sim.tag[i, FLAGS] & HIT:
                tell_speed(sim, i, AFTER)
    made = left
    press(sim, n_islands, made)
    reach_end(body, sim.kind, made)
    detect(sim, h)
    if may_cut:
        t = meeting_time(sim, made, h)
        if t < made:
            _rescale(sim, t / made)
            made = t
            press(sim, n_islands, made)
            reach_end(body, sim.kind, made)
            detect(sim, h)
    if sim.counts[OVERFLOW]:
        return made
    for i in range(sim.counts[ROWS]):
        if not sim.tag[i, FLAGS] & HIT or sim.row[i, IMPULSE] > 0.0:
            tell_speed(sim, i, AFTER)
    for n in range(len(sim.kind)):
        if sim.kind[n] == DYNAMIC and body[n, TOUCHED] > 0.0:
            x, y, z = momentum_of(body, n, MID_ROT, MID_SPIN)
            body[n, MOM], body[n, MOM + 1], body[n, MOM + 2] = x, y, z
    accept(body, sim.kind, made)
    sim.clock[LAST_STEP] = made
    return made


@compiled
def _rescale(sim: Simulation, share: float) -> None:
    for i in range(sim.counts[ROWS]):
        for k in range(5):
            sim.row[i, IMPULSE + k] *= share


@compiled
def _before(sim: Simulation, old: float) -> None:
    """Takes what the field has added since from bodies in lasting contact: half a step of it.

    What is told of them is the velocity that the contact gave them.
    """
    body, row, tag = sim.body, sim.row, sim.tag
    for i in range(sim.counts[ROWS]):
        if tag[i, FLAGS] & HIT:
            continue
        for side in range(2):
            n, sign = (tag[i, BODY_A], -1.0) if side == 0 else (tag[i, BODY_B], 1.0)
            if sim.kind[n] == DYNAMIC and body[n, TOUCHED] > 0.0:
                for k in range(3):
                    row[i, BEFORE + k] += sign * 0.5 * old * body[n, ACC + k]


@compiled
def _drive(sim: Simulation, drive: F64, step: int) -> None:
    """Puts kinematic bodies where their keyframes say, with the velocities that take them on."""
    body = sim.body
    k = 0
    for n in range(len(sim.kind)):
        if sim.kind[n] != KINEMATIC:
            continue
        for c in range(3):
            body[n, POS + c] = drive[step, k, c]
            body[n, MID_VEL + c] = drive[step, k, 7 + c]
            body[n, VEL + c] = drive[step, k, 7 + c]
            body[n, MID_SPIN + c] = drive[step, k, 10 + c]
        for c in range(4):
            body[n, QUAT + c] = drive[step, k, 3 + c]
        put_rotation(
            body, n, ROT, (drive[step, k, 3], drive[step, k, 4], drive[step, k, 5], drive[step, k, 6])
        )
        k += 1


@compiled
def _tell(sim: Simulation, states: F64, out: int) -> None:
    """Writes the states of the dynamic bodies; a free one's velocity is that of this very instant."""
    body = sim.body
    d = 0
    for n in range(len(sim.kind)):
        if sim.kind[n] != DYNAMIC:
            continue
        velocity = MID_VEL if body[n, TOUCHED] > 0.0 else VEL
        x, y, z = spin_of(body, n, ROT, MOM)
        for k in range(3):
            states[out, d, k] = body[n, POS + k]
            states[out, d, 7 + k] = body[n, velocity + k]
        for k in range(4):
            states[out, d, 3 + k] = body[n, QUAT + k]
        states[out, d, 10], states[out, d, 11], states[out, d, 12] = x, y, z
        d += 1


@compiled
def _log(sim: Simulation, log: F64, step: int) -> None:
    """Appends the rows that carried weight or overlap."""
    row, tag = sim.row, sim.tag
    m = sim.counts[LOGGED]
    for i in range(sim.counts[ROWS]):
        struck, total = 0.0, 0.0
        for k in range(3):
            struck += row[i, STRUCK + k] * row[i, FRAME + k]
        push = row[i, IMPULSE] + struck if tag[i, FLAGS] & LIVE else struck
        if push <= 0.0 and row[i, DISTANCE] > 0.0:
            continue
        log[m, LOG_STEP], log[m, LOG_A], log[m, LOG_B] = step, tag[i, BODY_A], tag[i, BODY_B]
        log[m, LOG_DISTANCE], log[m, LOG_PUSH] = min(row[i, DISTANCE], 0.0), push
        for k in range(3):
            total = row[i, STRUCK + k] - struck * row[i, FRAME + k]
            if tag[i, FLAGS] & LIVE:
                total += (
                    row[i, IMPULSE + 1] * row[i, FRAME + 3 + k] + row[i, IMPULSE + 2] * row[i, FRAME + 6 + k]
                )
            log[m, LOG_POSITION + k] = row[i, POINT + k] - 0.5 * row[i, DISTANCE] * row[i, FRAME + k]
            log[m, LOG_NORMAL + k] = row[i, FRAME + k]
            log[m, LOG_FRICTION + k] = total
            log[m, LOG_BEFORE + k] = row[i, BEFORE + k]
            log[m, LOG_AFTER + k] = row[i, AFTER + k]
        m += 1
    sim.counts[LOGGED] = m

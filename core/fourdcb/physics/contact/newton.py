"""Islands on which sweeps are slow, solved at once: towers, and heavy bodies on light ones.

Augmented Lagrangian with a semismooth Newton method inside (after Alart & Curnier, A mixed formulation for
frictional contact problems prone to Newton like solution methods, Comput. Methods Appl. Mech. Eng. 92, 1991):
the impulse of a row is the projection of λ - ρ (u - g), the velocities v solve M (v - v₀) = Σ Jᵀ p(v), and λ
becomes p. The unknowns are the velocities, six a body, so redundant contacts cost nothing and make no matrix
singular.
"""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.layout import (
    ARM_A,
    ARM_B,
    BLOCK,
    BODY_A,
    BODY_B,
    COURSE,
    DRIFT,
    DYNAMIC,
    F64,
    FRAME,
    I64,
    IMPULSE,
    INERTIA,
    INV_MASS,
    KEPT,
    LEVER,
    MID_ROT,
    MID_SPIN,
    MID_VEL,
    MU,
    SLIP,
    STIFF,
    TARGET,
    Simulation,
)
from fourdcb.physics.contact.rows import speed
from fourdcb.physics.contact.solve import apply_impulses

STIFFNESS = 300.0  # ρ times the velocity that a unit impulse makes, on the heaviest body's scale
_OUTER, _INNER = 30, 20
_CUTS = 12  # looks along one step of Newton's
RESIDUAL, START, STEP = 0, 1, 2  # rows of ``vector``


@compiled
def solve_at_once(sim: Simulation, which: I64, first: int, stop: int, limit: float) -> bool:
    """Solves rows ``which[first] … which[stop - 1]``; whether their laws hold then.

    It cannot where there are more bodies than room in the matrix, or rolling friction. The rows are left with
    impulses inside their cones that act on the velocities, converged or not.

    Args:
        sim: rows, prepared, with their targets, their impulses acting already.
        which, first, stop: which rows.
        limit: error of a velocity [m/s] that is small enough.
    """
    row = sim.row
    n = _number(sim, which, first, stop)
    if n < 0:
        return False
    heavy = 0.0
    for b in range(len(sim.kind)):
        if sim.slot[b] >= 0:
            heavy = max(heavy, 1.0 / sim.body[b, INV_MASS])
    for at in range(first, stop):
        i = which[at]
        light = 1e30
        for side in range(2):
            b = sim.tag[i, BODY_A + side]
            if sim.slot[b] >= 0:
                light = min(light, 1.0 / sim.body[b, INV_MASS])
        row[i, STIFF] = STIFFNESS / row[i, BLOCK] * heavy / light
        row[i, STIFF + 1] = STIFFNESS / max(row[i, BLOCK + 4], row[i, BLOCK + 8]) * heavy / light
    _undo(sim, which, first, stop)
    _read(sim, START)
    for at in range(first, stop):
        i = which[at]
        for d in range(3):
            row[i, KEPT + d] = row[i, COURSE + d] = row[i, IMPULSE + d]
    apply_impulses(sim, which, first, stop)
    found = False
    for _ in range(_OUTER):
        _minimise(sim, which, first, stop, n, 0.1 * limit)
        change = 0.0
        for at in range(first, stop):
            i = which[at]
            for d in range(3):
                change = max(change, abs(row[i, IMPULSE + d] - row[i, KEPT + d]) / _stiffness(row, i, d))
                row[i, KEPT + d] = row[i, IMPULSE + d]
        found = change <= limit
        if found:
            break
    if not found and not change <= 1e4 * limit:
        for at in range(first, stop):
            for d in range(3):
                row[which[at], IMPULSE + d] = row[which[at], COURSE + d]
    _write(sim, START)
    apply_impulses(sim, which, first, stop)
    return found


@compiled
def _number(sim: Simulation, which: I64, first: int, stop: int) -> int:
    """Gives the island's bodies their places among the unknowns; how many unknowns, or -1."""
    for at in range(first, stop):
        if sim.row[which[at], LEVER] > 0.0:
            return -1
    for n in range(len(sim.kind)):
        sim.slot[n] = -1
    size = 0
    for at in range(first, stop):
        i = which[at]
        for side in range(2):
            n = sim.tag[i, BODY_A + side]
            if sim.kind[n] == DYNAMIC and sim.slot[n] < 0:
                if size + 6 > sim.matrix.shape[0]:
                    return -1
                sim.slot[n] = size
                size += 6
    return size


@compiled
def _undo(sim: Simulation, which: I64, first: int, stop: int) -> None:
    row = sim.row
    for at in range(first, stop):
        for d in range(3):
            row[which[at], IMPULSE + d] = -row[which[at], IMPULSE + d]
    apply_impulses(sim, which, first, stop)
    for at in range(first, stop):
        for d in range(3):
            row[which[at], IMPULSE + d] = -row[which[at], IMPULSE + d]


@compiled
def _read(sim: Simulation, column: int) -> None:
    """Velocities of the bodies into ``vector``."""
    for n in range(len(sim.kind)):
        if sim.slot[n] >= 0:
            for k in range(3):
                sim.vector[column, sim.slot[n] + k] = sim.body[n, MID_VEL + k]
                sim.vector[column, sim.slot[n] + 3 + k] = sim.body[n, MID_SPIN + k]


@compiled
def _write(sim: Simulation, column: int) -> None:
    """Velocities out of ``vector``."""
    for n in range(len(sim.kind)):
        if sim.slot[n] >= 0:
            for k in range(3):
                sim.body[n, MID_VEL + k] = sim.vector[column, sim.slot[n] + k]
                sim.body[n, MID_SPIN + k] = sim.vector[column, sim.slot[n] + 3 + k]


@compiled
def _minimise(sim: Simulation, which: I64, first: int, stop: int, n: int, limit: float) -> None:
    """Newton's method for the velocities that belong to λ.

    Each step is searched by the function's slope: its values differ by less than their rounding where heavy
    bodies lie on light ones.
    """
    _project(sim, which, first, stop)
    error = _residual(sim, which, first, stop, n)
    for _ in range(_INNER):
        if error <= limit:
            return
        _assemble(sim, which, first, stop, n)
        if not _cholesky(sim.matrix, n):
            return
        _solve(sim, n)
        start = _slope(sim, n)
        low, high, at, share = 0.0, 1.0, 0.0, 1.0
        at_low, at_high = start, -start
        for _ in range(_CUTS):
            _advance(sim, share - at)
            at = share
            _project(sim, which, first, stop)
            error = _residual(sim, which, first, stop, n)
            slope = _slope(sim, n)
            if slope >= -0.3 * start and (at == 1.0 or slope <= 0.3 * start):
                break
            if slope > 0.0:
                low, at_low = at, slope
            else:
                high, at_high = at, slope
            share = low + (high - low) * min(max(at_low / (at_low - at_high), 0.1), 0.9)


@inline
def _slope(sim: Simulation, n: int) -> float:
    """How fast the function falls along the step."""
    total = 0.0
    for k in range(n):
        total += sim.vector[RESIDUAL, k] * sim.vector[STEP, k]
    return total


@inline
def _stiffness(row: F64, i: int, d: int) -> float:
    """ρ of a row: of the normal, or of both tangents."""
    return row[i, STIFF] if d == 0 else row[i, STIFF + 1]


@compiled
def _project(sim: Simulation, which: I64, first: int, stop: int) -> float:
    """Impulses that belong to the velocities, and the function that the velocities make least [J].

    The bound of friction is that of λ (Tresca's law, until λ becomes p): so the function is convex, and its
    gradient is the residual.
    """
    row, body = sim.row, sim.body
    value = 0.0
    for at in range(first, stop):
        i = which[at]
        rn, rt = _stiffness(row, i, 0), _stiffness(row, i, 1)
        pn = max(row[i, KEPT] - rn * (speed(sim, i, 0) + row[i, DRIFT] - row[i, TARGET]), 0.0)
        p1 = row[i, KEPT + 1] - rt * (speed(sim, i, 1) + row[i, DRIFT + 1])
        p2 = row[i, KEPT + 2] - rt * (speed(sim, i, 2) + row[i, DRIFT + 2])
        size, most = math.sqrt(p1 * p1 + p2 * p2), row[i, MU] * row[i, KEPT]
        row[i, SLIP] = size
        value += 0.5 * pn * pn / rn
        if size > most:
            p1, p2 = p1 * most / size, p2 * most / size
            value += most * (size - 0.5 * most) / rt
        else:
            value += 0.5 * size * size / rt
        row[i, IMPULSE], row[i, IMPULSE + 1], row[i, IMPULSE + 2] = pn, p1, p2
    for n in range(len(sim.kind)):
        s = sim.slot[n]
        if s < 0:
            continue
        for k in range(3):
            value += 0.5 * (body[n, MID_VEL + k] - sim.vector[START, s + k]) ** 2 / body[n, INV_MASS]
            for m in range(3):
                a, b = body[n, MID_SPIN + k], body[n, MID_SPIN + m]
                a -= sim.vector[START, s + 3 + k]
                b -= sim.vector[START, s + 3 + m]
                value += 0.5 * a * b * _moment(body, n, k, m)
    return value


@compiled
def _residual(sim: Simulation, which: I64, first: int, stop: int, n: int) -> float:
    """Σ Jᵀ p - M (v - v₀) into ``vector``; its size as a velocity [m/s]."""
    body, row, out = sim.body, sim.row, sim.vector
    for k in range(n):
        out[RESIDUAL, k] = 0.0
    for at in range(first, stop):
        i = which[at]
        for side in range(2):
            b, arm, sign = (
                (sim.tag[i, BODY_A], ARM_A, 1.0) if side == 0 else (sim.tag[i, BODY_B], ARM_B, -1.0)
            )
            s = sim.slot[b]
            if s >= 0:
                for d in range(3):
                    p = sign * row[i, IMPULSE + d]
                    for k in range(3):
                        out[RESIDUAL, s + k] += p * row[i, FRAME + 3 * d + k]
                        out[RESIDUAL, s + 3 + k] += p * row[i, arm + 3 * d + k]
    worst = 0.0
    for b in range(len(sim.kind)):
        s = sim.slot[b]
        if s < 0:
            continue
        for k in range(3):
            own = (body[b, MID_VEL + k] - out[START, s + k]) / body[b, INV_MASS]
            out[RESIDUAL, s + k] -= own
            worst = max(worst, abs(out[RESIDUAL, s + k]) * body[b, INV_MASS])
        for k in range(3):
            for m in range(3):
                out[RESIDUAL, s + 3 + k] -= _moment(body, b, k, m) * (
                    body[b, MID_SPIN + m] - out[START, s + 3 + m]
                )
    return worst


@inline
def _moment(body: F64, n: int, k: int, m: int) -> float:
    """Entry of the inertia in the world, in the middle of the step [kg m²]."""
    total = 0.0
    for c in range(3):
        total += body[n, MID_ROT + 3 * k + c] * body[n, MID_ROT + 3 * m + c] * body[n, INERTIA + c]
    return total


@compiled
def _assemble(sim: Simulation, which: I64, first: int, stop: int, n: int) -> None:
    """The lower half of M + Σ Jᵀ D J, where D is how impulses answer to velocities."""
    matrix, body = sim.matrix, sim.body
    for k in range(n):
        for m in range(k + 1):
            matrix[k, m] = 0.0
    for b in range(len(sim.kind)):
        s = sim.slot[b]
        if s >= 0:
            for k in range(3):
                matrix[s + k, s + k] += 1.0 / body[b, INV_MASS]
                for m in range(k + 1):
                    matrix[s + 3 + k, s + 3 + m] += _moment(body, b, k, m)
    for at in range(first, stop):
        _add_row(sim, which[at])


@compiled
def _add_row(sim: Simulation, i: int) -> None:
    row = sim.row
    c, s, most = row[i, IMPULSE + 1], row[i, IMPULSE + 2], row[i, MU] * row[i, KEPT]
    d00, r = (_stiffness(row, i, 0) if row[i, IMPULSE] > 0.0 else 0.0), _stiffness(row, i, 1)
    d11, d22, d12 = r, r, 0.0
    if row[i, SLIP] > most:  # only across the slip does friction answer like a spring
        length = math.sqrt(c * c + s * s)
        c, s = (c / length, s / length) if length > 0.0 else (1.0, 0.0)
        r *= most / row[i, SLIP]
        d11, d22, d12 = r * s * s, r * c * c, -r * c * s
    for p in range(12):
        x0, x1, x2, at_p = _entry(sim, i, p)
        if at_p < 0:
            continue
        y0, y1, y2 = d00 * x0, d11 * x1 + d12 * x2, d12 * x1 + d22 * x2
        for q in range(12):
            z0, z1, z2, at_q = _entry(sim, i, q)
            if 0 <= at_q <= at_p:
                sim.matrix[at_p, at_q] += y0 * z0 + y1 * z1 + y2 * z2


@inline
def _entry(sim: Simulation, i: int, p: int) -> tuple[float, float, float, int]:
    """Column p (0 … 5 of a, 6 … 11 of b) of the three lines of J of row i, and its place."""
    row = sim.row
    side = p // 6
    k = p - 6 * side
    slot = sim.slot[sim.tag[i, BODY_A + side]]
    if slot < 0:
        return 0.0, 0.0, 0.0, -1
    sign = 1.0 if side == 0 else -1.0
    base = FRAME + k if k < 3 else (ARM_A if side == 0 else ARM_B) + k - 3
    return sign * row[i, base], sign * row[i, base + 3], sign * row[i, base + 6], slot + k


@compiled
def _cholesky(matrix: F64, n: int) -> bool:
    """Lower factor in place; False when the matrix is not positive."""
    for k in range(n):
        for m in range(k + 1):
            total = matrix[k, m]
            for c in range(m):
                total -= matrix[k, c] * matrix[m, c]
            if k == m:
                if not total > 0.0:
                    return False
                matrix[k, k] = math.sqrt(total)
            else:
                matrix[k, m] = total / matrix[m, m]
    return True


@compiled
def _solve(sim: Simulation, n: int) -> None:
    """The step of the velocities."""
    matrix, out = sim.matrix, sim.vector
    for k in range(n):
        total = out[RESIDUAL, k]
        for m in range(k):
            total -= matrix[k, m] * out[STEP, m]
        out[STEP, k] = total / matrix[k, k]
    for back in range(n):
        k = n - 1 - back
        total = out[STEP, k]
        for m in range(k + 1, n):
            total -= matrix[m, k] * out[STEP, m]
        out[STEP, k] = total / matrix[k, k]


@compiled
def _advance(sim: Simulation, share: float) -> None:
    for n in range(len(sim.kind)):
        s = sim.slot[n]
        if s >= 0:
            for k in range(3):
                sim.body[n, MID_VEL + k] += share * sim.vector[STEP, s + k]
                sim.body[n, MID_SPIN + k] += share * sim.vector[STEP, s + 3 + k]

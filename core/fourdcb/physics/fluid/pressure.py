"""The pressure that keeps the fluid's volume, with bodies that it moves in the same system of equations.

A cell c of the fluid with faces f (s = ±1 outward, open share w, share b of a body) keeps its volume when
Σ s (w u + b (V + ω × r) · e) = 0. Pressure impulses p change the flow by (p_left − p_right) / (ρ dx) and a
body by M⁻¹ dx² Σ p K, where K = Σ s b (e, r × e): the same numbers, so that the system is symmetric and
positive.
"""

from __future__ import annotations

from fourdcb.arrays import F64, I64
from fourdcb.kernels.jit import inline, kernel, routine

WALL, AIR = -1, -2  # in the place of a neighbour
_CLOSED = 1e-3
_NEAREST = 0.1  # of a cell: the surface is taken to be at least so far from a cell's centre
_CROWD, _GAP = 0.5, 0.2  # most that a cell is taken to be too full or too empty by
_RELAXED = 0.5  # share of that which one step undoes


@inline
def _step(m: int) -> tuple[int, int, int, int, int, int, float]:
    """Of side m of a cell: axis, way to the neighbour (3), way to the face (1 for upper), sign outward."""
    axis, upper = m >> 1, m & 1
    s = 1 if upper else -1
    return axis, (s if axis == 0 else 0), (s if axis == 1 else 0), (s if axis == 2 else 0), upper, 0, float(s)


@kernel
def build(
    dense: float,
    taken: F64,
    level: F64,
    fluid: I64,
    place: I64,
    count: I64,
    near: I64,
    off: F64,
    diagonal: F64,
) -> None:
    """Rows of the system, in units of 1 / (ρ dx).

    Args:
        dense: 1 / (ρ dx).
        taken, level, fluid, place, count: see :mod:`fourdcb.physics.fluid.volumes`.
        near: neighbours' numbers, WALL or AIR for none; out, shape (M, 6).
        off: factors of the neighbours; out, shape (M, 6).
        diagonal: out, shape (M,).
    """
    for c in range(count[0]):
        i, j, k = place[c, 0], place[c, 1], place[c, 2]
        total = 0.0
        for m in range(6):
            axis, di, dj, dk, upper, _, _ = _step(m)
            w = (
                1.0
                - taken[
                    axis,
                    i + (upper if axis == 0 else 0),
                    j + (upper if axis == 1 else 0),
                    k + (upper if axis == 2 else 0),
                ]
            )
            other = fluid[i + di, j + dj, k + dk]
            near[c, m], off[c, m] = WALL, 0.0
            if w < _CLOSED:
                continue
            if other >= 0:
                near[c, m], off[c, m] = other, w * dense
                total += w * dense
            else:
                near[c, m] = AIR
                own, its = level[0, i, j, k], level[0, i + di, j + dj, k + dk]
                total += w * dense / max(own / (own - its) if its > 0.0 else 1.0, _NEAREST)
        diagonal[c] = total


@kernel
def body_rows(
    origin: F64, dx: float, at: F64, share: F64, box: I64, fluid: I64, rows: F64, count: I64
) -> None:
    """The K of one body: what a unit of its velocity and spin pushes into every cell.

    Args:
        origin, dx: of the grid [m].
        at: centre of mass [m], shape (3,).
        share, box: see ``fill``.
        rows: out, shape (M, 6).
    """
    for c in range(count[0]):
        for e in range(6):
            rows[c, e] = 0.0
    for i in range(max(box[0, 0] - 1, 1), min(box[1, 0] + 2, fluid.shape[0] - 2)):
        for j in range(max(box[0, 1] - 1, 1), min(box[1, 1] + 2, fluid.shape[1] - 2)):
            for k in range(max(box[0, 2] - 1, 1), min(box[1, 2] + 2, fluid.shape[2] - 2)):
                c = fluid[i, j, k]
                if c < 0:
                    continue
                for m in range(6):
                    axis, _, _, _, upper, _, sign = _step(m)
                    u = i + (upper if axis == 0 else 0)
                    v = j + (upper if axis == 1 else 0)
                    w = k + (upper if axis == 2 else 0)
                    b = sign * share[axis, u, v, w]
                    if b == 0.0:
                        continue
                    rx = origin[0] + (u + (0.0 if axis == 0 else 0.5)) * dx - at[0]
                    ry = origin[1] + (v + (0.0 if axis == 1 else 0.5)) * dx - at[1]
                    rz = origin[2] + (w + (0.0 if axis == 2 else 0.5)) * dx - at[2]
                    rows[c, axis] += b
                    if axis == 0:  # r × e_x = (0, z, −y)
                        rows[c, 4] += b * rz
                        rows[c, 5] -= b * ry
                    elif axis == 1:  # r × e_y = (−z, 0, x)
                        rows[c, 3] -= b * rz
                        rows[c, 5] += b * rx
                    else:  # r × e_z = (y, −x, 0)
                        rows[c, 3] += b * ry
                        rows[c, 4] -= b * rx


@kernel
def outflow(taken: F64, place: I64, count: I64, flow: F64, rows: F64, velocity: F64, right: F64) -> None:
    """The right side: what flows out of cells, negated; ``velocity``: of bodies, shape (B, 6)."""
    for c in range(count[0]):
        total = 0.0
        for m in range(6):
            axis, _, _, _, upper, _, sign = _step(m)
            i = place[c, 0] + (upper if axis == 0 else 0)
            j = place[c, 1] + (upper if axis == 1 else 0)
            k = place[c, 2] + (upper if axis == 2 else 0)
            w = 1.0 - taken[axis, i, j, k]
            if w >= _CLOSED:
                total += sign * w * flow[axis, i, j, k]
        for b in range(len(velocity)):
            for e in range(6):
                total += rows[b, c, e] * velocity[b, e]
        right[c] = -total


@kernel
def crowding(dx: float, level: F64, taken: F64, near: I64, place: I64, count: I64, right: F64) -> None:
    """The right side that takes crowded cells apart and closes gaps inside: displacements [m]."""
    for c in range(count[0]):
        excess = min(max(level[1, place[c, 0], place[c, 1], place[c, 2]] - 1.0, -_GAP), _CROWD)
        for m in range(6):
            if excess < 0.0 and near[c, m] == AIR:
                excess = 0.0  # at the surface a cell may well be less than full
        right[c] = _RELAXED * excess * dx * (1.0 - taken[3, place[c, 0], place[c, 1], place[c, 2]])


@routine
def _apply(
    count: int,
    near: I64,
    off: F64,
    diagonal: F64,
    rows: F64,
    mobility: F64,
    scale: float,
    p: F64,
    out: F64,
    six: F64,
) -> float:
    """out = A p; the product p · A p. ``six``: room for the impulses on bodies, shape (2, B, 6)."""
    for b in range(len(mobility)):
        for e in range(6):
            six[0, b, e] = 0.0
        for c in range(count):
            for e in range(6):
                six[0, b, e] += rows[b, c, e] * p[c]
        for e in range(6):
            six[1, b, e] = 0.0
            for f in range(6):
                six[1, b, e] += scale * mobility[b, e, f] * six[0, b, f]
    product = 0.0
    for c in range(count):
        total = diagonal[c] * p[c]
        for m in range(6):
            if near[c, m] >= 0:
                total -= off[c, m] * p[near[c, m]]
        for b in range(len(mobility)):
            for e in range(6):
                total += rows[b, c, e] * six[1, b, e]
        out[c] = total
        product += p[c] * total
    return product


@kernel
def solve(
    near: I64, off: F64, diagonal: F64, rows: F64, mobility: F64, scale: float, right: F64, count: I64,
    tolerance: float, most: int, p: F64, work: F64, six: F64,
) -> None:  # fmt: skip
    """Conjugate gradients, from the p that is there.

    Args:
        rows: K of the bodies, shape (B, M, 6); none of them for B = 0.
        mobility: inverse masses and inertias, shape (B, 6, 6).
        scale: dx² [m²].
        right: shape (M,).
        tolerance: of the largest residual, as a share of the largest right side.
        most: iterations.
        p: changed, shape (M,).
        work: room, shape (3, M); six: room, shape (2, B, 6).
    """
    n = count[0]
    residual, way, image = work[0], work[1], work[2]
    _apply(n, near, off, diagonal, rows, mobility, scale, p, image, six)
    size, product = 0.0, 0.0
    for c in range(n):
        size = max(size, abs(right[c]))
        residual[c] = right[c] - image[c] if diagonal[c] > 0.0 else 0.0
        way[c] = residual[c] / diagonal[c] if diagonal[c] > 0.0 else 0.0
        product += residual[c] * way[c]
    for _ in range(most):
        worst = 0.0
        for c in range(n):
            worst = max(worst, abs(residual[c]))
        if worst <= tolerance * size:
            break
        curve = _apply(n, near, off, diagonal, rows, mobility, scale, way, image, six)
        if curve <= 0.0:
            break
        alpha, after = product / curve, 0.0
        for c in range(n):
            if diagonal[c] <= 0.0:
                continue
            p[c] += alpha * way[c]
            residual[c] -= alpha * image[c]
            after += residual[c] * residual[c] / diagonal[c]
        for c in range(n):
            if diagonal[c] > 0.0:
                way[c] = residual[c] / diagonal[c] + after / product * way[c]
        product = after


@kernel
def correct(
    dense: float, taken: F64, level: F64, fluid: I64, place: I64, count: I64, p: F64, flow: F64, known: F64
) -> None:
    """Lets pressure impulses change the flow through the open faces of the fluid's cells, and marks these.

    A face between two cells of the fluid is changed once, from its upper side's cell.
    """
    for c in range(count[0]):
        for m in range(6):
            axis, di, dj, dk, upper, _, sign = _step(m)
            i, j, k = place[c, 0], place[c, 1], place[c, 2]
            other = fluid[i + di, j + dj, k + dk]
            if other >= 0 and upper:
                continue
            own, its = level[0, i, j, k], level[0, i + di, j + dj, k + dk]
            i += upper if axis == 0 else 0
            j += upper if axis == 1 else 0
            k += upper if axis == 2 else 0
            if 1.0 - taken[axis, i, j, k] < _CLOSED:
                continue
            if other >= 0:
                flow[axis, i, j, k] += sign * dense * (p[c] - p[other])
            else:
                share = max(own / (own - its) if its > 0.0 else 1.0, _NEAREST)
                flow[axis, i, j, k] += sign * dense * p[c] / share
            known[axis, i, j, k] = 1.0


@kernel
def impulses(scale: float, rows: F64, count: I64, p: F64, out: F64) -> None:
    """What the pressure gives to bodies: impulse [N s] and its torque [N m s]; out, shape (B, 6)."""
    for b in range(len(out)):
        for e in range(6):
            total = 0.0
            for c in range(count[0]):
                total += rows[b, c, e] * p[c]
            out[b, e] = scale * total

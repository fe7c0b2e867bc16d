"""How much of every cell and face is open to the fluid, and where the fluid's surface runs."""

from __future__ import annotations

import math

from fourdcb.arrays import F64, I64
from fourdcb.kernels.jit import kernel, routine
from fourdcb.physics.fluid.solids import filled, gap

_LEAST_OPEN = 0.25  # share of a cell, for its own particles to tell how full it is
_LAYERS = 2
_SAMPLES = 8  # along two cells
_CLOSED = 1e-3  # share of a face under which nothing flows through it


@kernel
def mark_free(points: F64, solid: F64, free: F64) -> None:
    """Sets ``free`` to 0 for the points (P, 3) that lie in a solid."""
    for p in range(len(points)):
        for n in range(len(solid)):
            if gap(solid, n, points[p, 0], points[p, 1], points[p, 2]) <= 0.0:
                free[p] = 0.0


@kernel
def measure_room(origin: F64, dx: float, solid: F64, still: I64, taken: F64, room: F64) -> None:
    """Room about cells that solids which never move leave free, weighted as the grid shares particles out.

    Args:
        still: which solids, shape (Q,).
        taken: by them, see ``fill``.
        room: out, shape (X, Y, Z); 1 where nothing is near.
    """
    sx, sy, sz = room.shape
    for i in range(1, sx - 2):
        for j in range(1, sy - 2):
            for k in range(1, sz - 2):
                room[i, j, k] = 1.0
                is_free = True
                for m in range(27):
                    is_free = is_free and taken[3, i + m // 9 - 1, j + m // 3 % 3 - 1, k + m % 3 - 1] == 0.0
                if not is_free:
                    room[i, j, k] = _room_at(origin, dx, solid, still, i, j, k)


@routine
def _room_at(origin: F64, dx: float, solid: F64, still: I64, i: int, j: int, k: int) -> float:
    total, weight = 0.0, 0.0
    for m in range(_SAMPLES**3):
        u = (m // _SAMPLES**2 + 0.5) * 2.0 / _SAMPLES - 1.0
        v = (m // _SAMPLES % _SAMPLES + 0.5) * 2.0 / _SAMPLES - 1.0
        w = (m % _SAMPLES + 0.5) * 2.0 / _SAMPLES - 1.0
        share = (1.0 - abs(u)) * (1.0 - abs(v)) * (1.0 - abs(w))
        x, y, z = (
            origin[0] + (i + 0.5 + u) * dx,
            origin[1] + (j + 0.5 + v) * dx,
            origin[2] + (k + 0.5 + w) * dx,
        )
        free = share
        for n in still:
            g = gap(solid, n, x, y, z) * _SAMPLES / (2.0 * dx)
            free = min(free, share * min(max(0.5 + g, 0.0), 1.0))
        total += free
        weight += share
    return total / weight


@kernel
def fill(origin: F64, dx: float, solid: F64, n: int, box: I64, share: F64, taken: F64) -> None:
    """Shares of faces and cells that solid n fills, where nothing else does; added to what is taken.

    A face stands for the cube about its centre: the volume of the flow that it carries.

    Args:
        origin, dx: of the grid [m].
        solid: rows of solids.
        n: which.
        box: first and last index along x, y, z that it may reach, shape (2, 3).
        share: out, shape (4, X, Y, Z): lower faces along x, y, z, and cells.
        taken: by all solids so far; changed, same shape.
    """
    for a in range(4):
        ox, oy, oz = 0.0 if a == 0 else 0.5, 0.0 if a == 1 else 0.5, 0.0 if a == 2 else 0.5
        for i in range(box[0, 0], box[1, 0] + 1):
            for j in range(box[0, 1], box[1, 1] + 1):
                for k in range(box[0, 2], box[1, 2] + 1):
                    x, y, z = origin[0] + (i + ox) * dx, origin[1] + (j + oy) * dx, origin[2] + (k + oz) * dx
                    part = min(filled(solid, n, x, y, z, dx), 1.0 - taken[a, i, j, k])
                    share[a, i, j, k] = part
                    taken[a, i, j, k] += part


@kernel
def find_surface(
    per_cell: float,
    weight: F64,
    room: F64,
    still: F64,
    taken: F64,
    box: I64,
    level: F64,
    fluid: I64,
    place: I64,
    count: I64,
) -> None:
    """Numbers the cells that hold fluid, by the share of their open room that particles fill.

    Under a flat surface that share, smoothed as the particles are, falls over two cells along two parabolas;
    solved for the distance, they give the surface to a fraction of a cell.

    Args:
        per_cell: particles of a full cell.
        weight: see ``to_grid``.
        room: see ``measure_room``.
        still, taken: see ``fill``; by what never moves, and by all.
        box: first and last index along x, y, z of what is looked at, shape (2, 3).
        level: signed distance of cells from the surface [cells], negative inside; and their filling; out,
            shape (2, X, Y, Z).
        fluid: number of a cell, −1 without fluid; out, shape (X, Y, Z).
        place: cell of a number; out, shape (M, 3).
        count: how many there are; out, shape (1,). Cells beyond M are left out.
    """
    found = 0
    for i in range(box[0, 0] + 1, box[1, 0]):
        for j in range(box[0, 1] + 1, box[1, 1]):
            for k in range(box[0, 2] + 1, box[1, 2]):
                level[1, i, j, k] = 0.0
                if weight[3, i, j, k] < 1e-6:
                    continue
                rest = room[i, j, k]
                for a in range(-1, 2):
                    for b in range(-1, 2):
                        for c in range(-1, 2):
                            moved = taken[3, i + a, j + b, k + c] - still[3, i + a, j + b, k + c]
                            if moved > 0.0:
                                w = (0.75 if a == 0 else 0.125) * (0.75 if b == 0 else 0.125)
                                rest -= moved * w * (0.75 if c == 0 else 0.125)
                if rest > 0.0:
                    level[1, i, j, k] = weight[3, i, j, k] / (per_cell * rest)
    _pass_on(taken, box, level)
    for i in range(box[0, 0] + 1, box[1, 0]):
        for j in range(box[0, 1] + 1, box[1, 1]):
            for k in range(box[0, 2] + 1, box[1, 2]):
                filling = level[1, i, j, k]
                if filling < 0.5:
                    level[0, i, j, k] = 1.0 - math.sqrt(2.0 * filling)
                    continue
                level[0, i, j, k] = math.sqrt(2.0 * max(1.0 - filling, 0.0)) - 1.0
                is_open = False
                for m in range(6):
                    axis, upper = m >> 1, m & 1
                    u = i + (upper if axis == 0 else 0)
                    v = j + (upper if axis == 1 else 0)
                    w = k + (upper if axis == 2 else 0)
                    is_open = is_open or 1.0 - taken[axis, u, v, w] > _CLOSED
                if is_open and found < len(place):
                    fluid[i, j, k] = found
                    place[found, 0], place[found, 1], place[found, 2] = i, j, k
                    found += 1
    count[0] = found


@routine
def _pass_on(taken: F64, box: I64, level: F64) -> None:
    """Cells that are nearly all solid are as full as the open cells beside them, two layers deep.

    Particles keep away from solids, so that such a cell has none; it still passes pressure on. What is not
    known yet is −1, what this sweep finds −2 − its filling.
    """
    for i in range(box[0, 0] + 1, box[1, 0]):
        for j in range(box[0, 1] + 1, box[1, 1]):
            for k in range(box[0, 2] + 1, box[1, 2]):
                if 1.0 - taken[3, i, j, k] < _LEAST_OPEN:
                    level[1, i, j, k] = -1.0
    for _ in range(_LAYERS):
        for i in range(box[0, 0] + 1, box[1, 0]):
            for j in range(box[0, 1] + 1, box[1, 1]):
                for k in range(box[0, 2] + 1, box[1, 2]):
                    if level[1, i, j, k] == -1.0:
                        level[1, i, j, k] = _beside(i, j, k, taken, level)
        for i in range(box[0, 0] + 1, box[1, 0]):
            for j in range(box[0, 1] + 1, box[1, 1]):
                for k in range(box[0, 2] + 1, box[1, 2]):
                    if level[1, i, j, k] <= -2.0:
                        level[1, i, j, k] = -2.0 - level[1, i, j, k]
    for i in range(box[0, 0] + 1, box[1, 0]):
        for j in range(box[0, 1] + 1, box[1, 1]):
            for k in range(box[0, 2] + 1, box[1, 2]):
                level[1, i, j, k] = max(level[1, i, j, k], 0.0)


@routine
def _beside(i: int, j: int, k: int, taken: F64, level: F64) -> float:
    """−2 − the filling of the known cells beside one, by how open the way is; −1 for none."""
    total, weight = 0.0, 0.0
    for m in range(6):
        axis, upper = m >> 1, m & 1
        s = 1 if upper else -1
        known = level[
            1, i + (s if axis == 0 else 0), j + (s if axis == 1 else 0), k + (s if axis == 2 else 0)
        ]
        w = (
            1.0
            - taken[
                axis,
                i + (upper if axis == 0 else 0),
                j + (upper if axis == 1 else 0),
                k + (upper if axis == 2 else 0),
            ]
        )
        if known >= 0.0 and w > _CLOSED:
            total += w * min(known, 1.0)
            weight += w
    return -2.0 - total / weight if weight > 0.0 else -1.0

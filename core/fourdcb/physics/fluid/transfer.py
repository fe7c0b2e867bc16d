"""Particles to the grid and back; a face of the grid holds the component of velocity across it."""

from __future__ import annotations

import math

from fourdcb.arrays import F64, I64
from fourdcb.kernels.jit import inline, kernel, routine
from fourdcb.physics.fluid.solids import POS, SPIN, VEL, away, gap

_FARTHEST = 0.25  # of the thinnest solid's extent: as far as a particle moves between two looks
_SLIVER = 1e-12


@inline
def inside(gx: float, gy: float, gz: float, field: F64) -> bool:
    """Whether all that a point [cells] touches is in the grid; ``field`` has its shape at the end."""
    return (
        1.0 <= gx < field.shape[1] - 2.0
        and 1.0 <= gy < field.shape[2] - 2.0
        and 1.0 <= gz < field.shape[3] - 2.0
    )


@kernel
def to_grid(origin: F64, dx: float, x: F64, v: F64, affine: F64, box: I64, flow: F64, weight: F64) -> None:
    """Velocities of particles to faces, their number to cells.

    Args:
        origin: corner of the grid [m], shape (3,).
        dx: edge of a cell [m].
        x, v: positions [m] and velocities [m/s], shape (P, 3).
        affine: gradient of each component of velocity about a particle [1/s], shape (P, 3, 3).
        box: first and last index along x, y, z of what is looked at, shape (2, 3); particles lie well within.
        flow: velocity of the lower faces of cells along x, y, z [m/s]; 0 before, shape (3, X, Y, Z).
        weight: of particles at these faces, and in place 3 at the centres of cells; 0 before,
            shape (4, X, Y, Z).
    """
    for p in range(len(x)):
        gx, gy, gz = (x[p, 0] - origin[0]) / dx, (x[p, 1] - origin[1]) / dx, (x[p, 2] - origin[2]) / dx
        if not inside(gx, gy, gz, flow):
            continue
        for a in range(4):
            fx = gx if a == 0 else gx - 0.5
            fy = gy if a == 1 else gy - 0.5
            fz = gz if a == 2 else gz - 0.5
            i, j, k = int(fx), int(fy), int(fz)
            fx, fy, fz = fx - i, fy - j, fz - k
            for m in range(8):
                bx, by, bz = m >> 2, (m >> 1) & 1, m & 1
                w = (fx if bx else 1.0 - fx) * (fy if by else 1.0 - fy) * (fz if bz else 1.0 - fz)
                weight[a, i + bx, j + by, k + bz] += w
                if a < 3:
                    drift = (
                        affine[p, a, 0] * (bx - fx)
                        + affine[p, a, 1] * (by - fy)
                        + affine[p, a, 2] * (bz - fz)
                    )
                    flow[a, i + bx, j + by, k + bz] += w * (v[p, a] + drift * dx)
    for a in range(3):
        for i in range(box[0, 0], box[1, 0] + 1):
            for j in range(box[0, 1], box[1, 1] + 1):
                for k in range(box[0, 2], box[1, 2] + 1):
                    if weight[a, i, j, k] > _SLIVER:
                        flow[a, i, j, k] /= weight[a, i, j, k]


@kernel
def extend(flow: F64, known: F64, box: I64, sweeps: int) -> None:
    """Velocities of faces that nothing is known of: the mean of known neighbours, layer by layer.

    Args:
        flow: shape (3, X, Y, Z); changed.
        known: 1 where a face is known, else 0; changed, shape (3, X, Y, Z).
        box: see ``to_grid``.
        sweeps: layers.
    """
    for sweep in range(sweeps):
        mark = 2.0 + sweep  # what this sweep finds is used by the next one only
        for a in range(3):
            for i in range(box[0, 0] + 1, box[1, 0]):
                for j in range(box[0, 1] + 1, box[1, 1]):
                    for k in range(box[0, 2] + 1, box[1, 2]):
                        if known[a, i, j, k] > 0.0:
                            continue
                        total, count = 0.0, 0.0
                        for m in range(6):
                            s = 1 if m & 1 else -1
                            u = i + (s if m < 2 else 0)
                            v = j + (s if 2 <= m < 4 else 0)
                            w = k + (s if m >= 4 else 0)
                            if 0.0 < known[a, u, v, w] < mark:
                                total += flow[a, u, v, w]
                                count += 1.0
                        flow[a, i, j, k] = total / count if count > 0.0 else 0.0
                        if count > 0.0:
                            known[a, i, j, k] = mark


@kernel
def from_grid(
    origin: F64, dx: float, dt: float, field: F64, x: F64, v: F64, affine: F64, flow: F64, shift: F64,
    solid: F64, order: I64, thin: float, skin: float,
) -> None:  # fmt: skip
    """New velocities of particles, and their way through a step; what leaves the grid flies freely.

    Args:
        origin, dx: of the grid [m].
        dt: the step [s].
        field: acceleration [m/s²], shape (3,).
        x, v, affine: of the particles; changed.
        flow: velocities of faces [m/s], shape (3, X, Y, Z).
        shift: displacements of faces that take crowds apart [m], shape (3, X, Y, Z).
        solid: rows of solids, shape (S, SOLID_WIDTH).
        order: in which they push particles out, shape (S,).
        thin: extent of the thinnest solid [m].
        skin: distance that particles keep from solids [m].
    """
    for p in range(len(x)):
        gx, gy, gz = (x[p, 0] - origin[0]) / dx, (x[p, 1] - origin[1]) / dx, (x[p, 2] - origin[2]) / dx
        if inside(gx, gy, gz, flow):
            way0 = way1 = way2 = 0.0
            for a in range(3):
                fx = gx if a == 0 else gx - 0.5
                fy = gy if a == 1 else gy - 0.5
                fz = gz if a == 2 else gz - 0.5
                i, j, k = int(fx), int(fy), int(fz)
                fx, fy, fz = fx - i, fy - j, fz - k
                value, cx, cy, cz, moved = 0.0, 0.0, 0.0, 0.0, 0.0
                for m in range(8):
                    bx, by, bz = m >> 2, (m >> 1) & 1, m & 1
                    wx, wy, wz = fx if bx else 1.0 - fx, fy if by else 1.0 - fy, fz if bz else 1.0 - fz
                    u = flow[a, i + bx, j + by, k + bz]
                    value += wx * wy * wz * u
                    moved += wx * wy * wz * shift[a, i + bx, j + by, k + bz]
                    cx += (1.0 if bx else -1.0) * wy * wz * u
                    cy += (1.0 if by else -1.0) * wx * wz * u
                    cz += (1.0 if bz else -1.0) * wx * wy * u
                v[p, a] = value
                affine[p, a, 0], affine[p, a, 1], affine[p, a, 2] = cx / dx, cy / dx, cz / dx
                if a == 0:
                    way0 = value * dt + moved
                elif a == 1:
                    way1 = value * dt + moved
                else:
                    way2 = value * dt + moved
        else:
            for a in range(3):
                v[p, a] += field[a] * dt
                for b in range(3):
                    affine[p, a, b] = 0.0
            way0 = (v[p, 0] - 0.5 * field[0] * dt) * dt
            way1 = (v[p, 1] - 0.5 * field[1] * dt) * dt
            way2 = (v[p, 2] - 0.5 * field[2] * dt) * dt
        length = math.sqrt(way0 * way0 + way1 * way1 + way2 * way2)
        parts = 1 + int(length / (_FARTHEST * thin))
        for _ in range(parts):
            x[p, 0] += way0 / parts
            x[p, 1] += way1 / parts
            x[p, 2] += way2 / parts
            push_out(p, x, v, solid, order, skin)


@routine
def push_out(p: int, x: F64, v: F64, solid: F64, order: I64, skin: float) -> None:
    """Takes particle p out of every solid and from its velocity what would lead it back in.

    What never moves comes last in ``order``: between a body and a wall, the wall holds.
    """
    for n in order:
        depth = skin - gap(solid, n, x[p, 0], x[p, 1], x[p, 2])
        if depth <= 0.0:
            continue
        nx, ny, nz = away(solid, n, x[p, 0], x[p, 1], x[p, 2], 0.1 * skin)
        x[p, 0] += depth * nx
        x[p, 1] += depth * ny
        x[p, 2] += depth * nz
        rx, ry, rz = x[p, 0] - solid[n, POS], x[p, 1] - solid[n, POS + 1], x[p, 2] - solid[n, POS + 2]
        sx = solid[n, VEL] + solid[n, SPIN + 1] * rz - solid[n, SPIN + 2] * ry
        sy = solid[n, VEL + 1] + solid[n, SPIN + 2] * rx - solid[n, SPIN] * rz
        sz = solid[n, VEL + 2] + solid[n, SPIN] * ry - solid[n, SPIN + 1] * rx
        inward = (v[p, 0] - sx) * nx + (v[p, 1] - sy) * ny + (v[p, 2] - sz) * nz
        if inward < 0.0:
            v[p, 0] -= inward * nx
            v[p, 1] -= inward * ny
            v[p, 2] -= inward * nz

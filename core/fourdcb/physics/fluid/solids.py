"""Bodies as a fluid meets them: signed distances, and how much of a cube they fill."""

from __future__ import annotations

import math

from fourdcb.arrays import F64
from fourdcb.kernels.jit import inline, routine

PLANE, SPHERE, BOX, CYLINDER, CAPSULE = 0, 1, 2, 3, 4
# Columns of a solid: shape, position, axes (world_from_solid, row by row), half extents, velocity, spin.
SHAPE, POS, ROT, HALF, VEL, SPIN = 0, 1, 4, 13, 16, 19
SOLID_WIDTH = 22
_FINE = 4  # samples along an edge of a cube that a surface cuts
_CORNER = 0.8661  # of a cube's edge: from its centre to a corner


@inline
def gap(solid: F64, n: int, x: float, y: float, z: float) -> float:
    """Signed distance of a point from solid n [m], negative inside."""
    dx, dy, dz = x - solid[n, POS], y - solid[n, POS + 1], z - solid[n, POS + 2]
    a = solid[n, ROT] * dx + solid[n, ROT + 3] * dy + solid[n, ROT + 6] * dz
    b = solid[n, ROT + 1] * dx + solid[n, ROT + 4] * dy + solid[n, ROT + 7] * dz
    c = solid[n, ROT + 2] * dx + solid[n, ROT + 5] * dy + solid[n, ROT + 8] * dz
    shape = int(solid[n, SHAPE])
    hx, hy, hz = solid[n, HALF], solid[n, HALF + 1], solid[n, HALF + 2]
    if shape == PLANE:
        return c
    if shape == SPHERE:
        return math.sqrt(a * a + b * b + c * c) - hx
    if shape == BOX:
        a, b, c = abs(a) - hx, abs(b) - hy, abs(c) - hz
        p, q, r = max(a, 0.0), max(b, 0.0), max(c, 0.0)
        return math.sqrt(p * p + q * q + r * r) + min(max(a, b, c), 0.0)
    if shape == CYLINDER:
        a, c = math.sqrt(a * a + b * b) - hx, abs(c) - hz
        p, r = max(a, 0.0), max(c, 0.0)
        return math.sqrt(p * p + r * r) + min(max(a, c), 0.0)
    c = max(abs(c) - (hz - hx), 0.0)
    return math.sqrt(a * a + b * b + c * c) - hx


@routine
def away(solid: F64, n: int, x: float, y: float, z: float, h: float) -> tuple[float, float, float]:
    """Unit direction out of solid n at a point: the gradient of its distance, over ±h [m]."""
    a = gap(solid, n, x + h, y, z) - gap(solid, n, x - h, y, z)
    b = gap(solid, n, x, y + h, z) - gap(solid, n, x, y - h, z)
    c = gap(solid, n, x, y, z + h) - gap(solid, n, x, y, z - h)
    norm = math.sqrt(a * a + b * b + c * c)
    if norm < 1e-12:
        return 0.0, 0.0, 1.0
    return a / norm, b / norm, c / norm


@routine
def filled(solid: F64, n: int, x: float, y: float, z: float, edge: float) -> float:
    """Share of the cube about a point that solid n fills."""
    middle = gap(solid, n, x, y, z)
    if middle > _CORNER * edge:
        return 0.0
    if middle < -_CORNER * edge:
        return 1.0
    fine, total = edge / _FINE, 0.0
    for i in range(_FINE):
        for j in range(_FINE):
            for k in range(_FINE):
                g = gap(
                    solid, n, x + (i + 0.5) * fine - 0.5 * edge, y + (j + 0.5) * fine - 0.5 * edge,
                    z + (k + 0.5) * fine - 0.5 * edge,
                )  # fmt: skip
                total += min(max(0.5 - g / fine, 0.0), 1.0)
    return total / _FINE**3

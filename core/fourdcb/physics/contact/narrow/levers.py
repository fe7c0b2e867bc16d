"""The lever of torsional friction: the mean distance of a patch's points from its centroid."""

from __future__ import annotations

import math

from fourdcb.arrays import F64
from fourdcb.physics.contact.compiled import compiled


@compiled
def polygon_lever(p: F64, at: int, count: int) -> tuple[float, float]:
    """(area [m²], mean distance from the centroid [m]) of a convex polygon.

    Over a triangle with its apex in the centroid and the opposite side on a line at distance h, the integral
    of r is h³ / 6 [tan φ sec φ + asinh tan φ] between the side's ends (in polar coordinates).

    Args:
        p: corners counter-clockwise, x at ``at + 3 k``, y behind it.
        at: where they start.
        count: number of corners.
    """
    area, mx, my = 0.0, 0.0, 0.0
    x0, y0 = p[at], p[at + 1]
    for k in range(1, count - 1):
        c = at + 3 * k
        ax, ay, bx, by = p[c] - x0, p[c + 1] - y0, p[c + 3] - x0, p[c + 4] - y0
        a = 0.5 * (ax * by - ay * bx)
        area += a
        mx += a * (ax + bx) / 3.0
        my += a * (ay + by) / 3.0
    if area <= 0.0:
        return 0.0, 0.0
    cx, cy = x0 + mx / area, y0 + my / area
    moment = 0.0
    for k in range(count):
        c, d = at + 3 * k, at + 3 * (k + 1 if k + 1 < count else 0)
        ax, ay, bx, by = p[c] - cx, p[c + 1] - cy, p[d] - cx, p[d + 1] - cy
        side = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2)
        h = (ax * by - ay * bx) / side if side > 0.0 else 0.0
        if h > 0.0:
            ta = (ax * (bx - ax) + ay * (by - ay)) / (side * h)
            tb = (bx * (bx - ax) + by * (by - ay)) / (side * h)
            moment += h**3 / 6.0 * (_sweep(tb) - _sweep(ta))
    return area, moment / area


@compiled
def _sweep(t: float) -> float:
    root = math.sqrt(1.0 + t * t)
    return t * root + math.copysign(math.log(abs(t) + root), t)

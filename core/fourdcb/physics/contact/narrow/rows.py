"""Writing contacts: rows in the frame of the second part first, turned into the world at the end."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.table import Contacts, Workspace
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, across, add, cross, dot, sub, turn

F64 = NDArray[np.float64]


@compiled
def put(out: Contacts, n: int, point: Vec, normal: Vec, distance: float, feature: int) -> int:
    """Writes row n, if there is room, and returns n + 1: a count beyond the capacity is told."""
    if n < out.distance.shape[0]:
        for k in range(3):
            out.point[n, k] = point[k]
            out.normal[n, k] = normal[k]
        out.distance[n] = distance
        out.feature[n] = feature
        out.patch[n, 0] = 0.0
        out.patch[n, 1] = 0.0
    return n + 1


@compiled
def to_world(out: Contacts, first: int, n: int, m: Mat, place: Vec, flip: bool, feature: int) -> None:
    """Turns rows first … n - 1 into the world; ``flip`` turns normals round, keys grow by ``feature``."""
    for k in range(first, min(n, out.distance.shape[0])):
        p = add(turn(m, (out.point[k, 0], out.point[k, 1], out.point[k, 2])), place)
        d = turn(m, (out.normal[k, 0], out.normal[k, 1], out.normal[k, 2]))
        sign = -1.0 if flip else 1.0
        for x in range(3):
            out.point[k, x] = p[x]
            out.normal[k, x] = sign * d[x]
        out.feature[k] += feature


@compiled
def thin_out(out: Contacts, first: int, n: int, keep: int) -> int:
    """Keeps the deepest row and those farthest from the ones kept so far, ``keep`` in all, in their order."""
    n = min(n, out.distance.shape[0])
    if n - first <= keep:
        return n
    best = first
    for k in range(first + 1, n):
        if out.distance[k] < out.distance[best]:
            best = k
    _swap(out, first, best)
    for chosen in range(first + 1, first + keep):
        best, far = chosen, -1.0
        for k in range(chosen, n):
            near = math.inf
            for c in range(first, chosen):
                d = 0.0
                for x in range(3):
                    d += (out.point[k, x] - out.point[c, x]) ** 2
                near = min(near, d)
            if near > far:
                best, far = k, near
        _swap(out, chosen, best)
    return first + keep


@compiled
def _swap(out: Contacts, i: int, j: int) -> None:
    if i == j:
        return
    for x in range(3):
        out.point[i, x], out.point[j, x] = out.point[j, x], out.point[i, x]
        out.normal[i, x], out.normal[j, x] = out.normal[j, x], out.normal[i, x]
    out.distance[i], out.distance[j] = out.distance[j], out.distance[i]
    out.feature[i], out.feature[j] = out.feature[j], out.feature[i]


@compiled
def write_patch(out: Contacts, work: Workspace, first: int, n: int) -> None:
    """Area and mean lever of the convex polygon of rows first … n - 1, which share a normal."""
    count = min(n, out.distance.shape[0]) - first
    if count < 3 or count > work.corners.shape[0]:
        return
    normal = (out.normal[first, 0], out.normal[first, 1], out.normal[first, 2])
    e1 = across(normal)
    e2 = cross(normal, e1)
    p = work.corners
    cx, cy = 0.0, 0.0
    origin = (out.point[first, 0], out.point[first, 1], out.point[first, 2])
    for k in range(count):
        d = sub((out.point[first + k, 0], out.point[first + k, 1], out.point[first + k, 2]), origin)
        p[k, 0], p[k, 1] = dot(d, e1), dot(d, e2)
        cx += p[k, 0] / count
        cy += p[k, 1] / count
    for k in range(count):
        p[k, 2] = math.atan2(p[k, 1] - cy, p[k, 0] - cx)
    for k in range(1, count):  # sorted by angle about the mean
        x, y, angle = p[k, 0], p[k, 1], p[k, 2]
        m = k - 1
        while m >= 0 and p[m, 2] > angle:
            p[m + 1, 0], p[m + 1, 1], p[m + 1, 2] = p[m, 0], p[m, 1], p[m, 2]
            m -= 1
        p[m + 1, 0], p[m + 1, 1], p[m + 1, 2] = x, y, angle
    area, lever = polygon_lever(p, count)
    for k in range(first, first + count):
        out.patch[k, 0] = area
        out.patch[k, 1] = lever


@compiled
def polygon_lever(p: F64, count: int) -> tuple[float, float]:
    """(area, mean distance from the centroid) of a convex polygon, corners counter-clockwise.

    Over a triangle with its apex in the centroid and the opposite side on a line at distance h, the integral
    of r is h³ / 6 [tan φ sec φ + asinh tan φ] between the side's ends (in polar coordinates).
    """
    area, mx, my = 0.0, 0.0, 0.0
    x0, y0 = p[0, 0], p[0, 1]
    for k in range(1, count - 1):
        ax, ay, bx, by = p[k, 0] - x0, p[k, 1] - y0, p[k + 1, 0] - x0, p[k + 1, 1] - y0
        a = 0.5 * (ax * by - ay * bx)
        area += a
        mx += a * (ax + bx) / 3.0
        my += a * (ay + by) / 3.0
    if area <= 0.0:
        return 0.0, 0.0
    cx, cy = x0 + mx / area, y0 + my / area
    moment = 0.0
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        ax, ay, bx, by = p[k, 0] - cx, p[k, 1] - cy, p[m, 0] - cx, p[m, 1] - cy
        side = math.hypot(bx - ax, by - ay)
        h = (ax * by - ay * bx) / side if side > 0.0 else 0.0
        if h > 0.0:
            ta = (ax * (bx - ax) + ay * (by - ay)) / (side * h)
            tb = (bx * (bx - ax) + by * (by - ay)) / (side * h)
            moment += h**3 / 6.0 * (_whole(tb) - _whole(ta))
    return area, moment / area


@compiled
def _whole(t: float) -> float:
    return t * math.sqrt(1.0 + t * t) + math.asinh(t)

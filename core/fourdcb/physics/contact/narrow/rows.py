"""Rows in the making: in scratch memory, in the frame of the part that is looked from."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.narrow.levers import polygon_lever
from fourdcb.physics.contact.narrow.scratch import MAX_ROWS, POLYGON, ROOM, ROW_WIDTH
from fourdcb.physics.contact.narrow.table import Workspace
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, across, add, cross, dot, sub, turn

POINT, NORMAL, DISTANCE, AREA, LEVER, KEY = 0, 3, 6, 7, 8, 9
# Over a face, keys below this are features of what lies there alone.
OWN_KEYS = 4096


@compiled
def put(work: Workspace, n: int, point: Vec, normal: Vec, distance: float, key: int) -> int:
    """Writes row n and returns n + 1."""
    if n >= MAX_ROWS:
        return n
    r, k = work.real, ROW_WIDTH * n
    r[k], r[k + 1], r[k + 2] = point[0], point[1], point[2]
    r[k + 3], r[k + 4], r[k + 5] = normal[0], normal[1], normal[2]
    r[k + DISTANCE], r[k + AREA], r[k + LEVER], r[k + KEY] = distance, 0.0, 0.0, key
    return n + 1


@inline
def vector_at(work: Workspace, n: int, column: int) -> Vec:
    """Point or normal of row n."""
    k = ROW_WIDTH * n + column
    return (work.real[k], work.real[k + 1], work.real[k + 2])


@inline
def distance_at(work: Workspace, n: int) -> float:
    """Distance of row n [m]."""
    return work.real[ROW_WIDTH * n + DISTANCE]


@compiled
def move_rows(work: Workspace, first: int, n: int, m: Mat, t: Vec, flip: bool) -> None:
    """Moves rows first … n - 1 by m, t; ``flip`` turns their normals round."""
    for i in range(first, n):
        p = add(turn(m, vector_at(work, i, POINT)), t)
        d = turn(m, vector_at(work, i, NORMAL))
        sign, k = -1.0 if flip else 1.0, ROW_WIDTH * i
        for x in range(3):
            work.real[k + POINT + x] = p[x]
            work.real[k + NORMAL + x] = sign * d[x]


@compiled
def add_key(work: Workspace, first: int, n: int, key: int) -> None:
    """Adds to the keys of rows first … n - 1."""
    for i in range(first, n):
        work.real[ROW_WIDTH * i + KEY] += key


@compiled
def set_patch(work: Workspace, first: int, n: int, area: float, lever: float) -> None:
    """Gives rows first … n - 1 a patch."""
    for i in range(first, n):
        work.real[ROW_WIDTH * i + AREA] = area
        work.real[ROW_WIDTH * i + LEVER] = lever


@compiled
def least_distance(work: Workspace, first: int, n: int) -> float:
    """The least distance among rows first … n - 1; inf for none."""
    least = math.inf
    for i in range(first, n):
        least = min(least, distance_at(work, i))
    return least


@compiled
def thin_out(work: Workspace, first: int, n: int, keep: int) -> int:
    """Keeps the deepest row and those farthest from the ones kept so far, ``keep`` in all."""
    if n - first <= keep:
        return n
    best = first
    for k in range(first + 1, n):
        if distance_at(work, k) < distance_at(work, best):
            best = k
    _swap(work, first, best)
    for chosen in range(first + 1, first + keep):
        best, far = chosen, -1.0
        for k in range(chosen, n):
            near = math.inf
            for c in range(first, chosen):
                d = sub(vector_at(work, k, POINT), vector_at(work, c, POINT))
                near = min(near, dot(d, d))
            if near > far:
                best, far = k, near
        _swap(work, chosen, best)
    return first + keep


@compiled
def copy_row(work: Workspace, source: int, target: int) -> None:
    """Writes row ``source`` over row ``target``."""
    if source != target:
        for x in range(ROW_WIDTH):
            work.real[ROW_WIDTH * target + x] = work.real[ROW_WIDTH * source + x]


@compiled
def _swap(work: Workspace, i: int, j: int) -> None:
    for x in range(ROW_WIDTH):
        a, b = ROW_WIDTH * i + x, ROW_WIDTH * j + x
        kept = work.real[a]
        work.real[a] = work.real[b]
        work.real[b] = kept


@compiled
def measure_patch(work: Workspace, first: int, n: int) -> None:
    """Area and mean lever of the convex polygon of rows first … n - 1, which share a normal."""
    count = n - first
    if count < 3 or count > work.whole[ROOM]:
        return
    r, at = work.real, POLYGON
    normal = vector_at(work, first, NORMAL)
    e1 = across(normal)
    e2 = cross(normal, e1)
    origin = vector_at(work, first, POINT)
    cx, cy = 0.0, 0.0
    for k in range(count):
        d = sub(vector_at(work, first + k, POINT), origin)
        r[at + 3 * k], r[at + 3 * k + 1] = dot(d, e1), dot(d, e2)
        cx += r[at + 3 * k] / count
        cy += r[at + 3 * k + 1] / count
    for k in range(count):
        r[at + 3 * k + 2] = math.atan2(r[at + 3 * k + 1] - cy, r[at + 3 * k] - cx)
    for k in range(1, count):  # sorted by angle about the mean
        x, y, angle = r[at + 3 * k], r[at + 3 * k + 1], r[at + 3 * k + 2]
        m = k - 1
        while m >= 0 and r[at + 3 * m + 2] > angle:
            for c in range(3):
                r[at + 3 * m + 3 + c] = r[at + 3 * m + c]
            m -= 1
        r[at + 3 * m + 3], r[at + 3 * m + 4], r[at + 3 * m + 5] = x, y, angle
    area, lever = polygon_lever(r, at, count)
    set_patch(work, first, n, area, lever)

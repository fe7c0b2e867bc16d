"""Every convex part against a half space, z ≤ 0 in its own frame: exact lowest points."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rims import candidate, candidate_key, lowest_points, rim_points
from fourdcb.physics.contact.narrow.rows import measure_patch, put, set_patch, thin_out
from fourdcb.physics.contact.narrow.table import (
    BOX,
    CAPSULE,
    HULL,
    MAX_CONTACTS,
    SPHERE,
    ShapeTable,
    Workspace,
    kind_of,
    size_of,
    vertex,
    vertex0,
)
from fourdcb.physics.contact.narrow.vectors import Mat, Vec

_UP = (0.0, 0.0, 1.0)


@compiled
def half_space_pair(table: ShapeTable, work: Workspace, a: int, m: Mat, t: Vec, margin: float, n: int) -> int:
    """Part a, at ``m``, ``t`` in the half space's frame; returns the new number of rows."""
    kind = kind_of(table, a)
    if kind == SPHERE:
        return _drop(work, n, t[0], t[1], t[2] - size_of(table, a, 0), margin, 0)
    if kind == CAPSULE:
        radius, half = size_of(table, a, 0), size_of(table, a, 1)
        n = _drop(work, n, t[0] - half * m[2], t[1] - half * m[5], t[2] - half * m[8] - radius, margin, 0)
        return _drop(work, n, t[0] + half * m[2], t[1] + half * m[5], t[2] + half * m[8] - radius, margin, 1)
    first = n
    if kind == BOX or kind == HULL:
        for v in range(vertex0(table, a), vertex0(table, a + 1)):
            x, y, z = vertex(table, v)
            low = m[6] * x + m[7] * y + m[8] * z + t[2]
            if low <= margin:
                px = m[0] * x + m[1] * y + m[2] * z + t[0]
                py = m[3] * x + m[4] * y + m[5] * z + t[1]
                n = _drop(work, n, px, py, low, margin, v - vertex0(table, a))
        n = thin_out(work, first, n, MAX_CONTACTS)
        measure_patch(work, first, n)
        return n
    down = (-m[6], -m[7], -m[8])  # the half space's -z in the part's frame
    count = lowest_points(table, work, a, down)
    for k in range(count):
        n = _at(work, n, m, t, candidate(work, k), margin, candidate_key(work, k))
    level = n
    count, area, lever = rim_points(table, work, a, down)
    for k in range(count):
        n = _at(work, n, m, t, candidate(work, k), margin, candidate_key(work, k))
    if count > 0 and n - level == count:
        set_patch(work, first, n, area, lever)
    return n


@compiled
def _at(work: Workspace, n: int, m: Mat, t: Vec, p: Vec, margin: float, key: int) -> int:
    x = m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + t[0]
    y = m[3] * p[0] + m[4] * p[1] + m[5] * p[2] + t[1]
    z = m[6] * p[0] + m[7] * p[1] + m[8] * p[2] + t[2]
    return _drop(work, n, x, y, z, margin, key)


@compiled
def _drop(work: Workspace, n: int, x: float, y: float, z: float, margin: float, key: int) -> int:
    if z > margin or not math.isfinite(z):
        return n
    return put(work, n, (x, y, 0.5 * z), _UP, z, key)

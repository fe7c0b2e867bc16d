"""Every convex part against a half space, z ≤ 0 in its own frame: exact lowest points."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rims import lowest_points, rim_points
from fourdcb.physics.contact.narrow.rows import put, thin_out, write_patch
from fourdcb.physics.contact.narrow.table import (
    BOX,
    CAPSULE,
    HULL,
    MAX_CONTACTS,
    SPHERE,
    Contacts,
    ShapeTable,
    Workspace,
)
from fourdcb.physics.contact.narrow.vectors import Mat, Vec

_UP = (0.0, 0.0, 1.0)


@compiled
def half_space_pair(
    table: ShapeTable, work: Workspace, a: int, m: Mat, t: Vec, margin: float, out: Contacts, n: int
) -> int:
    """Part a, at ``m``, ``t`` in the half space's frame; returns the new number of rows."""
    kind = table.kind[a]
    if kind == SPHERE:
        return _drop(out, n, t[0], t[1], t[2] - table.size[a, 0], margin, 0)
    if kind == CAPSULE:
        radius, half = table.size[a, 0], table.size[a, 1]
        n = _drop(out, n, t[0] - half * m[2], t[1] - half * m[5], t[2] - half * m[8] - radius, margin, 0)
        return _drop(out, n, t[0] + half * m[2], t[1] + half * m[5], t[2] + half * m[8] - radius, margin, 1)
    first = n
    if kind == BOX or kind == HULL:
        for v in range(table.vertex0[a], table.vertex0[a + 1]):
            x, y, z = table.vertex[v, 0], table.vertex[v, 1], table.vertex[v, 2]
            low = m[6] * x + m[7] * y + m[8] * z + t[2]
            if low <= margin:
                px = m[0] * x + m[1] * y + m[2] * z + t[0]
                py = m[3] * x + m[4] * y + m[5] * z + t[1]
                n = _drop(out, n, px, py, low, margin, v - table.vertex0[a])
        n = thin_out(out, first, n, MAX_CONTACTS)
        write_patch(out, work, first, n)
        return n
    down = (-m[6], -m[7], -m[8])  # the half space's -z in the part's frame
    count = lowest_points(table, work, a, down)
    for k in range(count):
        p = (work.points[k, 0], work.points[k, 1], work.points[k, 2])
        n = _at(out, n, m, t, p, margin, work.point_ids[k])
    level = n
    count, area, lever = rim_points(table, work, a, down)
    for k in range(count):
        p = (work.points[k, 0], work.points[k, 1], work.points[k, 2])
        n = _at(out, n, m, t, p, margin, work.point_ids[k])
    if count > 0 and n - level == count:
        for k in range(first, min(n, out.distance.shape[0])):
            out.patch[k, 0], out.patch[k, 1] = area, lever
    return n


@compiled
def _at(out: Contacts, n: int, m: Mat, t: Vec, p: Vec, margin: float, key: int) -> int:
    x = m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + t[0]
    y = m[3] * p[0] + m[4] * p[1] + m[5] * p[2] + t[1]
    z = m[6] * p[0] + m[7] * p[1] + m[8] * p[2] + t[2]
    return _drop(out, n, x, y, z, margin, key)


@compiled
def _drop(out: Contacts, n: int, x: float, y: float, z: float, margin: float, key: int) -> int:
    if z > margin or not math.isfinite(z):
        return n
    return put(out, n, (x, y, 0.5 * z), _UP, z, key)

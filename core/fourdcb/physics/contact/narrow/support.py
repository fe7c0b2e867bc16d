"""Support points: the farthest point of a part in a direction, in the part's frame."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.table import BOX, CAPSULE, CONE, CYLINDER, HULL, ShapeTable
from fourdcb.physics.contact.narrow.vectors import Vec


@compiled
def core_support(table: ShapeTable, part: int, d: Vec) -> Vec:
    """Support point of a part without its rounding (of a sphere its centre, of a capsule its segment)."""
    kind = table.kind[part]
    if kind == BOX:
        return (
            math.copysign(table.size[part, 0], d[0]),
            math.copysign(table.size[part, 1], d[1]),
            math.copysign(table.size[part, 2], d[2]),
        )
    if kind == HULL:
        v = farthest_vertex(table, part, d)
        return (table.vertex[v, 0], table.vertex[v, 1], table.vertex[v, 2])
    if kind == CAPSULE:
        return (0.0, 0.0, math.copysign(table.size[part, 1], d[2]))
    if kind == CYLINDER:
        r, h = table.size[part, 0], table.size[part, 1]
        wide = math.sqrt(d[0] * d[0] + d[1] * d[1])
        z = math.copysign(h, d[2])
        if wide > 0.0:
            return (r * d[0] / wide, r * d[1] / wide, z)
        return (0.0, 0.0, z)
    if kind == CONE:
        r, h = table.size[part, 0], table.size[part, 1]
        wide = math.sqrt(d[0] * d[0] + d[1] * d[1])
        if h * d[2] > r * wide:
            return (0.0, 0.0, 0.75 * h)
        if wide > 0.0:
            return (r * d[0] / wide, r * d[1] / wide, -0.25 * h)
        return (0.0, 0.0, -0.25 * h)
    return (0.0, 0.0, 0.0)


@compiled
def rounding(table: ShapeTable, part: int) -> float:
    """Radius by which a part's core is blown up: of spheres and capsules."""
    return table.size[part, 0] if table.kind[part] <= CAPSULE else 0.0


@compiled
def farthest_vertex(table: ShapeTable, part: int, d: Vec) -> int:
    """Index of a hull's or box's vertex farthest along d."""
    best, far = table.vertex0[part], -math.inf
    for v in range(table.vertex0[part], table.vertex0[part + 1]):
        s = table.vertex[v, 0] * d[0] + table.vertex[v, 1] * d[1] + table.vertex[v, 2] * d[2]
        if s > far:
            best, far = v, s
    return best

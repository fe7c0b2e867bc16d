"""Support points: the farthest point of a part in a direction, in the part's frame."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.table import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    HULL,
    ShapeTable,
    kind_of,
    size_of,
    vertex,
    vertex0,
)
from fourdcb.physics.contact.narrow.vectors import Vec, dot


@compiled
def core_support(table: ShapeTable, part: int, d: Vec) -> Vec:
    """Support point of a part without its rounding (of a sphere its centre, of a capsule its segment)."""
    kind = kind_of(table, part)
    if kind == BOX:
        return (
            math.copysign(size_of(table, part, 0), d[0]),
            math.copysign(size_of(table, part, 1), d[1]),
            math.copysign(size_of(table, part, 2), d[2]),
        )
    if kind == HULL:
        v = farthest_vertex(table, part, d)
        return vertex(table, v)
    if kind == CAPSULE:
        return (0.0, 0.0, math.copysign(size_of(table, part, 1), d[2]))
    if kind == CYLINDER:
        r, h = size_of(table, part, 0), size_of(table, part, 1)
        wide = math.sqrt(d[0] * d[0] + d[1] * d[1])
        z = math.copysign(h, d[2])
        if wide > 0.0:
            return (r * d[0] / wide, r * d[1] / wide, z)
        return (0.0, 0.0, z)
    if kind == CONE:
        r, h = size_of(table, part, 0), size_of(table, part, 1)
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
    return size_of(table, part, 0) if kind_of(table, part) <= CAPSULE else 0.0


@compiled
def farthest_vertex(table: ShapeTable, part: int, d: Vec) -> int:
    """Index of a hull's or box's vertex farthest along d."""
    best, far = vertex0(table, part), -math.inf
    for v in range(vertex0(table, part), vertex0(table, part + 1)):
        s = dot(vertex(table, v), d)
        if s > far:
            best, far = v, s
    return best

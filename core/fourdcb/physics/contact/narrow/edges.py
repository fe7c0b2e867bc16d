"""Straight edges and generators that meet in a line, where the normal is that of no flat face."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.planes import is_polyhedral
from fourdcb.physics.contact.narrow.rows import put
from fourdcb.physics.contact.narrow.support import farthest_vertex
from fourdcb.physics.contact.narrow.table import (
    CAPSULE,
    CONE,
    CYLINDER,
    ShapeTable,
    Workspace,
    edge,
    edge0,
    kind_of,
    reach_of,
    size_of,
    vertex,
)
from fourdcb.physics.contact.narrow.vectors import (
    Mat,
    Vec,
    add,
    along,
    cross,
    dot,
    length,
    middle,
    scaled,
    sub,
    turn,
    turn_back,
)

_SLOPE = 0.05  # sine of the angle to the normal's plane up to which an edge counts as lying in it
_LINE = 1e-4  # share of a reach by which two edges may part sideways and still meet in a line
# (whether there is one, its ends, radius of the surface around it, key)
Edge = tuple[bool, Vec, Vec, float, int]


@compiled
def edge_manifold(
    table: ShapeTable, a: int, b: int, m: Mat, t: Vec, normal: Vec, margin: float, work: Workspace, n: int
) -> int:
    """Two rows where straight edges of a and b run along each other; none otherwise. In the frame of b."""
    has_b, b0, b1, round_b, key_b = supporting_edge(table, b, normal)
    if not has_b:
        return n
    has_a, a0, a1, round_a, key_a = supporting_edge(table, a, turn_back(m, scaled(normal, -1.0)))
    if not has_a:
        return n
    a0, a1 = add(turn(m, a0), t), add(turn(m, a1), t)
    e, f = sub(b1, b0), sub(a1, a0)
    long = length(e)
    if dot(e, f) < 0.0:
        a0, a1, f = a1, a0, scaled(f, -1.0)
    e = scaled(e, 1.0 / long)
    fe = dot(f, e)
    if fe <= 0.9 * length(f):
        return n
    lo, hi = max(0.0, dot(sub(a0, b0), e)), min(long, dot(sub(a1, b0), e))
    reach = reach_of(table, a) + reach_of(table, b)
    if hi - lo <= 1e-6 * min(long, fe):
        return n
    aside = cross(normal, e)
    xa0 = along(a0, (lo - dot(sub(a0, b0), e)) / fe, f)
    xa1 = along(a0, (hi - dot(sub(a0, b0), e)) / fe, f)
    xb0, xb1 = along(b0, lo, e), along(b0, hi, e)
    y0, y1 = dot(sub(xa0, xb0), aside), dot(sub(xa1, xb1), aside)
    bend = round_a + round_b
    if max(abs(y0), abs(y1)) > (0.1 * bend if bend > 0.0 else _LINE * reach):
        return n
    g0, g1 = dot(sub(xa0, xb0), normal), dot(sub(xa1, xb1), normal)
    if bend > 0.0:
        g0 += 0.5 * y0 * y0 / bend
        g1 += 0.5 * y1 * y1 / bend
    first = n
    key = (key_a * 4096 + key_b) * 2
    if g0 <= margin:
        n = put(work, n, middle(xa0, xb0), normal, g0, key)
    if g1 <= margin:
        n = put(work, n, middle(xa1, xb1), normal, g1, key + 1)
    return n if n > first else first


@compiled
def supporting_edge(table: ShapeTable, part: int, d: Vec) -> Edge:
    """The straight edge or generator of a part that lies farthest along d (unit), in the part's frame."""
    if is_polyhedral(table, part):
        return _polyhedron_edge(table, part, d)
    kind = kind_of(table, part)
    radius, size = size_of(table, part, 0), size_of(table, part, 1)
    wide = math.sqrt(d[0] * d[0] + d[1] * d[1])
    none = (False, d, d, 0.0, 0)
    if wide == 0.0:
        return none
    u = (radius * d[0] / wide, radius * d[1] / wide)
    if kind == CYLINDER or kind == CAPSULE:
        if abs(d[2]) > _SLOPE:
            return none
        return True, (u[0], u[1], -size), (u[0], u[1], size), radius, 0
    if kind == CONE:
        slant = math.sqrt(radius * radius + size * size)
        if abs(d[2] * size - wide * radius) > _SLOPE * slant:
            return none
        return True, (u[0], u[1], -0.25 * size), (0.0, 0.0, 0.75 * size), 0.5 * radius, 0
    return none


@compiled
def _polyhedron_edge(table: ShapeTable, part: int, d: Vec) -> Edge:
    top = farthest_vertex(table, part, d)
    best, least = -1, _SLOPE
    for k in range(edge0(table, part), edge0(table, part + 1)):
        v, w = edge(table, k, 0), edge(table, k, 1)
        if v == top or w == top:
            e = sub(vertex(table, w), vertex(table, v))
            slope = abs(dot(e, d)) / length(e)
            if slope < least:
                best, least = k, slope
    if best < 0:
        return False, d, d, 0.0, 0
    v, w = edge(table, best, 0), edge(table, best, 1)
    p = vertex(table, v)
    q = vertex(table, w)
    return True, p, q, 0.0, best - edge0(table, part) + 1

"""A ball on a triangle that may stand for a piece of a curved surface.

Inside a triangle the normal goes from corner normal to corner normal, and the surface lies above the flat
triangle by half of what Boubekeur and Alexa (Phong Tessellation, SIGGRAPH Asia 2008) add: on an arc that is
the chord's sagitta, to third order, and its slope fits the normal.
"""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rows import put
from fourdcb.physics.contact.narrow.table import (
    ShapeTable,
    Workspace,
    corner_normal,
    face0,
    face_normal,
    fold_of,
    normal_across,
    reach_of,
    size_of,
    vertex,
    vertex0,
)
from fourdcb.physics.contact.narrow.vectors import Vec, add, along, cross, dot, scaled, sub, unit

_STEPS = 12
_BORDER = 1e-9  # share of a triangle by which a foot may lie outside it


@compiled
def ball_on_triangle(
    table: ShapeTable, work: Workspace, a: int, triangle: int, c: Vec, margin: float, n: int
) -> int:
    """Row of ball a, centred at c in the triangle's frame."""
    radius = size_of(table, a, 0)
    own = face_normal(table, face0(table, triangle))
    v0 = vertex0(table, triangle)
    p0, p1, p2 = vertex(table, v0), vertex(table, v0 + 1), vertex(table, v0 + 2)
    high = dot(sub(c, p0), own)
    if high > radius + margin + reach_of(table, triangle) or high < -radius:
        return n
    normal, foot, share = own, along(c, -high, own), (0.0, 0.0, 0.0)
    for _ in range(_STEPS):
        foot = along(c, -high / dot(normal, own), normal)
        share = _shares(p0, p1, p2, own, foot)
        inner = _clamped(share)
        n0, n1, n2 = (
            corner_normal(table, triangle, 0),
            corner_normal(table, triangle, 1),
            corner_normal(table, triangle, 2),
        )
        new = unit(add(add(scaled(n0, inner[0]), scaled(n1, inner[1])), scaled(n2, inner[2])))
        step = sub(new, normal)
        normal = new
        if dot(step, step) < 1e-24:
            break
    if share[0] >= -_BORDER and share[1] >= -_BORDER and share[2] >= -_BORDER:
        rise = 0.0
        for k in range(3):
            nk, pk, s = n0, p0, share[0]
            if k == 1:
                nk, pk, s = n1, p1, share[1]
            elif k == 2:
                nk, pk, s = n2, p2, share[2]
            rise -= 0.5 * s * dot(sub(foot, pk), nk) * dot(nk, normal)
        gap = dot(sub(c, foot), normal) - rise - radius
        if gap > margin:
            return n
        return put(work, n, along(c, -radius - 0.5 * gap, normal), normal, gap, 0)
    return _on_border(table, work, triangle, c, radius, own, margin, n)


@compiled
def _on_border(
    table: ShapeTable, work: Workspace, triangle: int, c: Vec, radius: float, own: Vec, margin: float, n: int
) -> int:
    """Row of a ball that meets a sharp ridge of the triangle, or a corner on one."""
    v0 = vertex0(table, triangle)
    best, point, key = math.inf, c, -1
    for side in range(3):
        p, q = vertex(table, v0 + side), vertex(table, v0 + (side + 1) % 3)
        e = sub(q, p)
        s = min(max(dot(sub(c, p), e) / dot(e, e), 0.0), 1.0)
        x = along(p, s, e)
        far = dot(sub(c, x), sub(c, x))
        if far < best:
            best, point, key = far, x, side
    distance = math.sqrt(best)
    if distance - radius > margin or distance == 0.0:
        return n
    d = scaled(sub(c, point), 1.0 / distance)
    for side in range(3):
        p, q = vertex(table, v0 + side), vertex(table, v0 + (side + 1) % 3)
        e = unit(sub(q, p))
        outward = cross(e, own)
        if dot(sub(point, p), outward) < -1e-9 * reach_of(table, triangle):
            continue
        # The point lies on this side: the ball must be beyond it, and not over the neighbour.
        across = normal_across(table, triangle, side)
        if fold_of(table, triangle, side) <= 0.0 or dot(d, outward) < 0.0 or dot(d, cross(e, across)) > 0.0:
            return n
        if dot(own, across) > _SMOOTH and _is_curved(table, triangle):
            return n
    return put(work, n, along(c, -radius - 0.5 * (distance - radius), d), d, distance - radius, 1 + key)


_SMOOTH = math.cos(math.radians(23.0))


@compiled
def _is_curved(table: ShapeTable, triangle: int) -> bool:
    own = face_normal(table, face0(table, triangle))
    for k in range(3):
        if dot(corner_normal(table, triangle, k), own) < 1.0 - 1e-12:
            return True
    return False


@compiled
def _shares(p0: Vec, p1: Vec, p2: Vec, own: Vec, x: Vec) -> Vec:
    """Barycentric coordinates of a point of the triangle's plane."""
    area = dot(cross(sub(p1, p0), sub(p2, p0)), own)
    u = dot(cross(sub(p1, x), sub(p2, x)), own) / area
    v = dot(cross(sub(p2, x), sub(p0, x)), own) / area
    return (u, v, 1.0 - u - v)


@compiled
def _clamped(share: Vec) -> Vec:
    u, v, w = max(share[0], 0.0), max(share[1], 0.0), max(share[2], 0.0)
    total = u + v + w
    return (u / total, v / total, w / total)

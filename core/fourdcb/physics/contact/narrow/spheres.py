"""A ball against every convex part: the part's point nearest to the centre, in closed form or by faces."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rows import put
from fourdcb.physics.contact.narrow.table import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    SPHERE,
    ShapeTable,
    Workspace,
    face0,
    face_normal,
    face_offset,
    kind_of,
    loop,
    loop0,
    reach_of,
    size_of,
    vertex,
    vertex0,
)
from fourdcb.physics.contact.narrow.vectors import Vec, along, cross, dot, length, scaled, sub

_NEAR = 1e-12  # of a size: nearer to a surface than this, the direction comes from the surface


@compiled
def sphere_pair(table: ShapeTable, a: int, b: int, c: Vec, margin: float, work: Workspace, n: int) -> int:
    """Ball a, centred at ``c`` in part b's frame."""
    radius = size_of(table, a, 0)
    distance, normal, feature = nearest(table, b, c, margin + radius)
    gap = distance - radius
    if gap > margin:
        return n
    return put(work, n, along(c, -radius - 0.5 * gap, normal), normal, gap, feature)


@compiled
def nearest(table: ShapeTable, part: int, c: Vec, limit: float) -> tuple[float, Vec, int]:
    """(signed distance, outward direction, feature) of point c from a convex part, in the part's frame.

    A distance beyond ``limit`` may be told too small, but never below the limit.
    """
    kind = kind_of(table, part)
    if kind == BOX:
        return _box(table, part, c)
    if kind == SPHERE:
        return _ball(c, (0.0, 0.0, 0.0), size_of(table, part, 0), 0)
    if kind == CAPSULE:
        half = size_of(table, part, 1)
        z = min(max(c[2], -half), half)
        return _ball(c, (0.0, 0.0, z), size_of(table, part, 0), 1 if z == c[2] else 0)
    if kind == CYLINDER:
        return _cylinder(table, part, c)
    if kind == CONE:
        return _cone(table, part, c)
    return _hull(table, part, c, limit)


@compiled
def _ball(c: Vec, centre: Vec, radius: float, feature: int) -> tuple[float, Vec, int]:
    d = sub(c, centre)
    far = length(d)
    if far > _NEAR * radius:
        return far - radius, scaled(d, 1.0 / far), feature
    return far - radius, (1.0, 0.0, 0.0), feature


@compiled
def _box(table: ShapeTable, part: int, c: Vec) -> tuple[float, Vec, int]:
    hx, hy, hz = size_of(table, part, 0), size_of(table, part, 1), size_of(table, part, 2)
    x, y, z = abs(c[0]) - hx, abs(c[1]) - hy, abs(c[2]) - hz
    sx, sy, sz = math.copysign(1.0, c[0]), math.copysign(1.0, c[1]), math.copysign(1.0, c[2])
    px, py, pz = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    far = math.sqrt(px * px + py * py + pz * pz)
    if far > _NEAR * (hx + hy + hz):
        feature = (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)
        return far, (sx * px / far, sy * py / far, sz * pz / far), feature
    if x >= y and x >= z:
        return x, (sx, 0.0, 0.0), 1
    if y >= z:
        return y, (0.0, sy, 0.0), 2
    return z, (0.0, 0.0, sz), 4


@compiled
def _cylinder(table: ShapeTable, part: int, c: Vec) -> tuple[float, Vec, int]:
    radius, half = size_of(table, part, 0), size_of(table, part, 1)
    wide = math.sqrt(c[0] * c[0] + c[1] * c[1])
    ux, uy = (c[0] / wide, c[1] / wide) if wide > 0.0 else (1.0, 0.0)
    side, cap = wide - radius, abs(c[2]) - half
    sz = math.copysign(1.0, c[2])
    if side > 0.0 and cap > 0.0:
        far = math.sqrt(side * side + cap * cap)
        return far, (side / far * ux, side / far * uy, sz * cap / far), 3
    if side >= cap:
        return side, (ux, uy, 0.0), 1
    return cap, (0.0, 0.0, sz), 2


@compiled
def _cone(table: ShapeTable, part: int, c: Vec) -> tuple[float, Vec, int]:
    radius, height = size_of(table, part, 0), size_of(table, part, 1)
    wide = math.sqrt(c[0] * c[0] + c[1] * c[1])
    ux, uy = (c[0] / wide, c[1] / wide) if wide > 0.0 else (1.0, 0.0)
    z = c[2] + 0.25 * height
    slant = math.sqrt(radius * radius + height * height)
    out_r, out_z = height / slant, radius / slant  # outward normal of the side in the plane (r, z)
    side, base = (wide - radius) * out_r + z * out_z, -z
    s = (wide - radius) * -out_z + z * out_r  # along the side, from the rim up
    if side <= 0.0 and base <= 0.0:
        if side >= base:
            return side, (out_r * ux, out_r * uy, out_z), 1
        return base, (0.0, 0.0, -1.0), 2
    if base > 0.0 and wide <= radius:
        return base, (0.0, 0.0, -1.0), 2
    if s < 0.0:  # nearest to the rim
        far = math.sqrt((wide - radius) ** 2 + z * z)
        if far > _NEAR * slant:
            return far, ((wide - radius) / far * ux, (wide - radius) / far * uy, z / far), 3
    elif s > slant:  # nearest to the apex
        far = math.sqrt(wide * wide + (z - height) ** 2)
        if far > _NEAR * slant:
            return far, (wide / far * ux, wide / far * uy, (z - height) / far), 4
    return side, (out_r * ux, out_r * uy, out_z), 1


@compiled
def _hull(table: ShapeTable, part: int, c: Vec, limit: float) -> tuple[float, Vec, int]:
    face, s = face0(table, part), -math.inf
    for f in range(face0(table, part), face0(table, part + 1)):
        d = dot(face_normal(table, f), c) - face_offset(table, f)
        if d > s:
            face, s = f, d
    normal = face_normal(table, face)
    if s <= 0.0 or s > limit:
        return s, normal, face - face0(table, part)
    best, point, feature = math.inf, c, 0
    for f in range(face0(table, part), face0(table, part + 1)):
        d = dot(face_normal(table, f), c) - face_offset(table, f)
        if d > 0.0 and d * d < best:
            q, key = _on_face(table, part, f, c, d)
            gap = sub(c, q)
            if dot(gap, gap) < best:
                best, point, feature = dot(gap, gap), q, key
    far = math.sqrt(best)
    if far <= _NEAR * reach_of(table, part):
        return far, normal, face - face0(table, part)
    return far, scaled(sub(c, point), 1.0 / far), feature


@compiled
def _on_face(table: ShapeTable, part: int, f: int, c: Vec, d: float) -> tuple[Vec, int]:
    """The point of a face nearest to c, which lies ``d`` above the face's plane, and its feature."""
    normal = face_normal(table, f)
    foot = along(c, -d, normal)
    best, point, inside = math.inf, foot, True
    key = f - face0(table, part)
    l0, l1 = loop0(table, f), loop0(table, f + 1)
    for k in range(l0, l1):
        v, w = loop(table, k), loop(table, k + 1 if k + 1 < l1 else l0)
        p = vertex(table, v)
        e = sub(vertex(table, w), p)
        x = sub(foot, p)
        outward = cross(e, normal)
        if dot(x, outward) > 0.0:
            inside = False
            s = min(max(dot(x, e) / dot(e, e), 0.0), 1.0)
            q = along(p, s, e)
            gap = sub(foot, q)
            if dot(gap, gap) < best:
                best, point = dot(gap, gap), q
                lo, hi = min(v, w) - vertex0(table, part), max(v, w) - vertex0(table, part)
                if s <= 0.0:
                    key = 4096 + v - vertex0(table, part)
                elif s >= 1.0:
                    key = 4096 + w - vertex0(table, part)
                else:
                    key = 8192 + lo * 4096 + hi
    return (foot, key) if inside else (point, key)

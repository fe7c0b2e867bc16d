"""Manifolds of flat discs (caps, bases) with polygons and with each other: true circles.

The rows are corners of the region that two faces cover together: corners of one over the other, and crossings
of their borders. A disc's corners are points of its rim (see ``rims``).
"""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.lines import over_disc, over_face
from fourdcb.physics.contact.narrow.planes import face_plane, is_polyhedral
from fourdcb.physics.contact.narrow.rims import CORNER, LEVEL, LOWEST, RIM, cap_height
from fourdcb.physics.contact.narrow.rows import measure_patch, put, set_patch, thin_out
from fourdcb.physics.contact.narrow.table import (
    MAX_CONTACTS,
    ShapeTable,
    Workspace,
    face0,
    loop,
    loop0,
    size_of,
    vertex,
)
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, add, along, dot, sub, turn, turn_back

_SAME: Mat = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_HERE: Vec = (0.0, 0.0, 0.0)
# Keys of points on the other face, on the own one, of crossings with a polygon's sides, of two circles.
_ITS, _OWN, _SIDE, _CIRCLES = 0, 1 << 16, 1 << 15, 1 << 17
_TANGENT = 1e-4  # share of a side that has to lie over the disc: a tangent adds nothing
# Normal and offset of the own plane; the same of the other one; cosine between the two normals.
Planes = tuple[Vec, float, Vec, float, float]


@compiled
def disc_manifold(
    table: ShapeTable,
    work: Workspace,
    part: int,
    face: int,
    other: int,
    its: int,
    m: Mat,
    t: Vec,
    margin: float,
    n: int,
) -> int:
    """Rows where face ``its`` of ``other`` lies over ``face`` of ``part``, in the frame of ``part``."""
    first = n
    normal, offset = face_plane(table, part, face)
    facing, high = face_plane(table, other, its)
    facing = turn(m, facing)
    high += dot(facing, t)
    planes = (normal, offset, facing, high, dot(facing, normal))
    whole = -1
    if is_polyhedral(table, other):
        n = _sides(table, other, its, m, t, part, _SAME, _HERE, planes, False, margin, work, n)
    else:
        n = _rim(table, other, its, m, t, part, face, _SAME, _HERE, planes, False, margin, work, n)
        whole = other if n - first >= RIM else whole
    second = n
    if is_polyhedral(table, part):
        n = _sides(table, part, face, _SAME, _HERE, other, m, t, planes, True, margin, work, n)
    else:
        n = _rim(table, part, face, _SAME, _HERE, other, its, m, t, planes, True, margin, work, n)
        whole = part if n - second >= RIM else whole
        if not is_polyhedral(table, other):
            n = _circles(table, part, face, other, its, m, t, planes, margin, work, n)
    n = thin_out(work, first, n, MAX_CONTACTS)
    if whole >= 0:
        radius = size_of(table, whole, 0)
        set_patch(work, first, n, math.pi * radius * radius, 2.0 / 3.0 * radius)
    else:
        measure_patch(work, first, n)
    return n


@compiled
def _meet(x: Vec, planes: Planes, own: bool, margin: float, work: Workspace, n: int, key: int) -> int:
    """Row of a point on the own plane or on the other one, where the gap along the normal is small enough."""
    normal, offset, facing, high, lean = planes
    gap = (high - dot(facing, x)) / lean if own else dot(normal, x) - offset
    if gap > margin:
        return n
    return put(work, n, along(x, 0.5 * gap if own else -0.5 * gap, normal), normal, gap, key)


@compiled
def _rim(
    table: ShapeTable, disc: int, cap: int, m: Mat, t: Vec, base: int, face: int, m_base: Mat, t_base: Vec,
    planes: Planes, own: bool, margin: float, work: Workspace, n: int,
) -> int:  # fmt: skip
    """Points of a disc's rim over a face: its corners, and the one nearest to the other plane."""
    radius, z = size_of(table, disc, 0), cap_height(table, disc, cap)
    key = _OWN if own else _ITS
    if own:
        away = planes[2]
        nearest = turn_back(m, away)
    else:
        nearest = turn_back(m, planes[0])
    wide = math.sqrt(nearest[0] * nearest[0] + nearest[1] * nearest[1])
    for k in range(-1, RIM):
        if k < 0:
            if wide <= LEVEL:
                continue
            p = (-radius * nearest[0] / wide, -radius * nearest[1] / wide, z)
        else:
            angle = 2.0 * math.pi * k / RIM
            p = (radius * math.cos(angle), radius * math.sin(angle), z)
        x = add(turn(m, p), t)
        lo, hi = over_face(table, base, face, turn_back(m_base, sub(x, t_base)), _HERE)
        if lo <= hi:
            n = _meet(
                x, planes, own, margin, work, n, key + (LOWEST + cap if k < 0 else CORNER + RIM * cap + k)
            )
    return n


@compiled
def _sides(
    table: ShapeTable, part: int, face: int, m: Mat, t: Vec, disc: int, m_disc: Mat, t_disc: Vec,
    planes: Planes, own: bool, margin: float, work: Workspace, n: int,
) -> int:  # fmt: skip
    """Corners of a polygon over a disc, and crossings of its sides with the circle."""
    f = face0(table, part) + face
    l0, l1 = loop0(table, f), loop0(table, f + 1)
    key = _OWN if own else _ITS
    for k in range(l0, l1):
        v, w = loop(table, k), loop(table, k + 1 if k + 1 < l1 else l0)
        p = add(turn(m, vertex(table, v)), t)
        q = add(turn(m, vertex(table, w)), t)
        e = sub(q, p)
        lo, hi = over_disc(size_of(table, disc, 0), turn_back(m_disc, sub(p, t_disc)), turn_back(m_disc, e))
        if lo > hi or (lo > 0.0 and hi < 1.0 and hi - lo < _TANGENT):
            continue
        own_key = key + 3 * (k - l0) + (_SIDE if lo > 0.0 else 0)
        n = _meet(along(p, lo, e), planes, own, margin, work, n, own_key)
        if lo < hi < 1.0:
            n = _meet(along(p, hi, e), planes, own, margin, work, n, key + _SIDE + 3 * (k - l0) + 1)
    return n


@compiled
def _circles(
    table: ShapeTable, part: int, face: int, other: int, its: int, m: Mat, t: Vec,
    planes: Planes, margin: float, work: Workspace, n: int,
) -> int:  # fmt: skip
    """Crossings of two circles, on the own one."""
    c = add(turn(m, (0.0, 0.0, cap_height(table, other, its))), t)
    own_radius, radius = size_of(table, part, 0), size_of(table, other, 0)
    dd = c[0] * c[0] + c[1] * c[1]
    d = math.sqrt(dd)
    if d >= own_radius + radius or d <= abs(own_radius - radius) or d == 0.0:
        return n
    a = 0.5 * (own_radius * own_radius - radius * radius + dd) / d
    h = math.sqrt(max(0.0, own_radius * own_radius - a * a))
    ux, uy, z = c[0] / d, c[1] / d, cap_height(table, part, face)
    n = _meet((a * ux - h * uy, a * uy + h * ux, z), planes, True, margin, work, n, _CIRCLES)
    return _meet((a * ux + h * uy, a * uy - h * ux, z), planes, True, margin, work, n, _CIRCLES + 1)

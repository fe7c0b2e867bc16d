"""Rims, generators and capsules over a flat face: the exact lowest points, and the line between them."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rims import candidate, lowest_points
from fourdcb.physics.contact.narrow.rows import OWN_KEYS, put
from fourdcb.physics.contact.narrow.support import rounding
from fourdcb.physics.contact.narrow.table import (
    BOX,
    CAPSULE,
    HULL,
    ShapeTable,
    Workspace,
    face0,
    face_normal,
    kind_of,
    loop,
    loop0,
    size_of,
    vertex,
)
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, add, along, cross, dot, sub, turn


@compiled
def line_manifold(
    table: ShapeTable,
    work: Workspace,
    part: int,
    face: int,
    other: int,
    m: Mat,
    t: Vec,
    normal: Vec,
    offset: float,
    down: Vec,
    margin: float,
    n: int,
) -> int:
    """Rows of a capsule, cylinder or cone that does not lie flat, over a face; in the face's part's frame."""
    if kind_of(table, other) == CAPSULE:
        p, q = (0.0, 0.0, -size_of(table, other, 1)), (0.0, 0.0, size_of(table, other, 1))
    else:
        count = lowest_points(table, work, other, down)
        if count == 0:
            return n
        p, q = candidate(work, 0), candidate(work, count - 1)
    p, q = add(turn(m, p), t), add(turn(m, q), t)
    lo, hi = over_face(table, part, face, p, sub(q, p))
    if lo > hi:
        return n
    round_off = rounding(table, other)
    for end in range(2):
        f = hi if end else lo
        key = end if f == end else end + OWN_KEYS  # an end of its own, or where the face ends
        x = along(p, f, sub(q, p))
        gap = dot(normal, x) - offset - round_off
        if gap <= margin and (end == 0 or (hi > lo and p != q)):
            n = put(work, n, along(x, -round_off - 0.5 * gap, normal), normal, gap, key)
    return n


@compiled
def over_face(table: ShapeTable, part: int, face: int, p: Vec, e: Vec) -> tuple[float, float]:
    """Shares of the segment p … p + e that lie over a face of a part: lo > hi where none does."""
    lo, hi = 0.0, 1.0
    kind = kind_of(table, part)
    if kind != BOX and kind != HULL:
        return over_disc(size_of(table, part, 0), p, e)
    f = face0(table, part) + face
    normal = face_normal(table, f)
    l0, l1 = loop0(table, f), loop0(table, f + 1)
    for k in range(l0, l1):
        v = vertex(table, loop(table, k))
        w = vertex(table, loop(table, k + 1 if k + 1 < l1 else l0))
        o = cross(sub(w, v), normal)
        s = dot(o, sub(p, v))
        s -= 1e-9 * dot(o, o)
        r = dot(o, e)
        if r > 0.0:
            hi = min(hi, -s / r)
        elif r < 0.0:
            lo = max(lo, -s / r)
        elif s > 0.0:
            return 1.0, 0.0
    return lo, hi


@compiled
def over_disc(radius: float, p: Vec, e: Vec) -> tuple[float, float]:
    """The same over a disc around the z axis."""
    radius *= 1.0 + 1e-9
    ee = e[0] * e[0] + e[1] * e[1]
    pe = p[0] * e[0] + p[1] * e[1]
    pp = p[0] * p[0] + p[1] * p[1] - radius * radius
    if ee == 0.0:
        return (0.0, 1.0) if pp <= 0.0 else (1.0, 0.0)
    root = pe * pe - ee * pp
    if root < 0.0:
        return 1.0, 0.0
    root = math.sqrt(root)
    return max(0.0, (-pe - root) / ee), min(1.0, (-pe + root) / ee)

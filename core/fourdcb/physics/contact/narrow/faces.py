"""Flat faces: the one that separates best, and the manifold over it."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.clip import clip_by_face, corner, corner_key, load_face
from fourdcb.physics.contact.narrow.discs import disc_manifold
from fourdcb.physics.contact.narrow.lines import line_manifold
from fourdcb.physics.contact.narrow.planes import face_count, face_plane, facing, is_polyhedral
from fourdcb.physics.contact.narrow.rims import flat_cap
from fourdcb.physics.contact.narrow.rows import measure_patch, put, thin_out
from fourdcb.physics.contact.narrow.support import core_support, rounding
from fourdcb.physics.contact.narrow.table import CAPSULE, MAX_CONTACTS, ShapeTable, Workspace, kind_of
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, add, along, dot, turn, turn_back


@compiled
def best_face(table: ShapeTable, part: int, other: int, m: Mat, t: Vec) -> tuple[int, float]:
    """The face above which ``other``, at m, t in the part's frame, lies highest, and its height; -1: none."""
    best, high = -1, -math.inf
    round_off = rounding(table, other)
    for f in range(face_count(table, part)):
        normal, offset = face_plane(table, part, f)
        low = core_support(table, other, turn_back(m, (-normal[0], -normal[1], -normal[2])))
        s = dot(normal, add(turn(m, low), t)) - offset - round_off
        if s > high:
            best, high = f, s
    return best, high


@compiled
def face_manifold(
    table: ShapeTable,
    work: Workspace,
    part: int,
    face: int,
    other: int,
    m: Mat,
    t: Vec,
    margin: float,
    n: int,
) -> int:
    """Rows of ``other`` over a face of ``part``, in the part's frame; normals point out of the face."""
    normal, offset = face_plane(table, part, face)
    down = turn_back(m, (-normal[0], -normal[1], -normal[2]))
    if is_polyhedral(table, other):
        its = facing(table, other, down)
        if is_polyhedral(table, part):
            return _polygons(table, work, part, face, other, its, m, t, normal, offset, margin, n)
        return disc_manifold(table, work, part, face, other, its, m, t, margin, n)
    if kind_of(table, other) != CAPSULE:
        cap = flat_cap(table, other, down)
        if cap >= 0:
            return disc_manifold(table, work, part, face, other, cap, m, t, margin, n)
    return line_manifold(table, work, part, face, other, m, t, normal, offset, down, margin, n)


@compiled
def _polygons(
    table: ShapeTable,
    work: Workspace,
    part: int,
    face: int,
    other: int,
    its: int,
    m: Mat,
    t: Vec,
    normal: Vec,
    offset: float,
    margin: float,
    n: int,
) -> int:
    first = n
    count = load_face(table, work, other, its, m, t)
    count = clip_by_face(table, work, part, face, count)
    for k in range(count):
        x = corner(work, k)
        gap = dot(normal, x) - offset
        if gap <= margin:
            n = put(work, n, along(x, -0.5 * gap, normal), normal, gap, corner_key(work, k))
    n = thin_out(work, first, n, MAX_CONTACTS)
    measure_patch(work, first, n)
    return n

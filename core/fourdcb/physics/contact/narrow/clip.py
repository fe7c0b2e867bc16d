"""The polygon in which two faces meet: Sutherland and Hodgman, Reentrant Polygon Clipping, CACM 17 (1974)."""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.narrow.scratch import IDS, POLYGON, ROOM
from fourdcb.physics.contact.narrow.table import (
    ShapeTable,
    Workspace,
    face0,
    face_normal,
    loop,
    loop0,
    vertex,
    vertex0,
)
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, add, cross, dot, sub, turn

# Sides of the clipping face are numbered from here on; more than a face has.
_SIDES = 4096
# A corner: its place, the number of the side that starts there, its height over a clipping plane.
_WIDTH = 5


@inline
def corner(work: Workspace, k: int) -> Vec:
    """Corner k of the polygon."""
    c = POLYGON + _WIDTH * k
    return (work.real[c], work.real[c + 1], work.real[c + 2])


@inline
def corner_key(work: Workspace, k: int) -> int:
    """Its key: a vertex, or a crossing of two sides."""
    return work.whole[IDS + k]


@compiled
def load_face(table: ShapeTable, work: Workspace, part: int, face: int, m: Mat, t: Vec) -> int:
    """Makes the polygon a face of ``part``, numbered from 0, moved by m, t; returns its number of corners."""
    l0 = loop0(table, face0(table, part) + face)
    count = loop0(table, face0(table, part) + face + 1) - l0
    for k in range(count):
        v = loop(table, l0 + k)
        p = add(turn(m, vertex(table, v)), t)
        _store(work, 0, k, p, float(k), v - vertex0(table, part))
    return count


@compiled
def clip_by_face(table: ShapeTable, work: Workspace, part: int, face: int, count: int) -> int:
    """Cuts the polygon to what lies over a face of ``part`` (same frame); returns the corners left."""
    f = face0(table, part) + face
    normal = face_normal(table, f)
    l0, l1 = loop0(table, f), loop0(table, f + 1)
    for k in range(l0, l1):
        p, q = vertex(table, loop(table, k)), vertex(table, loop(table, k + 1 if k + 1 < l1 else l0))
        count = _cut(work, count, p, cross(sub(q, p), normal), k - l0)
        if count == 0:
            break
    return count


@inline
def _store(work: Workspace, copy: int, k: int, p: Vec, side: float, key: int) -> None:
    room = work.whole[ROOM]
    c = POLYGON + _WIDTH * (copy * room + k)
    work.real[c], work.real[c + 1], work.real[c + 2], work.real[c + 3] = p[0], p[1], p[2], side
    work.whole[IDS + copy * room + k] = key


@compiled
def _cut(work: Workspace, count: int, origin: Vec, outward: Vec, side: int) -> int:
    """Keeps what lies on the inner side of one plane."""
    r, room = work.real, work.whole[ROOM]
    # What lies on the plane within rounding stays: a corner does not turn into two crossings and back.
    near = 1e-9 * dot(outward, outward)
    any_out = False
    for k in range(count):
        s = dot(outward, sub(corner(work, k), origin))
        r[POLYGON + _WIDTH * k + 4] = s
        any_out = any_out or s > near
    if not any_out:
        return count
    kept = 0
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        s, e = r[POLYGON + _WIDTH * k + 4], r[POLYGON + _WIDTH * m + 4]
        p, number = corner(work, k), r[POLYGON + _WIDTH * k + 3]
        if s <= near:
            _store(work, 1, kept, p, number, work.whole[IDS + k])
            kept += 1
        if (s <= near) != (e <= near) and kept < room:
            f = min(max(s / (s - e), 0.0), 1.0)
            q = corner(work, m)
            x = (p[0] + f * (q[0] - p[0]), p[1] + f * (q[1] - p[1]), p[2] + f * (q[2] - p[2]))
            begins = float(_SIDES + side) if s <= near else number
            _store(work, 1, kept, x, begins, _SIDES * (1 + int(number)) + side)
            kept += 1
    for k in range(kept):
        for c in range(4):
            r[POLYGON + _WIDTH * k + c] = r[POLYGON + _WIDTH * (room + k) + c]
        work.whole[IDS + k] = work.whole[IDS + room + k]
    return kept

"""The one door of the narrow phase: contacts of two bodies."""

from __future__ import annotations

from fourdcb.arrays import F64
from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.convex import convex_pair
from fourdcb.physics.contact.narrow.half_spaces import half_space_pair
from fourdcb.physics.contact.narrow.rows import (
    AREA,
    DISTANCE,
    KEY,
    LEVER,
    NORMAL,
    POINT,
    add_key,
    move_rows,
    vector_at,
)
from fourdcb.physics.contact.narrow.scratch import ROW_WIDTH
from fourdcb.physics.contact.narrow.spheres import sphere_pair
from fourdcb.physics.contact.narrow.surfaces import surface_pair
from fourdcb.physics.contact.narrow.table import (
    HALF_SPACE,
    MESH,
    SPHERE,
    Contacts,
    ShapeTable,
    Workspace,
    axes_of,
    is_turned,
    kind_of,
    part0,
    place_of,
    reach_of,
)
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, add, dot, product, relative, sub, turn, turn_back

_PART_KEY = 1 << 28  # features of one pair of parts lie below


@compiled
def collide(
    table: ShapeTable,
    work: Workspace,
    i: int,
    j: int,
    pos_i: F64,
    rot_i: F64,
    pos_j: F64,
    rot_j: F64,
    margin: float,
    out: Contacts,
    first: int,
) -> int:
    """Contacts of bodies i and j whose distance is at most ``margin``, into rows from ``first`` on.

    Args:
        table, work: shapes, and scratch memory that no other thread uses.
        i, j: bodies; either order gives the same points and opposite normals.
        pos_i, pos_j: origins of the bodies' frames [m], shape (3,).
        rot_i, rot_j: rotations world_from_body, shape (3, 3).
        margin: [m], ≥ 0.
        out: rows to fill in.
        first: the first row.

    Returns:
        One past the last row. More than ``len(out.distance)`` when there was no room for all: what did not
        fit is counted and not written.
    """
    n = 0
    place_i, place_j = (pos_i[0], pos_i[1], pos_i[2]), (pos_j[0], pos_j[1], pos_j[2])
    m_i, m_j = _matrix(rot_i), _matrix(rot_j)
    for p in range(part0(table, i), part0(table, i + 1)):
        axes_p, at_p = _placed(table, p, m_i, place_i)
        for q in range(part0(table, j), part0(table, j + 1)):
            axes_q, at_q = _placed(table, q, m_j, place_j)
            if kind_of(table, p) > kind_of(table, q) or (kind_of(table, p) == kind_of(table, q) and i > j):
                key = (q - part0(table, j)) * 4096 + (p - part0(table, i))
                n = _parts(table, work, q, p, axes_q, at_q, axes_p, at_p, margin, n, True, key)
            else:
                key = (p - part0(table, i)) * 4096 + (q - part0(table, j))
                n = _parts(table, work, p, q, axes_p, at_p, axes_q, at_q, margin, n, False, key)
    for k in range(min(n, out.distance.shape[0] - first)):
        point, normal, row = vector_at(work, k, POINT), vector_at(work, k, NORMAL), ROW_WIDTH * k
        for x in range(3):
            out.point[first + k, x] = point[x]
            out.normal[first + k, x] = normal[x]
        out.distance[first + k] = work.real[row + DISTANCE]
        out.patch[first + k, 0] = work.real[row + AREA]
        out.patch[first + k, 1] = work.real[row + LEVER]
        out.feature[first + k] = int(work.real[row + KEY])
    return first + n


@compiled
def _parts(
    table: ShapeTable,
    work: Workspace,
    a: int,
    b: int,
    axes_a: Mat,
    at_a: Vec,
    axes_b: Mat,
    at_b: Vec,
    margin: float,
    n: int,
    flip: bool,
    key: int,
) -> int:
    """Contacts of two parts, the kind of a not above that of b; worked out in the frame of b."""
    away = sub(at_a, at_b)
    reach = reach_of(table, a) + reach_of(table, b) + margin
    if dot(away, away) > reach * reach:
        return n
    if kind_of(table, a) >= HALF_SPACE:  # two things that never move
        return n
    t = turn_back(axes_b, away)
    first = n
    if kind_of(table, a) == SPHERE and kind_of(table, b) < HALF_SPACE:
        n = sphere_pair(table, a, b, t, margin, work, n)
    else:
        m = relative(axes_a, axes_b)
        if kind_of(table, b) == MESH:
            n = surface_pair(table, work, a, b, m, t, margin, n)
        elif kind_of(table, b) == HALF_SPACE:
            n = half_space_pair(table, work, a, m, t, margin, n)
        else:
            n = convex_pair(table, work, a, b, m, t, margin, n)
    move_rows(work, first, n, axes_b, at_b, flip)
    add_key(work, first, n, key * _PART_KEY)
    return n


@compiled
def _matrix(r: F64) -> Mat:
    return (r[0, 0], r[0, 1], r[0, 2], r[1, 0], r[1, 1], r[1, 2], r[2, 0], r[2, 1], r[2, 2])


@compiled
def _placed(table: ShapeTable, part: int, m: Mat, place: Vec) -> tuple[Mat, Vec]:
    """Axes and origin of a part in the world."""
    if not is_turned(table, part):
        return m, place
    return product(m, axes_of(table, part)), add(turn(m, place_of(table, part)), place)

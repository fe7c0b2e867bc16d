"""The one door of the narrow phase: contacts of two bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics.contact.compiled import compiled, entry
from fourdcb.physics.contact.narrow.convex import convex_pair
from fourdcb.physics.contact.narrow.half_spaces import half_space_pair
from fourdcb.physics.contact.narrow.rows import to_world
from fourdcb.physics.contact.narrow.spheres import sphere_pair
from fourdcb.physics.contact.narrow.table import HALF_SPACE, SPHERE, Contacts, ShapeTable, Workspace
from fourdcb.physics.contact.narrow.vectors import (
    Mat,
    Vec,
    add,
    dot,
    product,
    relative,
    sub,
    turn,
    turn_back,
)

F64 = NDArray[np.float64]
_PART_KEY = 1 << 36  # features of one pair of parts lie below


@entry
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
    n = first
    place_i, place_j = (pos_i[0], pos_i[1], pos_i[2]), (pos_j[0], pos_j[1], pos_j[2])
    m_i = _matrix(rot_i)
    m_j = _matrix(rot_j)
    for p in range(table.part0[i], table.part0[i + 1]):
        axes_p, at_p = _placed(table, p, m_i, place_i)
        for q in range(table.part0[j], table.part0[j + 1]):
            axes_q, at_q = _placed(table, q, m_j, place_j)
            swap = table.kind[p] > table.kind[q] or (table.kind[p] == table.kind[q] and i > j)
            if swap:
                key = (q - table.part0[j]) * 4096 + (p - table.part0[i])
                n = _parts(table, work, q, p, axes_q, at_q, axes_p, at_p, margin, out, n, True, key)
            else:
                key = (p - table.part0[i]) * 4096 + (q - table.part0[j])
                n = _parts(table, work, p, q, axes_p, at_p, axes_q, at_q, margin, out, n, False, key)
    return n


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
    out: Contacts,
    n: int,
    flip: bool,
    key: int,
) -> int:
    """Contacts of two parts, the kind of a not above that of b; worked out in the frame of b."""
    away = sub(at_a, at_b)
    reach = table.part_reach[a] + table.part_reach[b] + margin
    if dot(away, away) > reach * reach:
        return n
    t = turn_back(axes_b, away)
    first = n
    if table.kind[a] == SPHERE and table.kind[b] != HALF_SPACE:
        n = sphere_pair(table, a, b, t, margin, out, n)
    else:
        m = relative(axes_a, axes_b)
        if table.kind[b] == HALF_SPACE:
            n = half_space_pair(table, work, a, m, t, margin, out, n)
        else:
            n = convex_pair(table, work, a, b, m, t, margin, out, n)
    to_world(out, first, n, axes_b, at_b, flip, key * _PART_KEY)
    return n


@compiled
def _matrix(r: F64) -> Mat:
    return (r[0, 0], r[0, 1], r[0, 2], r[1, 0], r[1, 1], r[1, 2], r[2, 0], r[2, 1], r[2, 2])


@compiled
def _placed(table: ShapeTable, part: int, m: Mat, place: Vec) -> tuple[Mat, Vec]:
    """Axes and origin of a part in the world."""
    if not table.turned[part]:
        return m, place
    own = _matrix(table.axes[part])
    o = (table.place[part, 0], table.place[part, 1], table.place[part, 2])
    return product(m, own), add(turn(m, o), place)

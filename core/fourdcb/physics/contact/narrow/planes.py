"""Flat faces of parts: planes and areas."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rims import cap_height
from fourdcb.physics.contact.narrow.table import BOX, CONE, CYLINDER, HULL, ShapeTable
from fourdcb.physics.contact.narrow.vectors import Vec


@compiled
def is_polyhedral(table: ShapeTable, part: int) -> bool:
    """Whether the part's faces are polygons in the table."""
    return table.kind[part] == BOX or table.kind[part] == HULL


@compiled
def face_count(table: ShapeTable, part: int) -> int:
    """Flat faces of a part: caps of cylinders, the base of a cone."""
    if is_polyhedral(table, part):
        return table.face0[part + 1] - table.face0[part]
    if table.kind[part] == CYLINDER:
        return 2
    return 1 if table.kind[part] == CONE else 0


@compiled
def face_plane(table: ShapeTable, part: int, face: int) -> tuple[Vec, float]:
    """(outward normal, offset) of a part's face, numbered from 0, in the part's frame."""
    if is_polyhedral(table, part):
        f = table.face0[part] + face
        normal = (table.face_normal[f, 0], table.face_normal[f, 1], table.face_normal[f, 2])
        return normal, table.face_offset[f]
    if table.kind[part] == CYLINDER and face == 1:
        return (0.0, 0.0, 1.0), table.size[part, 1]
    return (0.0, 0.0, -1.0), -cap_height(table, part, 0)


@compiled
def face_area(table: ShapeTable, part: int, face: int) -> float:
    """[m²]."""
    if is_polyhedral(table, part):
        return table.face_area[table.face0[part] + face]
    return math.pi * table.size[part, 0] ** 2


@compiled
def facing(table: ShapeTable, part: int, d: Vec) -> int:
    """The polygonal face, numbered from 0, that looks most along d."""
    best, far = 0, -math.inf
    for f in range(table.face0[part], table.face0[part + 1]):
        s = table.face_normal[f, 0] * d[0] + table.face_normal[f, 1] * d[1] + table.face_normal[f, 2] * d[2]
        if s > far:
            best, far = f - table.face0[part], s
    return best

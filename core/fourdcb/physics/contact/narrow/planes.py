"""Flat faces of parts: planes and areas."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rims import cap_height
from fourdcb.physics.contact.narrow.table import (
    BOX,
    CONE,
    CYLINDER,
    HULL,
    ShapeTable,
    face0,
    face_normal,
    face_offset,
    kind_of,
    polygon_area,
    size_of,
)
from fourdcb.physics.contact.narrow.vectors import Vec, dot


@compiled
def is_polyhedral(table: ShapeTable, part: int) -> bool:
    """Whether the part's faces are polygons in the table."""
    return kind_of(table, part) == BOX or kind_of(table, part) == HULL


@compiled
def face_count(table: ShapeTable, part: int) -> int:
    """Flat faces of a part: caps of cylinders, the base of a cone."""
    if is_polyhedral(table, part):
        return face0(table, part + 1) - face0(table, part)
    if kind_of(table, part) == CYLINDER:
        return 2
    return 1 if kind_of(table, part) == CONE else 0


@compiled
def face_plane(table: ShapeTable, part: int, face: int) -> tuple[Vec, float]:
    """(outward normal, offset) of a part's face, numbered from 0, in the part's frame."""
    if is_polyhedral(table, part):
        f = face0(table, part) + face
        normal = face_normal(table, f)
        return normal, face_offset(table, f)
    if kind_of(table, part) == CYLINDER and face == 1:
        return (0.0, 0.0, 1.0), size_of(table, part, 1)
    return (0.0, 0.0, -1.0), -cap_height(table, part, 0)


@compiled
def face_area(table: ShapeTable, part: int, face: int) -> float:
    """[m²]."""
    if is_polyhedral(table, part):
        return polygon_area(table, face0(table, part) + face)
    return math.pi * size_of(table, part, 0) ** 2


@compiled
def facing(table: ShapeTable, part: int, d: Vec) -> int:
    """The polygonal face, numbered from 0, that looks most along d."""
    best, far = 0, -math.inf
    for f in range(face0(table, part), face0(table, part + 1)):
        s = dot(face_normal(table, f), d)
        if s > far:
            best, far = f - face0(table, part), s
    return best

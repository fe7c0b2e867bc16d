"""The shape table of a world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.physics.contact.narrow.forms import HALF_SPACE_FORM, BodyForm, PartForm
from fourdcb.physics.contact.narrow.primitives import primitive_form
from fourdcb.physics.contact.narrow.table import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    HALF_SPACE,
    HULL,
    SPHERE,
    ShapeTable,
)
from fourdcb.world import Object, Plane, World

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


def shape_table(world: World) -> ShapeTable:
    """Shapes of every body of a world, in the world's order.

    Raises:
        UserError: for a body that cannot be simulated.
    """
    return table_of([body_form(body, base_dir=world.base_dir) for body in world.bodies])


def body_form(body: Object | Plane, *, base_dir: str) -> BodyForm:
    """Form of an object or plane of a world.

    Args:
        body: what it is; ``size`` are full extents [m].
        base_dir: folder that mesh paths are relative to.

    Raises:
        UserError: for a mesh file that cannot be read or simulated, or extents that the geometry cannot have.
    """
    if isinstance(body, Plane):
        return HALF_SPACE_FORM
    if body.geometry == "mesh":
        raise UserError("meshes are not simulated by this engine yet", where=body.name)
    return primitive_form(body.geometry, body.size, name=body.name)


def table_of(forms: Sequence[BodyForm]) -> ShapeTable:
    """The table of bodies given as forms."""
    parts = [part for form in forms for part in form.parts]
    reach = np.array([_part_reach(part) for part in parts])
    place = np.array([part.place for part in parts], dtype=np.float64).reshape(-1, 3)
    part0 = _starts([len(form.parts) for form in forms])
    solids = [part.solid for part in parts]
    faces = [0 if solid is None else len(solid.normal) for solid in solids]
    vertices = [_vertices(part) for part in parts]
    vertex0, face0 = _starts([len(v) for v in vertices]), _starts(faces)
    loops: list[I64] = []
    edges: list[I64] = []
    for solid, v0, f0 in zip(solids, vertex0, face0, strict=False):
        if solid is not None:
            loops += [loop + v0 for loop in solid.loops]
            edges.append(solid.edge + np.array([v0, v0, f0, f0]))
    solid_only = [solid for solid in solids if solid is not None]
    none = np.zeros(len(parts) + 1, dtype=np.int64)
    return ShapeTable(
        part0=part0,
        reach=np.array([_reach(place[a:b], reach[a:b]) for a, b in pairwise(part0)]),
        kind=np.array([part.kind for part in parts], dtype=np.int64),
        size=np.array([part.size for part in parts], dtype=np.float64).reshape(-1, 3),
        turned=np.array([part.axes is not None or any(part.place) for part in parts], dtype=np.int64),
        place=place,
        axes=np.array([np.eye(3) if part.axes is None else part.axes for part in parts]).reshape(-1, 3, 3),
        part_reach=reach,
        vertex0=vertex0,
        vertex=_joined([v.reshape(-1, 3) for v in vertices], (0, 3)),
        face0=face0,
        face_normal=_joined([solid.normal for solid in solid_only], (0, 3)),
        face_offset=_joined([solid.offset for solid in solid_only], (0,)),
        face_area=_joined([solid.area for solid in solid_only], (0,)),
        loop0=_starts([len(loop) for loop in loops]),
        loop=_whole(loops, (0,)),
        edge0=_starts([0 if solid is None else len(solid.edge) for solid in solids]),
        edge=_whole(edges, (0, 4)),
        triangle0=none,
        triangle=np.zeros((0, 3), dtype=np.int64),
        triangle_normal=np.zeros((0, 3)),
        triangle_bend=np.zeros((0, 3)),
        triangle_neighbour=np.zeros((0, 3), dtype=np.int64),
        node0=none,
        node_box=np.zeros((0, 6)),
        node=np.zeros((0, 2), dtype=np.int64),
        leaf=np.zeros(0, dtype=np.int64),
    )


def _vertices(part: PartForm) -> F64:
    return np.zeros((0, 3)) if part.solid is None else part.solid.vertex


def _part_reach(part: PartForm) -> float:
    x, y, z = part.size
    if part.kind == HALF_SPACE:
        return math.inf
    if part.kind == SPHERE:
        return x
    if part.kind == CAPSULE:
        return x + y
    if part.kind == CYLINDER:
        return math.hypot(x, y)
    if part.kind == CONE:
        return max(0.75 * y, math.hypot(x, 0.25 * y))
    if part.kind == BOX:
        return math.hypot(x, y, z)
    assert part.kind == HULL
    return float(np.linalg.norm(_vertices(part), axis=1).max())


def _reach(place: F64, reach: F64) -> float:
    return float((np.linalg.norm(place, axis=1) + reach).max())


def _starts(counts: Sequence[int]) -> I64:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(arrays: Sequence[F64], empty: tuple[int, ...]) -> F64:
    return np.ascontiguousarray(np.concatenate(arrays)) if arrays else np.zeros(empty)


def _whole(arrays: Sequence[I64], empty: tuple[int, ...]) -> I64:
    return np.ascontiguousarray(np.concatenate(arrays)) if arrays else np.zeros(empty, dtype=np.int64)

"""The shape table of a world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.physics.contact.narrow.forms import HALF_SPACE_FORM, BodyForm, PartForm
from fourdcb.physics.contact.narrow.primitives import primitive_form
from fourdcb.physics.contact.narrow.table import (
    BENDS,
    BODIES,
    BOX,
    BOXES,
    CAPSULE,
    CONE,
    CORNERS,
    CYLINDER,
    EDGES,
    FACES,
    HALF_SPACE,
    LOOPS,
    NODES,
    PART_REALS,
    PART_WIDTH,
    PARTS,
    SPHERE,
    TRIANGLES,
    VERTICES,
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
    part0 = _starts([len(form.parts) for form in forms])
    vertices = [_vertices(part) for part in parts]
    vertex0 = _starts([len(v) for v in vertices])
    solids = [part.solid for part in parts]
    face0 = _starts([0 if solid is None else len(solid.normal) for solid in solids])
    edge0 = _starts([0 if solid is None else len(solid.edge) for solid in solids])
    loops: list[I64] = []
    edges: list[I64] = []
    faces: list[F64] = []
    for solid, v0, f0 in zip(solids, vertex0, face0, strict=False):
        if solid is not None:
            loops += [loop + v0 for loop in solid.loops]
            edges.append((solid.edge + np.array([v0, v0, f0, f0])).ravel())
            faces.append(np.column_stack([solid.normal, solid.offset, solid.area]).ravel())
    records = np.zeros((len(parts) + 1, PART_WIDTH), dtype=np.int64)
    records[:-1, 0] = [part.kind for part in parts]
    records[:-1, 1] = [part.axes is not None or any(part.place) for part in parts]
    records[:, 2], records[:, 3], records[:, 4] = vertex0, face0, edge0
    reach = [_part_reach(part) for part in parts]
    real, real_at = _packed(
        [_part_reals(part, r) for part, r in zip(parts, reach, strict=True)],
        {VERTICES: [v.ravel() for v in vertices], FACES: faces, BENDS: [], BOXES: []},
        first=0,
    )
    starts = _starts([len(loop) for loop in loops])
    whole, whole_at = _packed(
        [records.ravel()],
        {LOOPS: [starts], CORNERS: loops, BODIES: [part0], EDGES: edges, TRIANGLES: [], NODES: []},
        first=PARTS,
    )
    head = np.zeros(PARTS, dtype=np.int64)
    for key, at in (real_at | whole_at).items():
        head[key] = at
    return ShapeTable(
        real=real,
        whole=np.concatenate([head, whole]).astype(np.int64),
        reach=np.array(
            [_reach(form, reach[a:b]) for form, (a, b) in zip(forms, pairwise(part0), strict=True)]
        ),
    )


def _packed(
    parts: list[Any], blocks: dict[int, list[Any]], *, first: int
) -> tuple[NDArray[Any], dict[int, int]]:
    """One array of the parts' records and the blocks after them, and where each block starts."""
    pieces, at = list(parts), {}
    length = first + sum(len(piece) for piece in parts)
    for key, arrays in blocks.items():
        at[key] = length
        length += sum(len(a) for a in arrays)
        pieces += arrays
    return np.concatenate(pieces) if pieces else np.zeros(0), at


def _part_reals(part: PartForm, reach: float) -> F64:
    record = np.zeros(PART_REALS)
    record[:3], record[3:6], record[15] = part.size, part.place, reach
    record[6:15] = np.eye(3).ravel() if part.axes is None else np.asarray(part.axes).ravel()
    return record


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
    return float(np.linalg.norm(_vertices(part), axis=1).max())


def _reach(form: BodyForm, reach: list[float]) -> float:
    return max(math.hypot(*part.place) + r for part, r in zip(form.parts, reach, strict=True))


def _starts(counts: Sequence[int]) -> I64:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

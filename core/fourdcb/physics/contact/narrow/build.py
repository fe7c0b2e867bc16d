"""The shape table of a world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, I64
from fourdcb.physics.contact.narrow.forms import HALF_SPACE_FORM, BodyForm, PartForm
from fourdcb.physics.contact.narrow.hulls import Polyhedron
from fourdcb.physics.contact.narrow.meshes import mesh_form
from fourdcb.physics.contact.narrow.primitives import primitive_form
from fourdcb.physics.contact.narrow.table import (
    BODIES,
    BORDERS,
    BOX,
    BOXES,
    CAPSULE,
    CONE,
    CORNERS,
    CYLINDER,
    EDGES,
    FACES,
    HALF_SPACE,
    HULL,
    LOOPS,
    MESH,
    NODES,
    PART_REALS,
    PART_WIDTH,
    PARTS,
    SPHERE,
    VERTICES,
    ShapeTable,
)
from fourdcb.physics.contact.narrow.trees import Surface, surface_of
from fourdcb.world import Object, Plane, World


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
        return mesh_form(body, base_dir=base_dir)
    return primitive_form(body.geometry, body.size, name=body.name)


def table_of(forms: Sequence[BodyForm]) -> ShapeTable:
    """The table of bodies given as forms."""
    parts = [part for form in forms for part in form.parts]
    part0 = _starts([len(form.parts) for form in forms])
    surfaces = [None if part.triangles is None else surface_of(*part.triangles) for part in parts]
    reach = [_part_reach(part) for part in parts]
    bodies = [
        max(math.hypot(*p.place) + r for p, r in zip(parts[a:b], reach[a:b], strict=True))
        for a, b in pairwise(part0)
    ]
    triangle0 = len(parts) + _starts([0 if s is None else len(s.normal) for s in surfaces])
    node0 = _starts([0 if s is None else len(s.node) for s in surfaces])
    own = len(parts)
    for surface in surfaces:
        if surface is not None:
            parts += _triangle_parts(surface)
    blocks = _Solids.of([part.solid for part in parts])
    records = np.zeros((len(parts) + 1, PART_WIDTH), dtype=np.int64)
    records[:-1, 0] = [part.kind for part in parts]
    records[:-1, 1] = [part.axes is not None or any(part.place) for part in parts]
    records[:, 2], records[:, 3], records[:, 4] = blocks.vertex0, blocks.face0, blocks.edge0
    records[:own, 5], records[:own, 6] = triangle0[:-1], node0[:-1]
    records[own:-1, 5] = np.arange(len(parts) - own)
    reach += [_part_reach(part) for part in parts[own:]]
    known = [surface for surface in surfaces if surface is not None]
    real, real_at = _packed(
        [_part_reals(part, r) for part, r in zip(parts, reach, strict=True)],
        {
            VERTICES: blocks.vertices,
            FACES: blocks.faces,
            BORDERS: [_borders(surface) for surface in known],
            BOXES: [surface.box.ravel() for surface in known],
        },
        first=0,
    )
    whole, whole_at = _packed(
        [records.ravel()],
        {
            LOOPS: [_starts([len(loop) for loop in blocks.loops])],
            CORNERS: blocks.loops,
            BODIES: [part0],
            EDGES: blocks.edges,
            NODES: [surface.node.ravel() for surface in known],
        },
        first=PARTS,
    )
    head = np.zeros(PARTS, dtype=np.int64)
    for key, at in (real_at | whole_at).items():
        head[key] = at
    return ShapeTable(real=real, whole=np.concatenate([head, whole]).astype(np.int64), reach=np.array(bodies))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solids:
    """Polyhedra behind each other: where each part's begin, and their pieces flattened."""

    vertex0: I64
    face0: I64
    edge0: I64
    vertices: list[F64]
    faces: list[F64]
    edges: list[I64]
    loops: list[I64]

    @staticmethod
    def of(solids: Sequence[Polyhedron | None]) -> _Solids:
        """The blocks of a list of parts, of which some have a polyhedron."""
        vertex0 = _starts([0 if solid is None else len(solid.vertex) for solid in solids])
        face0 = _starts([0 if solid is None else len(solid.normal) for solid in solids])
        loops: list[I64] = []
        edges: list[I64] = []
        for solid, v0, f0 in zip(solids, vertex0, face0, strict=False):
            if solid is not None:
                loops += [loop + v0 for loop in solid.loops]
                edges.append((solid.edge + np.array([v0, v0, f0, f0])).ravel())
        there = [solid for solid in solids if solid is not None]
        return _Solids(
            vertex0=vertex0,
            face0=face0,
            edge0=_starts([0 if solid is None else len(solid.edge) for solid in solids]),
            vertices=[solid.vertex.ravel() for solid in there],
            faces=[np.column_stack([s.normal, s.offset, s.area]).ravel() for s in there],
            edges=edges,
            loops=loops,
        )


def _triangle_parts(surface: Surface) -> list[PartForm]:
    """Every triangle as a hull of one face, about its own middle."""
    middle = surface.corners.mean(axis=1)
    corners = surface.corners - middle[:, None]
    area = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    loop, edge = np.arange(3), np.array([[0, 1, 0, 0], [1, 2, 0, 0], [2, 0, 0, 0]])
    parts = []
    for k in range(len(corners)):
        normal = surface.normal[k]
        solid = Polyhedron(
            vertex=corners[k],
            normal=normal[None],
            offset=np.array([float((corners[k] @ normal).mean())]),
            area=area[k : k + 1],
            loops=(loop,),
            edge=edge,
        )
        place = (float(middle[k, 0]), float(middle[k, 1]), float(middle[k, 2]))
        parts.append(PartForm(kind=HULL, place=place, solid=solid))
    return parts


def _borders(surface: Surface) -> F64:
    count = len(surface.normal)
    return np.concatenate(
        [surface.corner_normal.reshape(count, 9), surface.across.reshape(count, 9), surface.fold], axis=1
    ).ravel()


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
    if part.kind == MESH:
        assert part.triangles is not None
        return float(np.linalg.norm(part.triangles[0], axis=1).max())
    assert part.solid is not None
    return float(np.linalg.norm(part.solid.vertex, axis=1).max())


def _starts(counts: Sequence[int]) -> I64:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

"""Mesh files as forms: a smooth primitive, one polyhedron, convex pieces, or the triangles themselves."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import quaternion_from_rotation, rotation_from_quaternion
from fourdcb.physics.contact.narrow.forms import BodyForm, PartForm, Quat, Vec3
from fourdcb.physics.contact.narrow.hulls import convex_hull
from fourdcb.physics.contact.narrow.primitives import primitive_form
from fourdcb.physics.contact.narrow.recognise import Found, recognised
from fourdcb.physics.contact.narrow.table import HULL, MESH
from fourdcb.physics.solid import closed_surface, principal_frame
from fourdcb.world import Object
from fourdcb.world.mesh import object_mesh

# Share of its hull that a mesh fills from which it is its hull: of what moves, where the pieces of a
# decomposition would be coarser than that, and of what stands still.
_CONVEX_MOVING, _CONVEX_STILL = 0.97, 1.0 - 1e-6


def mesh_form(obj: Object, *, base_dir: str) -> BodyForm:
    """Form of an object with a mesh file; solid, of even density.

    Raises:
        UserError: when the surface is not closed, has no volume, or cannot be cut into convex pieces.
    """
    mesh = object_mesh(obj, base_dir=base_dir)
    return _form(
        mesh.vertices.tobytes(),
        mesh.faces.astype(np.int64).tobytes(),
        obj.name,
        str(obj.mesh),
        obj.kind == "dynamic",
    )


@lru_cache(maxsize=32)
def _form(vertices: bytes, faces: bytes, name: str, file: str, moves: bool) -> BodyForm:
    corners = np.frombuffer(vertices, dtype=np.float64).reshape(-1, 3)
    surface, offset = closed_surface(
        corners, np.frombuffer(faces, dtype=np.int64).reshape(-1, 3), name=name, file=file
    )
    hull = surface.convex_hull
    if surface.volume >= (_CONVEX_MOVING if moves else _CONVEX_STILL) * hull.volume:
        found = recognised(hull)
        if found is not None:
            return _as_primitive(found, offset, name)
    center, rotation, moments = principal_frame(surface)
    axes = quaternion_from_rotation(rotation)

    def in_body(points: Any) -> F64:
        return (np.asarray(points, dtype=np.float64) - center) @ rotation

    if surface.volume >= (_CONVEX_MOVING if moves else _CONVEX_STILL) * hull.volume:
        parts: tuple[PartForm, ...] = (_hull_part(in_body(hull.vertices)),)
    elif moves:
        parts = tuple(_hull_part(in_body(piece)) for piece in _pieces(surface))
    else:
        triangles = (in_body(surface.vertices), np.asarray(surface.faces, dtype=np.int64))
        parts = (PartForm(kind=MESH, triangles=triangles),)
    return BodyForm(
        parts=parts,
        center=_triple(center + offset),
        axes_wxyz=_four(axes),
        unit_inertia=_triple(moments),
        volume=float(surface.volume),
    )


def _as_primitive(found: Found, offset: F64, name: str) -> BodyForm:
    """A primitive's form, standing along ``axis`` in the object's frame."""
    geometry, size, middle, axis = found
    form = primitive_form(geometry, size, name=name)
    turn = _z_onto(axis)
    center = middle + offset + rotation_from_quaternion(turn) @ np.array(form.center)
    return BodyForm(
        parts=form.parts,
        center=_triple(center),
        axes_wxyz=_four(turn),
        unit_inertia=form.unit_inertia,
        volume=form.volume,
    )


def _hull_part(points: F64) -> PartForm:
    """A convex part whose origin lies inside it."""
    place = 0.5 * (points.min(axis=0) + points.max(axis=0))
    solid = convex_hull(points - place)
    inner = solid.vertex.mean(axis=0)
    return PartForm(kind=HULL, place=_triple(place + inner), solid=convex_hull(points - place - inner))


def _pieces(surface: Any) -> list[F64]:
    from fourdcb.physics.decomposition import convex_pieces

    pieces = convex_pieces(
        np.ascontiguousarray(surface.vertices, dtype=np.float64),
        np.ascontiguousarray(surface.faces, dtype=np.int32),
    )
    return [vertices for vertices, _ in pieces]


def _z_onto(axis: F64) -> F64:
    """The shortest rotation of z onto a unit axis, wxyz."""
    if axis[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    quaternion = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    quaternion /= np.linalg.norm(quaternion)
    return quaternion


def _triple(v: F64) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))


def _four(v: F64) -> Quat:
    return (float(v[0]), float(v[1]), float(v[2]), float(v[3]))

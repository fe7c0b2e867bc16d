"""Mesh files as collision shapes: convex ones as one polyhedron, concave ones in pieces or as triangles."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from fourdcb.conventions import quaternion_from_rotation
from fourdcb.physics.bullet.collision_shape import Hull, Shape
from fourdcb.physics.solid import closed_surface, principal_frame
from fourdcb.world import Object
from fourdcb.world.mesh import object_mesh

MAX_HULL_FACES = 256  # per polyhedron: face-to-face contact costs time with every face
CONVEX_FILL = 0.97  # a mesh that fills this share of its convex hull is taken for convex


def mesh_shape(obj: Object, *, base_dir: str, as_triangles: bool = False) -> Shape:
    """Shape of an object with a mesh file; solid, of even density.

    Args:
        obj: the object.
        base_dir: folder that the file's path is relative to.
        as_triangles: keep a concave surface as it is instead of cutting it into convex pieces.

    Raises:
        UserError: when the surface is not closed, or has no volume.
    """
    mesh = object_mesh(obj, base_dir=base_dir)
    return _shape(
        mesh.vertices.tobytes(),
        mesh.faces.astype(np.int64).tobytes(),
        obj.name,
        str(obj.mesh),
        as_triangles,
    )


@lru_cache(maxsize=32)
def _shape(vertices: bytes, faces: bytes, name: str, file: str, as_triangles: bool) -> Shape:
    surface, offset = closed_surface(
        np.frombuffer(vertices, dtype=np.float64).reshape(-1, 3),
        np.frombuffer(faces, dtype=np.int64).reshape(-1, 3),
        name=name,
        file=file,
    )
    center, rotation, moments = principal_frame(surface)
    place = center + offset
    axes = quaternion_from_rotation(rotation)
    shape = Shape(
        center=(float(place[0]), float(place[1]), float(place[2])),
        axes_wxyz=(float(axes[0]), float(axes[1]), float(axes[2]), float(axes[3])),
        unit_inertia=(float(moments[0]), float(moments[1]), float(moments[2])),
        volume=float(surface.volume),
    )

    def in_body_frame(piece: Any) -> Hull:
        return Hull(vertices=(piece.vertices - center) @ rotation, faces=piece.faces.astype(np.int32))

    if not _is_concave(surface):
        return replace(shape, hulls=(in_body_frame(_convex(surface)),))
    if as_triangles:
        return replace(shape, surface=in_body_frame(surface))
    return replace(shape, hulls=tuple(in_body_frame(piece) for piece in _convex_pieces(surface)))


def _is_concave(surface: Any) -> bool:
    return bool(surface.volume < CONVEX_FILL * surface.convex_hull.volume)


def _convex(surface: Any) -> Any:
    hull = surface.convex_hull
    return _simplified(hull) if len(hull.faces) > MAX_HULL_FACES else hull


def _convex_pieces(surface: Any) -> list[Any]:
    import trimesh

    from fourdcb.physics.decomposition import convex_pieces

    pieces = convex_pieces(
        np.ascontiguousarray(surface.vertices, dtype=np.float64),
        np.ascontiguousarray(surface.faces, dtype=np.int32),
    )
    return [_convex(trimesh.Trimesh(vertices, faces, process=False)) for vertices, faces in pieces]


def _simplified(hull: Any) -> Any:
    """Hull of the vertices that lie farthest out in evenly spread directions (Fibonacci sphere)."""
    import trimesh

    count = MAX_HULL_FACES // 2
    k = np.arange(count) + 0.5
    polar, azimuth = np.arccos(1 - 2 * k / count), np.pi * (1 + 5**0.5) * k
    directions = np.stack(
        [np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)], axis=1
    )
    extremes = np.unique(np.argmax(directions @ hull.vertices.T, axis=1))
    return trimesh.convex.convex_hull(hull.vertices[extremes])

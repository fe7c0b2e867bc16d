"""Coarse solids for the 3D view: few faces, so that they can be painted without OpenGL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.world import Object

_SEGMENTS = 20
_MOST_FACES = 600
_BOX_FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """Vertices [m], shape (V, 3), and faces of four corners, shape (P, 4), counter-clockwise outside.

    A face of three corners repeats its last one.
    """

    vertices: F64
    faces: NDArray[np.intp]


def solid_of(obj: Object, *, base_dir: str) -> Solid:
    """The coarse solid of an object in its own frame.

    Raises:
        UserError: when its mesh file cannot be read.
    """
    x, y, z = obj.size
    if obj.geometry == "box":
        return _scaled(_box(), x, y, z)
    if obj.geometry == "mesh":
        return _file_solid(obj, base_dir)
    # Round shapes have one diameter, the first size, as in the engine and the renderer.
    y, z = x, x if obj.geometry == "sphere" else z
    return _scaled(_revolved(_profile(obj.geometry, z / x)), x, y, z)


def _scaled(unit: Solid, x: float, y: float, z: float) -> Solid:
    return Solid(unit.vertices * np.array([x, y, z]), unit.faces)


def _box() -> Solid:
    corners = [(i - 0.5, j - 0.5, k - 0.5) for k in (0, 1) for j in (0, 1) for i in (0, 1)]
    return Solid(np.array(corners), np.array(_BOX_FACES, dtype=np.intp))


def _profile(geometry: str, slender: float) -> Sequence[tuple[float, float]]:
    """(radius, height) of a unit shape from bottom to top; ``slender`` is height / diameter."""
    if geometry == "cylinder":
        return ((0, -0.5), (0.5, -0.5), (0.5, 0.5), (0, 0.5))
    if geometry == "cone":
        return ((0, -0.5), (0.5, -0.5), (0, 0.5))
    steps = np.linspace(-math.pi / 2, math.pi / 2, 11)
    if geometry == "sphere":
        return [(0.5 * math.cos(a), 0.5 * math.sin(a)) for a in steps.tolist()]
    # A capsule of unit height: caps of radius 0.5 across, 0.5 / slender along.
    cap = 0.5 / max(slender, 1.0)
    half = [(0.5 * math.cos(a), 0.5 - cap + cap * math.sin(a)) for a in steps.tolist() if a > -1e-9]
    return [(r, -z) for r, z in reversed(half)] + half


def _revolved(profile: Sequence[tuple[float, float]]) -> Solid:
    turn = np.linspace(0, 2 * math.pi, _SEGMENTS, endpoint=False)
    rings = [
        np.stack([r * np.cos(turn), r * np.sin(turn), np.full(_SEGMENTS, z)], axis=1) for r, z in profile
    ]
    i = np.arange(_SEGMENTS)
    j = (i + 1) % _SEGMENTS
    faces = [
        np.stack([k * _SEGMENTS + i, k * _SEGMENTS + j, (k + 1) * _SEGMENTS + j, (k + 1) * _SEGMENTS + i], 1)
        for k in range(len(profile) - 1)
    ]
    return Solid(np.concatenate(rings), np.concatenate(faces))


def _file_solid(obj: Object, base_dir: str) -> Solid:
    from fourdcb.world.mesh import object_mesh

    mesh = object_mesh(obj, base_dir=base_dir)
    vertices, faces = mesh.vertices, mesh.faces.astype(np.intp)
    cells = 64
    while len(faces) > _MOST_FACES and cells > 4:
        cells = int(cells / 1.4)
        vertices, faces = _clustered(mesh.vertices, mesh.faces.astype(np.intp), cells)
    return Solid(vertices, np.concatenate([faces, faces[:, 2:]], axis=1))


def _clustered(vertices: F64, faces: NDArray[np.intp], cells: int) -> tuple[F64, NDArray[np.intp]]:
    """Vertices merged in a grid of ``cells`` along the longest side; collapsed faces are left out."""
    low = vertices.min(axis=0)
    size = max(float((vertices.max(axis=0) - low).max()), 1e-9) / cells
    _, owner = np.unique(((vertices - low) / size).astype(np.int64), axis=0, return_inverse=True)
    owner = owner.ravel()
    count = np.bincount(owner)
    merged = np.stack([np.bincount(owner, vertices[:, k]) / count for k in range(3)], axis=1)
    kept = owner[faces]
    a, b, c = kept.T
    return merged, kept[(a != b) & (b != c) & (a != c)]

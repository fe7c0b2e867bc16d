"""A fluid's surface as a mesh, made anew from its particles for every picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, I32, Mask
from fourdcb.render._kernels.arrays import Mesh
from fourdcb.trajectory import ParticleTrack

MOST_VERTICES, MOST_FACES = 30_000, 60_000  # that there is room for
_PER_BALL = (4.0 * np.pi / 3.0) ** (1.0 / 3.0)  # edge of a cube with a ball's volume, over the ball's radius
_SPACING = 1.4  # of the lattice, in such edges
_COARSER = 1.25
_LEVEL = 0.5  # filling at which a flat surface lies where it should
_EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1]
_CORNERS = np.array([[(c >> 2) & 1, (c >> 1) & 1, c & 1] for c in range(8)])


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Vertices [m] (V, 3), outward unit normals (V, 3), faces (F, 3)."""

    vertices: F64
    normals: F64
    faces: I32


def surface_at(track: ParticleTrack, t: float) -> Surface:
    """The surface of the particles at ``t`` [s]; a coarser one where a fine one has too many faces."""
    points, spacing = track.at(t), _SPACING * _PER_BALL * float(track.radius[0])
    volume = _PER_BALL**3 * float(track.radius[0]) ** 3
    while True:
        found = _surface(points, volume, spacing)
        if len(found.vertices) <= MOST_VERTICES and len(found.faces) <= MOST_FACES:
            return found
        spacing *= _COARSER


def pour(mesh: Mesh, body: int, surface: Surface | None) -> None:
    """Put a surface into the room of a fluid's mesh; None leaves nothing there."""
    first, face = mesh.bodies[body, 0], mesh.bodies[body, 2]
    vertices, faces = (0, 0) if surface is None else (len(surface.vertices), len(surface.faces))
    mesh.bodies[body, 1], mesh.bodies[body, 3] = first + vertices, face + faces
    if surface is None or not vertices:
        return
    mesh.local[first : first + vertices, :3] = surface.vertices
    mesh.local[first : first + vertices, 3:] = surface.normals
    mesh.faces[face : face + faces, :3] = surface.faces + first
    centre = 0.5 * (surface.vertices.min(axis=0) + surface.vertices.max(axis=0))
    mesh.spheres[body, :3] = centre
    mesh.spheres[body, 3] = np.linalg.norm(surface.vertices - centre, axis=-1).max()


def _surface(points: F64, volume: float, spacing: float) -> Surface:
    """Surface nets (Gibson, MICCAI 1998) of the filling of a lattice, smoothed once."""
    origin = (np.floor(points.min(axis=0) / spacing) - 3.0) * spacing
    shape = tuple(int(n) for n in np.ceil((points.max(axis=0) - origin) / spacing) + 5)
    if np.prod(shape) > 4_000_000:  # drops far away: a lattice that holds them all would be too fine
        return _surface(points, volume, _COARSER * spacing)
    filling = _smoothed(_splat((points - origin) / spacing, shape) * volume / spacing**3)
    inside = filling > _LEVEL
    corners = np.stack([_corner(inside, c) for c in _CORNERS])
    cut = corners.any(axis=0) & ~corners.all(axis=0)
    number = np.full(cut.shape, -1, dtype=np.int32)
    number[cut] = np.arange(np.count_nonzero(cut), dtype=np.int32)
    cells = np.argwhere(cut)
    values = np.stack([_corner(filling, c)[cut] for c in _CORNERS], axis=1)
    total, count = np.zeros((len(cells), 3)), np.zeros(len(cells))
    for a, b in _EDGES:
        crossed = (values[:, a] > _LEVEL) != (values[:, b] > _LEVEL)
        share = (_LEVEL - values[crossed, a]) / (values[crossed, b] - values[crossed, a])
        total[crossed] += _CORNERS[a] + share[:, None] * (_CORNERS[b] - _CORNERS[a])
        count[crossed] += 1.0
    vertices = origin + spacing * (cells + total / np.maximum(count, 1.0)[:, None])
    slope = np.stack([np.gradient(filling, axis=axis) for axis in range(3)], axis=-1)
    outward = -np.mean([_corner(slope, c)[cut] for c in _CORNERS], axis=0)
    normals = outward / np.maximum(np.linalg.norm(outward, axis=-1, keepdims=True), 1e-12)
    return Surface(vertices, normals, _quads(inside, number))


def _splat(places: F64, shape: tuple[int, ...]) -> F64:
    """How many points lie about every node, shared linearly; ``places`` in steps of the lattice."""
    low = np.floor(places).astype(np.int64)
    part, total = places - low, np.zeros(int(np.prod(shape)))
    for corner in _CORNERS:
        weight = np.prod(np.where(corner == 1, part, 1.0 - part), axis=1)
        index = np.ravel_multi_index(tuple((low + corner).T), shape)
        total += np.bincount(index, weights=weight, minlength=len(total))
    return total.reshape(shape)


def _smoothed(field: F64) -> F64:
    for axis in range(3):
        field = 0.5 * field + 0.25 * (np.roll(field, 1, axis=axis) + np.roll(field, -1, axis=axis))
    return field


def _corner(field: NDArray[Any], corner: NDArray[Any]) -> NDArray[Any]:
    """The values of a field at one corner of every cell."""
    n = field.shape
    i, j, k = (int(c) for c in corner)
    return field[i : n[0] - 1 + i, j : n[1] - 1 + j, k : n[2] - 1 + k]


def _quads(inside: Mask, number: I32) -> I32:
    """Two triangles for every edge that the surface crosses, counter-clockwise from outside."""
    faces = []
    for axis in range(3):
        first, second = ((axis + 1) % 3, (axis + 2) % 3)
        here = np.moveaxis(inside, (axis, first, second), (0, 1, 2))
        cells = np.moveaxis(number, (axis, first, second), (0, 1, 2))
        leaves = here[:-1, 1:-1, 1:-1] & ~here[1:, 1:-1, 1:-1]
        enters = ~here[:-1, 1:-1, 1:-1] & here[1:, 1:-1, 1:-1]
        around = [cells[:, :-1, :-1], cells[:, 1:, :-1], cells[:, 1:, 1:], cells[:, :-1, 1:]]
        for crossed, order in ((leaves, (0, 1, 2, 3)), (enters, (3, 2, 1, 0))):
            a, b, c, d = (around[k][crossed] for k in order)
            faces += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    return np.ascontiguousarray(np.concatenate(faces), dtype=np.int32)

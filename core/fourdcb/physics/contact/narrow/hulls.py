"""Convex polyhedra: exact faces, their corners in order, edges with the faces beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64, I64

_COPLANAR = 1e-7  # of the hull's size: triangles whose corners stay this near to one plane are one face


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Polyhedron:
    """A convex polyhedron.

    Attributes:
        vertex: [m], shape (V, 3); corners of faces only.
        normal: unit, outward, shape (F, 3).
        offset: normal · x on the face [m], shape (F,).
        area: [m²], shape (F,).
        loops: corners of each face, counter-clockwise from outside.
        edge: two vertices, two faces, shape (E, 4).
    """

    vertex: F64
    normal: F64
    offset: F64
    area: F64
    loops: tuple[I64, ...]
    edge: I64


def box_polyhedron(half: F64) -> Polyhedron:
    """A box of the given half extents [m], its faces in the order -x, x, -y, y, -z, z."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    loops = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return _from_loops(corners * half, [np.array(loop) for loop in loops])


def convex_hull(points: F64) -> Polyhedron:
    """The hull of points that span a volume; triangles in one plane become one face.

    Args:
        points: [m], shape (V, 3).
    """
    from scipy.spatial import ConvexHull

    points = np.unique(np.asarray(points, dtype=np.float64), axis=0)
    size = float(np.ptp(points, axis=0).max())
    center = points.mean(axis=0)
    found = ConvexHull((points - center) / size)
    corners = points[found.vertices]
    vertex = (corners - center) / size
    loops = []
    for normal, offset in _planes(found.equations):
        near = np.flatnonzero(vertex @ normal + offset > -_COPLANAR)
        loops.append(_ordered(vertex, near, normal))
    return _from_loops(corners, loops)


def _planes(equations: F64) -> list[tuple[F64, float]]:
    """One (normal, offset) for each group of triangles in a common plane."""
    left = equations
    groups: list[tuple[F64, float]] = []
    while len(left):
        same = (np.abs(left[:, :3] - left[0, :3]).max(axis=1) < 1e-5) & (
            np.abs(left[:, 3] - left[0, 3]) < _COPLANAR
        )
        mean = left[same].mean(axis=0)
        scale = float(np.linalg.norm(mean[:3]))
        groups.append((mean[:3] / scale, float(mean[3] / scale)))
        left = left[~same]
    return groups


def _ordered(vertex: F64, corners: I64, normal: F64) -> I64:
    """Corners of a face counter-clockwise as seen from outside."""
    middle = vertex[corners].mean(axis=0)
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    right = np.cross(helper, normal)
    right /= np.linalg.norm(right)
    flat = vertex[corners] - middle
    return np.asarray(corners[np.argsort(np.arctan2(flat @ np.cross(normal, right), flat @ right))])


def _from_loops(vertex: F64, loops: list[I64]) -> Polyhedron:
    normals, offsets, areas = [], [], []
    sides: dict[tuple[int, int], list[int]] = {}
    for face, loop in enumerate(loops):
        corners = vertex[loop]
        # Newell's normal: exact for a flat polygon, the best fit for one that is flat but for rounding.
        newell = 0.5 * np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)
        area = float(np.linalg.norm(newell))
        normals.append(newell / area)
        offsets.append(float((corners @ normals[-1]).max()))
        areas.append(area)
        for v, w in zip(loop, np.roll(loop, -1), strict=True):
            sides.setdefault((min(int(v), int(w)), max(int(v), int(w))), []).append(face)
    edge = [[v, w, faces[0], faces[-1]] for (v, w), faces in sorted(sides.items())]
    return Polyhedron(
        vertex=np.ascontiguousarray(vertex),
        normal=np.array(normals),
        offset=np.array(offsets),
        area=np.array(areas),
        loops=tuple(np.asarray(loop, dtype=np.int64) for loop in loops),
        edge=np.array(edge, dtype=np.int64),
    )

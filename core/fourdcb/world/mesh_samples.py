"""Points on triangles, and the distance from them: a surface as something that can be compared."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64

Distance = Callable[[F64], F64]


def spread_points(triangles: F64, count: int) -> tuple[F64, NDArray[np.int64]]:
    """Low-discrepancy points on triangles [F, 3, 3], shape (count, 3), and the triangle of each."""
    areas = 0.5 * np.linalg.norm(
        np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=-1
    )
    cumulative = np.cumsum(areas)
    face = np.searchsorted(cumulative, (np.arange(count) + 0.5) / count * cumulative[-1])
    face = np.minimum(face, len(areas) - 1)
    index = np.arange(count)[:, None]
    u, v = np.modf(index * np.array([0.7548776662466927, 0.5698402909980532]))[0].T  # R2 sequence
    fold = u + v > 1
    u, v = np.where(fold, 1 - u, u), np.where(fold, 1 - v, v)
    a, b, c = triangles[face, 0], triangles[face, 1], triangles[face, 2]
    return a + u[:, None] * (b - a) + v[:, None] * (c - a), face


def distance_to(triangles: F64, count: int) -> Distance:
    """Unsigned distance [m] of points [P, 3] to triangles [F, 3, 3], by ``count`` samples of them.

    To the nearest sample's tangent plane: second order in the samples' spacing on smooth parts.
    """
    from scipy.spatial import cKDTree

    points, face = spread_points(triangles, count)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-30)
    tree, spacing = cKDTree(points), np.sqrt(np.ptp(points, axis=0).max() ** 2 * 6 / count)

    def distance(p: F64) -> F64:
        far, nearest = tree.query(p)
        plane = np.abs(np.sum((p - points[nearest]) * normals[face[nearest]], axis=-1))
        return np.where(far < spacing, plane, far)

    return distance

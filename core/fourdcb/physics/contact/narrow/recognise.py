"""Meshes that stand for a smooth primitive: a ball of many triangles rolls as the ball that it stands for.

A mesh is taken for a sphere, cylinder, cone or capsule when every vertex lies on that surface and adjacent
sides of its round parts meet at a small angle; a box needs no recognition, its polyhedron is exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.physics.contact.narrow.forms import Vec3

# Of the size: how far a vertex may lie off the surface (files have four decimals or more).
_OFF = 5e-4
# Angle between neighbouring sides up to which they stand for a curve: sixteen of them round a circle.
_BEND = math.radians(23.0)
Found = tuple[str, Vec3, F64, F64]


def recognised(surface: Any) -> Found | None:
    """(geometry, full extents [m], middle of the primitive [m], its axis) of a convex surface, or None.

    Args:
        surface: a welded, convex mesh of trimesh's.
    """
    vertices = np.asarray(surface.vertices, dtype=np.float64)
    if len(vertices) < 16:
        return None
    if float(surface.face_adjacency_angles.max()) <= _BEND:
        return _sphere(vertices) or _capsule(vertices)
    for axis in _axes(surface):
        found = _cylinder(vertices, axis) or _cone(vertices, axis)
        if found is not None:
            return found
    return None


def _sphere(vertices: F64) -> Found | None:
    # Least squares: |v|² = 2 c · v + (r² - |c|²).
    rows = np.column_stack([2.0 * vertices, np.ones(len(vertices))])
    solved = np.linalg.lstsq(rows, (vertices**2).sum(axis=1), rcond=None)[0]
    center = solved[:3]
    radius = math.sqrt(max(0.0, float(solved[3] + center @ center)))
    off = np.abs(np.linalg.norm(vertices - center, axis=1) - radius)
    if off.max() > _OFF * radius:
        return None
    return "sphere", (2 * radius,) * 3, center, np.array([0.0, 0.0, 1.0])


def _capsule(vertices: F64) -> Found | None:
    spread = np.linalg.svd(vertices - vertices.mean(axis=0), full_matrices=False)[2]
    for axis in (_upward(spread[0]), *np.eye(3)):
        along = (vertices - vertices.mean(axis=0)) @ axis
        middle = vertices.mean(axis=0) + 0.5 * (along.min() + along.max()) * axis
        flat = vertices - middle
        along = flat @ axis
        radius = float(np.linalg.norm(flat - along[:, None] * axis, axis=1).max())
        half = 0.5 * float(np.ptp(along)) - radius
        if half <= _OFF * radius:
            continue
        off = np.linalg.norm(flat - np.clip(along, -half, half)[:, None] * axis, axis=1) - radius
        if np.abs(off).max() <= _OFF * (radius + half):
            return "capsule", (2 * radius, 2 * radius, 2 * (half + radius)), middle, axis
    return None


def _axes(surface: Any) -> list[F64]:
    """Normals of the flat faces that have many corners: caps and bases."""
    found: list[F64] = []
    for facet, normal in zip(surface.facets, surface.facets_normal, strict=True):
        if len(np.unique(surface.faces[facet])) >= 16:
            axis = np.asarray(normal, dtype=np.float64)
            if not any(abs(axis @ other) > 1.0 - 1e-6 for other in found):
                found.append(axis / np.linalg.norm(axis))
    return found


def _cylinder(vertices: F64, axis: F64) -> Found | None:
    axis = _upward(axis)
    middle, along, wide, flat = _about(vertices, axis)
    radius, half = float(wide.max()), 0.5 * float(np.ptp(along))
    off = _OFF * max(radius, half)
    cap, side = np.abs(np.abs(along) - half) <= off, np.abs(wide - radius) <= off
    rim = cap & side
    if (
        not (cap | side).all()
        or not _is_round(flat[rim & (along > 0)])
        or not _is_round(flat[rim & (along < 0)])
    ):
        return None
    return "cylinder", (2 * radius, 2 * radius, 2 * half), middle, axis


def _cone(vertices: F64, axis: F64) -> Found | None:
    axis = -axis  # from the base, whose normal it is, to the apex
    middle, along, wide, flat = _about(vertices, axis)
    radius, half = float(wide.max()), 0.5 * float(np.ptp(along))
    off = _OFF * max(radius, half)
    base = np.abs(along + half) <= off
    side = np.abs(wide - radius * (half - along) / (2 * half)) <= off
    if not (base | side).all() or not _is_round(flat[base & side]) or not (wide[~base] < off).any():
        return None
    return "cone", (2 * radius, 2 * radius, 2 * half), middle, axis


def _about(vertices: F64, axis: F64) -> tuple[F64, F64, F64, F64]:
    """(middle, heights and radii of the vertices about it, their places across the axis, shape (V, 2))."""
    right = np.cross(np.eye(3)[int(np.argmin(np.abs(axis)))], axis)
    right /= np.linalg.norm(right)
    frame = np.stack([right, np.cross(axis, right), axis])
    local = vertices @ frame.T
    rows = np.column_stack([2.0 * local[:, :2], np.ones(len(local))])
    low = local[:, 2].min()
    rim = np.abs(local[:, 2] - low) <= _OFF * np.ptp(local)
    outer = rim & (np.linalg.norm(local[:, :2] - local[rim, :2].mean(axis=0), axis=1) > _OFF * np.ptp(local))
    used = outer if outer.sum() >= 3 else np.ones(len(local), dtype=bool)
    solved = np.linalg.lstsq(rows[used], (local[used, :2] ** 2).sum(axis=1), rcond=None)[0]
    center = np.array([solved[0], solved[1], 0.5 * (low + local[:, 2].max())])
    local = local - center
    return center @ frame, local[:, 2], np.linalg.norm(local[:, :2], axis=1), local[:, :2]


def _is_round(flat: F64) -> bool:
    """Whether places on a circle leave no gap that a side of a polygon would be seen by."""
    if len(flat) < 3:
        return False
    angles = np.sort(np.arctan2(flat[:, 1], flat[:, 0]))
    gaps = np.diff(np.concatenate([angles, angles[:1] + 2 * math.pi]))
    return bool(gaps.max() <= _BEND)


def _upward(axis: F64) -> F64:
    """The same line, its direction chosen by the largest component."""
    return axis if axis[int(np.argmax(np.abs(axis)))] > 0 else -axis

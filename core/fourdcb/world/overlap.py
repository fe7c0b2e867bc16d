"""How deep two bodies overlap at the start: exact for planes and spheres, by separating axes else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.world.model import Object, Plane

Vector = NDArray[np.float64]


def overlap_depth(first: Object | Plane, second: Object | Plane) -> float | None:
    """Penetration depth at t = 0 [m], ≤ 0 when apart; None where no cheap answer exists (mesh files).

    Against a plane and between spheres it is exact. Between other shapes it is the least overlap over the
    directions of their axes and their centre line, an upper bound of the true depth.
    """
    if isinstance(first, Plane):
        first, second = second, first
    if isinstance(first, Plane) or first.geometry == "mesh":
        return None
    if isinstance(second, Plane):
        return _into_plane(first, second)
    if second.geometry == "mesh":
        return None
    return _between(first, second)


def _into_plane(obj: Object, plane: Plane) -> float | None:
    normal, pos = np.asarray(plane.normal), np.asarray(obj.pos)
    height = float(normal @ pos)
    sideways = pos - normal * height
    if float(np.abs(sideways).max()) > 0.5 * plane.size:
        return None
    return plane.offset - (height - _support(obj, -normal))


def _between(first: Object, second: Object) -> float:
    offset = np.asarray(second.pos) - np.asarray(first.pos)
    depth = _radius(first) + _radius(second) - float(np.linalg.norm(offset))
    if depth < 0:
        return depth
    for axis in _axes(first, second, offset):
        for towards in (axis, -axis):
            reach = _support(first, towards) + _support(second, -towards)
            depth = min(depth, reach - float(towards @ offset))
    return depth


def _radius(obj: Object) -> float:
    """Radius of a ball around the centre that holds the shape."""
    return 0.5 * (obj.size[0] if obj.geometry == "sphere" else float(np.linalg.norm(obj.size)))


def _axes(first: Object, second: Object, offset: Vector) -> list[Vector]:
    a, b = rotation_from_quaternion(first.rot).T, rotation_from_quaternion(second.rot).T
    candidates = [offset, *a, *b, *(np.cross(u, v) for u in a for v in b)]
    # A round cross-section has no axes of its own: take the part of the centre line across its axis.
    candidates += [offset - (offset @ axis) * axis for axis in (a[2], b[2])]
    candidates += [*_slant(first, offset, a[2]), *_slant(second, -offset, b[2])]
    lengths = [float(np.linalg.norm(c)) for c in candidates]
    return [c / length for c, length in zip(candidates, lengths, strict=True) if length > 1e-9]


def _slant(obj: Object, offset: Vector, axis: Vector) -> list[Vector]:
    """Normal of a cone's side that faces ``offset``."""
    across = offset - (offset @ axis) * axis
    length = float(np.linalg.norm(across))
    if obj.geometry != "cone" or length < 1e-9:
        return []
    return [obj.size[2] * across / length + 0.5 * obj.size[0] * axis]


def _support(obj: Object, direction: Vector) -> float:
    """How far a shape reaches from its centre along a unit direction (its support function)."""
    x, y, z = obj.size
    local = rotation_from_quaternion(obj.rot).T @ direction
    radial, axial = float(np.hypot(local[0], local[1])), float(local[2])
    if obj.geometry == "sphere":
        return 0.5 * x
    if obj.geometry == "box":
        return 0.5 * float(np.abs(local) @ np.asarray([x, y, z]))
    if obj.geometry == "capsule":
        return 0.5 * x + 0.5 * (z - x) * abs(axial)
    if obj.geometry == "cone":  # apex up: the apex or the rim of the base
        return max(0.5 * z * axial, 0.5 * x * radial - 0.5 * z * axial)
    return 0.5 * x * radial + 0.5 * z * abs(axial)

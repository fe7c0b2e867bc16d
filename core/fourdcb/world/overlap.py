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
        normal = np.asarray(second.normal)
        lowest = normal @ np.asarray(first.pos) - _extent(first, normal)
        sideways = np.asarray(first.pos) - normal * (normal @ np.asarray(first.pos))
        beyond = float(np.abs(sideways).max()) > 0.5 * second.size
        return None if beyond else float(second.offset - lowest)
    if second.geometry == "mesh":
        return None
    return _between(first, second)


def _between(first: Object, second: Object) -> float:
    offset = np.asarray(second.pos) - np.asarray(first.pos)
    depth = float("inf")
    for axis in _axes(first, second, offset):
        depth = min(depth, _extent(first, axis) + _extent(second, axis) - abs(float(axis @ offset)))
    return depth


def _axes(first: Object, second: Object, offset: Vector) -> list[Vector]:
    a, b = rotation_from_quaternion(first.rot).T, rotation_from_quaternion(second.rot).T
    # A round shape's cross-section has no axes of its own: the part of the centre line across its axis.
    candidates = [offset, *a, *b, *(np.cross(u, v) for u in a for v in b)]
    candidates += [offset - (offset @ axis) * axis for axis in (a[2], b[2])]
    lengths = [float(np.linalg.norm(c)) for c in candidates]
    return [c / length for c, length in zip(candidates, lengths, strict=True) if length > 1e-9]


def _extent(obj: Object, axis: Vector) -> float:
    """Half width of a shape along a unit axis (its support function); a cone counts as its bounding cylinder
    except against an axis along its own, where both are equal."""
    x, y, z = obj.size
    local = rotation_from_quaternion(obj.rot).T @ axis
    radial = float(np.hypot(local[0], local[1]))
    if obj.geometry == "sphere":
        return 0.5 * x
    if obj.geometry == "box":
        return 0.5 * float(np.abs(local) @ np.asarray([x, y, z]))
    if obj.geometry == "capsule":
        return 0.5 * x + 0.5 * (z - x) * abs(float(local[2]))
    return 0.5 * x * radial + 0.5 * z * abs(float(local[2]))

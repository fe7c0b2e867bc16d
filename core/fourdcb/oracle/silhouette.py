"""Silhouettes of convex primitives under a camera, as support functions in the picture.

The outline of a convex body is the hull of the pictures of its rim, so its reach in a direction needs no
renderer: of a sphere the circle at which rays touch it, of the others their edges.
"""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.oracle.observe.outlines import reach
from fourdcb.world import Camera, Object
from fourdcb.world.camera import project

_RIM = 32
_TURN = np.arange(_RIM) * (2.0 * np.pi / _RIM)
_CIRCLE: F64 = np.stack([np.cos(_TURN), np.sin(_TURN), np.zeros(_RIM)], axis=-1)
_CORNERS: F64 = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def silhouette(body: Object, camera: Camera, position: F64, orientation_wxyz: F64) -> F64:
    """Support function [px] of a primitive's silhouette, shape (F, D); NaN where it is behind the camera.

    Args:
        body: a sphere, box, cylinder, cone or capsule; its own pose is not looked at.
        camera: through which it is seen, lens included.
        position: of its centre [m], shape (F, 3).
        orientation_wxyz: shape (F, 4).
    """
    return reach(project(camera, rim_points(body, camera, position, orientation_wxyz)))


def rim_points(body: Object, camera: Camera, position: F64, orientation_wxyz: F64) -> F64:
    """Points [m] whose pictures' hull is the silhouette, shape (F, V, 3)."""
    size = np.asarray(body.size, dtype=np.float64)
    if body.geometry == "sphere":
        return _sphere_rim(position, 0.5 * size[0], camera)
    rotation = rotation_from_quaternion(orientation_wxyz)
    if body.geometry == "capsule":
        end = rotation[..., 2] * (0.5 * (size[2] - size[0]))
        ends = [_sphere_rim(position + sign * end, 0.5 * size[0], camera) for sign in (-1.0, 1.0)]
        return np.concatenate(ends, axis=1)
    local = _local_rim(body.geometry) * size
    return np.asarray(np.einsum("fij,vj->fvi", rotation, local) + position[:, None, :])


def _local_rim(geometry: str) -> F64:
    if geometry == "box":
        return _CORNERS
    low, high = 0.5 * _CIRCLE - [0.0, 0.0, 0.5], 0.5 * _CIRCLE + [0.0, 0.0, 0.5]
    return np.concatenate([low, [[0.0, 0.0, 0.5]] if geometry == "cone" else high])


def _sphere_rim(centre: F64, radius: float, camera: Camera) -> F64:
    """The circle of a sphere at which rays from the camera touch it, shape (F, V, 3)."""
    towards = np.asarray(camera.pos) - centre
    distance = np.maximum(np.linalg.norm(towards, axis=-1, keepdims=True), 1.001 * radius)
    axis = towards / distance
    share = radius / distance
    across = np.cross(axis, np.where(np.abs(axis[..., 2:]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]))
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    other = np.cross(axis, across)
    rim = radius * np.sqrt(1.0 - share**2)
    turn = _CIRCLE[:, 0, None] * across[:, None, :] + _CIRCLE[:, 1, None] * other[:, None, :]
    return np.asarray((centre + radius * share * axis)[:, None, :] + rim[:, None, :] * turn)

"""How far two states of one body are apart, as an observer would see it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import rotation_angle_deg, rotation_from_quaternion
from fourdcb.world import Geometry

F64 = NDArray[np.float64]
FreeAxes = Literal["none", "z", "all"]


def free_axes(geometry: Geometry) -> FreeAxes:
    """About which of its own axes a shape may turn without being seen."""
    if geometry == "sphere":
        return "all"
    return "z" if geometry in ("cylinder", "cone", "capsule") else "none"


def orientation_gap_deg(a_wxyz: F64, b_wxyz: F64, free: FreeAxes) -> F64:
    """Angle between orientations [deg], shape (...); a free axis costs nothing."""
    if free == "all":
        return np.zeros(np.broadcast_shapes(a_wxyz.shape, b_wxyz.shape)[:-1])
    if free == "none":
        return rotation_angle_deg(a_wxyz, b_wxyz)
    return vector_angle_deg(
        rotation_from_quaternion(a_wxyz)[..., 2], rotation_from_quaternion(b_wxyz)[..., 2]
    )


def vector_angle_deg(a: F64, b: F64) -> F64:
    """Angle between vectors along the last axis [deg]; exactly 0 for equal ones."""
    return np.rad2deg(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))

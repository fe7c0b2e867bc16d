"""The eye of the 3D view: it turns about a point, with Z up."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.world import Camera
from fourdcb.world.camera import unproject

_FOV = math.radians(35.0)
ViewAxis = Literal["front", "side", "top"]
_AXIS_VIEWS: dict[ViewAxis, tuple[float, float]] = {"front": (-90, 0), "side": (0, 0), "top": (-90, 89)}
_NEAR = 0.02
"""Nearest depth that is drawn, as a part of the distance."""


@dataclass(frozen=True, slots=True)
class OrbitEye:
    """A perspective view on ``target`` [m] from ``distance`` [m]; angles in radians.

    ``azimuth`` turns about Z from +X, ``elevation`` lifts the eye above the horizon; ``fov`` is across the
    shorter side of the picture.
    """

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = 3.0
    azimuth: float = math.radians(-60.0)
    elevation: float = math.radians(25.0)
    fov: float = _FOV

    def basis(self) -> F64:
        """Rows right, up and towards the eye, shape (3, 3), orthonormal and right-handed."""
        ca, sa = math.cos(self.azimuth), math.sin(self.azimuth)
        ce, se = math.cos(self.elevation), math.sin(self.elevation)
        return np.array([[-sa, ca, 0.0], [-ca * se, -sa * se, ce], [ca * ce, sa * ce, se]])

    def position(self) -> F64:
        """Place of the eye [m], shape (3,)."""
        place: F64 = np.asarray(self.target) + self.distance * self.basis()[2]
        return place

    def eye_points(self, points: F64) -> F64:
        """Points [m], shape (M, 3), in the eye's axes: right, up, depth (positive in front)."""
        local = (points - self.position()) @ self.basis().T
        local[:, 2] *= -1
        return local

    def near(self) -> float:
        """Nearest depth that is drawn [m]."""
        return _NEAR * self.distance

    def project(self, local: F64, *, width: float, height: float) -> F64:
        """Widget px of points in the eye's axes with depth above 0, shape (M, 2)."""
        focal = self.focal(min(width, height))
        depth = np.maximum(local[:, 2], 1e-9)
        x = width / 2 + focal * local[:, 0] / depth
        y = height / 2 - focal * local[:, 1] / depth
        return np.stack([x, y], axis=1)

    def focal(self, side: float) -> float:
        """Focal length for a shorter side of ``side`` px [px]."""
        return 0.5 * side / math.tan(self.fov / 2)

    def above(self, floor: float | None) -> OrbitEye:
        """Lifted, where it would look from under a floor of that height [m]."""
        if floor is None:
            return self
        least = (floor + 0.02 * self.distance - self.target[2]) / self.distance
        lowest = math.asin(min(max(least, -1.0), math.sin(math.radians(89.0))))
        return self if self.elevation >= lowest else replace(self, elevation=lowest)

    def along(self, axis: ViewAxis) -> OrbitEye:
        """The same target, seen along an axis of the world."""
        azimuth, elevation = _AXIS_VIEWS[axis]
        return replace(self, azimuth=math.radians(azimuth), elevation=math.radians(elevation), fov=_FOV)

    def turned(self, dx: float, dy: float) -> OrbitEye:
        """Turned by a drag of (dx, dy) px; half a degree a px, never over the pole."""
        lift = self.elevation + math.radians(0.4 * dy)
        limit = math.radians(89.0)
        return replace(
            self,
            azimuth=self.azimuth - math.radians(0.4 * dx),
            elevation=min(max(lift, -limit), limit),
        )

    def panned(self, dx: float, dy: float, *, height: float) -> OrbitEye:
        """Moved so that the target's plane follows a drag of (dx, dy) px."""
        scale = 2 * self.distance * math.tan(self.fov / 2) / max(height, 1.0)
        right, up, _ = self.basis()
        x, y, z = (np.asarray(self.target) - scale * dx * right + scale * dy * up).tolist()
        return replace(self, target=(x, y, z))

    def zoomed(self, factor: float) -> OrbitEye:
        """Nearer by ``factor`` above 1."""
        return replace(self, distance=min(max(self.distance / factor, 0.02), 500.0))

    def fitted(self, points: F64) -> OrbitEye:
        """From the same side, with all points [m], shape (M, 3), in view."""
        if not len(points):
            return self
        low, high = points.min(axis=0), points.max(axis=0)
        x, y, z = ((low + high) / 2).tolist()
        radius = max(float(np.linalg.norm(high - low)) / 2, 0.05)
        return replace(self, target=(x, y, z), distance=1.08 * radius / math.sin(self.fov / 2))


def camera_eye(camera: Camera, distance: float) -> OrbitEye:
    """Where a scene's camera stands, without its roll and the distortion of its lens.

    Args:
        distance: to the point that is turned about [m].
    """
    width, height = float(camera.width), float(camera.height)
    middle, short = np.array([[width / 2, height / 2]]), min(width, height) / 2
    step = np.array([[0.0, short]]) if height <= width else np.array([[short, 0.0]])
    centre = np.asarray(camera.pos, dtype=np.float64)
    ahead, ends = (
        unproject(camera, p, np.ones(len(p))) - centre for p in (middle, middle + step * [[1], [-1]])
    )
    along = ahead[0] / np.linalg.norm(ahead[0])
    rays = ends / np.linalg.norm(ends, axis=1, keepdims=True)
    x, y, z = (centre + distance * along).tolist()
    return OrbitEye(
        target=(x, y, z),
        distance=distance,
        azimuth=math.atan2(-along[1], -along[0]),
        elevation=math.asin(min(max(-float(along[2]), -1.0), 1.0)),
        fov=math.acos(min(max(float(rays[0] @ rays[1]), -1.0), 1.0)),
    )

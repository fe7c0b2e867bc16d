"""The camera and its mathematics: pose, lens, pixels to rays and points to pixels. Nobody else does this.

Camera frame: +X right, +Y down, +Z forward (OpenCV's). Pixels: row 0 on top, centres at +0.5. The lens is
Brown-Conrady in OpenCV's order k1, k2, p1, p2, k3; its points are normalised (x / z, y / z).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fourdcb.arrays import F64
from fourdcb.conventions import normalized
from fourdcb.errors import UserError
from fourdcb.world.fields import FieldSpec, Vec3, authored

Coefficients = tuple[float, float, float, float, float]
AHEAD = 1e-6  # [m] what lies nearer to the camera's plane has no picture
_ITERATIONS = 30
_TOLERANCE = 1e-10
_FARTHEST = 20.0  # radius in the plane z = 1, 87° off the axis
_BORDER = 64  # rays along each side of a picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A static pinhole camera with Brown-Conrady distortion (k1, k2, p1, p2, k3 in OpenCV's order)."""

    pos: Vec3 = authored(
        FieldSpec(doc="camera centre", unit="m", slider=(-5, 5), part="camera", group="camera"),
        default=(1.2, -1.6, 1.1),
    )
    target: Vec3 = authored(
        FieldSpec(doc="point that it looks at", unit="m", slider=(-2, 2), part="camera", group="camera"),
        default=(0.0, 0.0, 0.3),
    )
    up: Vec3 = authored(
        FieldSpec(doc="direction that is up in the image", part="camera"), default=(0.0, 0.0, 1.0)
    )
    fov_y_deg: float = authored(
        FieldSpec(
            doc="vertical field of view",
            unit="deg",
            lower=1,
            upper=170,
            slider=(10, 100),
            part="camera",
            group="camera",
            aliases=("fov", "fov_deg"),
        ),
        default=40.0,
    )
    width: int = authored(
        FieldSpec(doc="image width", unit="px", lower=8, upper=4096, part="camera"), default=256
    )
    height: int = authored(
        FieldSpec(doc="image height", unit="px", lower=8, upper=4096, part="camera"), default=256
    )
    distortion: Coefficients = authored(
        FieldSpec(doc="Brown-Conrady k1, k2, p1, p2, k3", part="camera"), default=(0.0, 0.0, 0.0, 0.0, 0.0)
    )

    def world_from_camera(self) -> F64:
        """Rotation [3, 3]; the camera centre is ``pos``. Raises ValueError for a degenerate view."""
        return camera_rotation(self.pos, self.target, self.up)

    def intrinsics(self) -> F64:
        """Pinhole matrix [3, 3] [px]."""
        return intrinsics_from_fov(fov_y_deg=self.fov_y_deg, width=self.width, height=self.height)

    def sized(self, *, width: int, height: int) -> Camera:
        """The same view as a picture of another size [px]; the field of view is the height's."""
        return replace(self, width=width, height=height)


def camera_rotation(pos: ArrayLike, target: ArrayLike, up: ArrayLike = (0.0, 0.0, 1.0)) -> F64:
    """``world_from_camera`` rotation of a camera at ``pos`` [m] looking at ``target`` [m], shape (3, 3).

    Raises:
        ValueError: when the view direction is zero or parallel to ``up``.
    """
    forward = normalized(np.asarray(target, dtype=np.float64) - np.asarray(pos, dtype=np.float64))
    right = np.cross(forward, normalized(up))
    if np.linalg.norm(right) < 1e-9:
        raise ValueError("the camera looks along its up vector")
    right = normalized(right)
    return np.stack([right, np.cross(forward, right), forward], axis=-1)


def intrinsics_from_fov(*, fov_y_deg: float, width: int, height: int) -> F64:
    """Pinhole intrinsics [px], square pixels, principal point at the image centre, shape (3, 3)."""
    focal = 0.5 * height / np.tan(np.deg2rad(fov_y_deg) / 2.0)
    return np.array([[focal, 0.0, 0.5 * width], [0.0, focal, 0.5 * height], [0.0, 0.0, 1.0]])


def distort(points: ArrayLike, coefficients: Coefficients) -> F64:
    """Ideal to distorted normalised image points, shape (..., 2) (OpenCV's ``projectPoints``)."""
    p = np.asarray(points, dtype=np.float64)
    x, y = p[..., 0], p[..., 1]
    k1, k2, p1, p2, k3 = coefficients
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return np.stack(
        [
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        ],
        axis=-1,
    )


def undistort(points: ArrayLike, coefficients: Coefficients) -> F64:
    """Distorted to ideal normalised image points, shape (..., 2), by Newton's method.

    Raises:
        UserError: when the model folds over within the picture, so that it has no inverse.
    """
    target = np.asarray(points, dtype=np.float64)
    p = target.copy()
    if not p.size:
        return p
    for _ in range(_ITERATIONS):
        error = distort(p, coefficients) - target
        if np.abs(error).max() < _TOLERANCE:
            break
        j = _jacobian(p, coefficients)
        det = j[..., 0, 0] * j[..., 1, 1] - j[..., 0, 1] * j[..., 1, 0]
        det = np.where(np.abs(det) < 1e-9, 1e-9, det)
        dx = (j[..., 1, 1] * error[..., 0] - j[..., 0, 1] * error[..., 1]) / det
        dy = (j[..., 0, 0] * error[..., 1] - j[..., 1, 0] * error[..., 0]) / det
        p = p - np.clip(np.stack([dx, dy], axis=-1), -0.5, 0.5)
    j = _jacobian(p, coefficients)
    det = j[..., 0, 0] * j[..., 1, 1] - j[..., 0, 1] * j[..., 1, 0]
    is_found = np.isfinite(p).all() and np.abs(distort(p, coefficients) - target).max() <= 1e-6
    if not is_found or det.min() <= 0.0 or np.linalg.norm(p, axis=-1).max() > _edge(coefficients):
        raise UserError(
            "the lens distortion folds the picture over itself",
            where="camera.distortion",
            got=str(coefficients),
            hint="use smaller coefficients or a narrower field of view",
        )
    return p


def _jacobian(p: F64, coefficients: Coefficients) -> F64:
    """Derivative of :func:`distort`, shape (..., 2, 2)."""
    x, y = p[..., 0], p[..., 1]
    k1, k2, p1, p2, k3 = coefficients
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    slope = 2.0 * (k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3))
    xx = radial + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x
    yy = radial + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x
    xy = slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y
    return np.stack([np.stack([xx, xy], axis=-1), np.stack([xy, yy], axis=-1)], axis=-2)


def to_camera(camera: Camera, points: ArrayLike) -> F64:
    """World points in the camera's frame [m], shape (..., 3). Raises ValueError for a degenerate view."""
    return (np.asarray(points, dtype=np.float64) - np.asarray(camera.pos)) @ camera.world_from_camera()


def project(camera: Camera, points: ArrayLike) -> F64:
    """Pixels of world points [m], through the lens, shape (..., 2); NaN behind the camera.

    Farther out than the lens model holds (it would fold over) a point is put at the model's edge, which lies
    outside of every picture that the lens can make.
    """
    local = to_camera(camera, points)
    ideal = local[..., :2] / np.where(local[..., 2:] > AHEAD, local[..., 2:], np.nan)
    k = camera.intrinsics()
    if any(camera.distortion):
        radius = np.linalg.norm(ideal, axis=-1, keepdims=True)
        edge = _edge(camera.distortion)
        ideal = distort(ideal * np.minimum(1.0, edge / np.maximum(radius, AHEAD)), camera.distortion)
    return ideal * k[0, 0] + k[:2, 2]


def unproject(camera: Camera, pixels: ArrayLike, depth: ArrayLike) -> F64:
    """World points [m] seen at pixels, shape (..., 3).

    Args:
        pixels: shape (..., 2).
        depth: along the camera's axis [m], shape (...).

    Raises:
        UserError: when the lens has no inverse within the picture.
    """
    local = _plane_points(camera, pixels) * np.asarray(depth, dtype=np.float64)[..., None]
    return local @ camera.world_from_camera().T + np.asarray(camera.pos)


def pixel_rays(camera: Camera, pixels: ArrayLike) -> F64:
    """Unit directions, in the world, in which pixels (..., 2) look, shape (..., 3). Raises UserError."""
    return normalized(_plane_points(camera, pixels) @ camera.world_from_camera().T)


def grid_rays(camera: Camera, *, columns: int, rows: int) -> F64:
    """Unit directions through the centres of a regular grid over the picture, shape (rows · columns, 3)."""
    x = (np.arange(columns) + 0.5) * camera.width / columns
    y = (np.arange(rows) + 0.5) * camera.height / rows
    return pixel_rays(camera, np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))


def in_view(camera: Camera, points: F64, radius: float) -> NDArray[np.bool_]:
    """Whether spheres of ``radius`` [m] about ``points`` (..., 3) reach into the picture, shape (...).

    Without a lens that is the viewing pyramid; with one its sides are bent, and the nearest ray of the
    picture's border counts.
    """
    local = to_camera(camera, points)
    if not any(camera.distortion):
        return _in_pyramid(camera, local, radius)
    pixels = project(camera, points)
    distance = np.linalg.norm(local, axis=-1)
    rays = _plane_points(camera, _border(camera))
    length = np.maximum(distance, AHEAD)
    aside = np.arccos(np.clip((local @ normalized(rays).T).max(axis=-1) / length, -1.0, 1.0))
    near = aside <= np.arcsin(np.clip(radius / length, 0.0, 1.0))
    inside = np.all((pixels >= 0.0) & (pixels <= [camera.width, camera.height]), axis=-1)
    return inside | near | (distance <= radius)


def _in_pyramid(camera: Camera, local: F64, radius: float) -> NDArray[np.bool_]:
    k = camera.intrinsics()
    inside = local[..., 2] > -radius
    for axis, extent in ((0, camera.width), (1, camera.height)):
        for edge, sign in ((0.0, 1.0), (float(extent), -1.0)):
            slope = (edge - k[axis, 2]) / k[axis, axis]
            distance = sign * (local[..., axis] - slope * local[..., 2]) / np.hypot(1.0, slope)
            inside &= distance > -radius
    return inside


def _border(camera: Camera) -> F64:
    """Pixels along the picture's border, shape (4 · 64, 2)."""
    along = np.linspace(0.0, 1.0, _BORDER)
    zero, one = np.zeros(_BORDER), np.ones(_BORDER)
    sides = [(along, zero), (along, one), (zero, along), (one, along)]
    return np.concatenate([np.column_stack(side) for side in sides]) * [camera.width, camera.height]


def _plane_points(camera: Camera, pixels: ArrayLike) -> F64:
    """Points of the plane z = 1 in the camera's frame that pixels (..., 2) show, shape (..., 3)."""
    k = camera.intrinsics()
    plane = (np.asarray(pixels, dtype=np.float64) - k[:2, 2]) / k[0, 0]
    if any(camera.distortion):
        plane = undistort(plane, camera.distortion)
    return np.concatenate([plane, np.ones((*plane.shape[:-1], 1))], axis=-1)


@lru_cache(maxsize=64)
def _edge(coefficients: Coefficients) -> float:
    """Radius up to which the radial model grows outwards, inf where it does so as far as anybody looks."""
    k1, k2, _, _, k3 = coefficients

    def growth(r: F64) -> F64:
        return 1.0 + r**2 * (3.0 * k1 + r**2 * (5.0 * k2 + r**2 * 7.0 * k3))

    low, high = 0.0, _FARTHEST
    for _ in range(3):  # finer and finer, around the first radius that does not grow
        radii = np.linspace(low, high, 2001)
        folded = np.flatnonzero(growth(radii) <= 0.0)
        if not len(folded):
            return np.inf
        low, high = float(radii[folded[0] - 1]), float(radii[folded[0]])
    return low

"""Brown-Conrady lens distortion, in OpenCV's order k1, k2, p1, p2, k3.

A distorted picture is made from an undistorted one that is large enough: every output pixel looks up where
its ray meets the ideal image plane. Coordinates are normalised (x / z, y / z) unless they say pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fourdcb.errors import UserError

F64 = NDArray[np.float64]
Coefficients = tuple[float, float, float, float, float]
_ITERATIONS = 30
_TOLERANCE = 1e-10
_LARGEST = 3.0  # the undistorted picture may be this much wider than the output


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
    if not np.isfinite(p).all() or np.abs(distort(p, coefficients) - target).max() > 1e-6 or det.min() <= 0.0:
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


@dataclass(frozen=True, slots=True, eq=False)
class LensMap:
    """Where each output pixel looks into the ideal picture.

    Attributes:
        width, height: size of the ideal picture [px].
        centre_x, centre_y: its principal point [px].
        x, y: place of each output pixel's centre in it [px], float32, shape (H, W).
    """

    width: int
    height: int
    centre_x: float
    centre_y: float
    x: NDArray[np.float32]
    y: NDArray[np.float32]


def lens_map(intrinsics: F64, coefficients: Coefficients, *, width: int, height: int) -> LensMap | None:
    """The map of a camera, None when it has no distortion.

    Raises:
        UserError: when the distortion has no inverse, or needs a picture over three times as wide.
    """
    if not any(coefficients):
        return None
    focal, centre = intrinsics[0, 0], intrinsics[:2, 2]
    pixels = np.stack(np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5), axis=-1)
    ideal = undistort((pixels - centre) / focal, coefficients) * focal + centre
    low = np.floor(ideal.reshape(-1, 2).min(axis=0)) - 1.0
    high = np.ceil(ideal.reshape(-1, 2).max(axis=0)) + 1.0
    size = high - low
    if (size > _LARGEST * np.array([width, height])).any():
        raise UserError(
            "the lens distortion needs too wide a picture",
            where="camera.distortion",
            got=f"{size[0]:.0f} x {size[1]:.0f} px for {width} x {height}",
            hint="use smaller coefficients or a narrower field of view",
        )
    place = (ideal - low).astype(np.float32)
    return LensMap(
        width=int(size[0]),
        height=int(size[1]),
        centre_x=float(centre[0] - low[0]),
        centre_y=float(centre[1] - low[1]),
        x=np.ascontiguousarray(place[..., 0]),
        y=np.ascontiguousarray(place[..., 1]),
    )


def warp(image: NDArray[np.float32], lens: LensMap) -> NDArray[np.float32]:
    """Bilinear look-up of a float image of the ideal picture, shape (h, w, C) to (H, W, C)."""
    x, y = lens.x - 0.5, lens.y - 0.5
    i = np.clip(np.floor(x).astype(np.intp), 0, lens.width - 2)
    j = np.clip(np.floor(y).astype(np.intp), 0, lens.height - 2)
    fx, fy = (x - i)[..., None].astype(np.float32), (y - j)[..., None].astype(np.float32)
    top = (1 - fx) * image[j, i] + fx * image[j, i + 1]
    bottom = (1 - fx) * image[j + 1, i] + fx * image[j + 1, i + 1]
    return (1 - fy) * top + fy * bottom


def pick(image: NDArray[np.generic], lens: LensMap) -> NDArray[np.generic]:
    """Nearest look-up, for buffers that cannot be averaged."""
    j = np.clip(lens.y.astype(np.intp), 0, lens.height - 1)
    i = np.clip(lens.x.astype(np.intp), 0, lens.width - 1)
    return image[j, i]

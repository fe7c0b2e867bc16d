"""Pictures through a lens: every output pixel looks up where its ray meets the ideal image plane.

A distorted picture is made from an undistorted one that is large enough. The lens itself is
:mod:`fourdcb.world.camera`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.errors import UserError
from fourdcb.world.camera import Coefficients, undistort

_LARGEST = 3.0  # the undistorted picture may be this much wider than the output


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

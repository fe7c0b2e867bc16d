"""Measures between two images: PSNR, SSIM, differences, silhouettes, optical flow.

Images are uint8 RGB (H, W, 3) or grey (H, W), of one shape; the data range is 255 throughout.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError

DATA_RANGE = 255.0
# Equal images have an infinite PSNR, which JSON cannot hold; half a code value on one sample of a 256 x 256
# RGB frame gives 107 dB, so no two different frames come close.
PSNR_CAP = 120.0
_LEAST_MOTION = 0.3  # [px] between two pictures
SSIM_SIDE, FLOW_SIDE = 11, 16  # [px]; smaller pictures have no similarity or no flow

Image = NDArray[np.uint8]
Map = NDArray[np.float32]


def mse(a: Image, b: Image) -> float:
    """Mean squared error over all samples [code values²], exact."""
    _check_pair(a, b)
    import cv2

    # Whole numbers below 2^53: the sum in double precision is exact.
    return float(cv2.norm(np.ascontiguousarray(a), np.ascontiguousarray(b), cv2.NORM_L2SQR)) / a.size


def psnr(a: Image, b: Image) -> float:
    """Peak signal-to-noise ratio, 10 log10(255² / MSE) [dB]; ``inf`` for equal images."""
    error = mse(a, b)
    return math.inf if error == 0.0 else 10.0 * math.log10(DATA_RANGE**2 / error)


def pooled_psnr(errors: Sequence[float]) -> float:
    """PSNR [dB] of the mean of mean squared errors [code values²], capped; NaN of none.

    What ffmpeg's psnr filter calls average. A mean of decibels would let a few equal frames, whose PSNR has
    no end, outweigh all that differ.
    """
    if not len(errors):
        return math.nan
    error = float(np.mean(errors))
    return PSNR_CAP if error == 0.0 else reportable_psnr(10.0 * math.log10(DATA_RANGE**2 / error))


def reportable_psnr(value: float) -> float:
    """A PSNR [dB] that JSON can hold: capped at :data:`PSNR_CAP`."""
    return min(value, PSNR_CAP)


def ssim(a: Image, b: Image) -> float:
    """Mean structural similarity, in [-1, 1].

    Wang et al. 2004: Gaussian window of 11 x 11 and sigma 1.5, K1 = 0.01, K2 = 0.03, data range 255,
    population statistics, mean over channels and over the pixels whose window lies inside the image. Equal to
    scikit-image's ``structural_similarity`` with ``gaussian_weights`` and without ``use_sample_covariance``.

    Raises:
        UserError: when an image is smaller than the window.
    """
    return float(_ssim_channels(a, b).mean(dtype=np.float64))


def ssim_map(a: Image, b: Image) -> Map:
    """Structural similarity at each pixel, mean over channels, shape (H, W); borders are mirrored."""
    sides = ((5, 5), (5, 5), (0, 0))[: a.ndim]
    return _ssim_channels(np.pad(a, sides, mode="symmetric"), np.pad(b, sides, mode="symmetric")).mean(axis=2)


def difference(a: Image, b: Image) -> Map:
    """Absolute difference at each pixel, mean over channels, in [0, 1], shape (H, W)."""
    _check_pair(a, b)
    import cv2

    gap = cv2.absdiff(np.ascontiguousarray(a), np.ascontiguousarray(b)).astype(np.float32)
    return (gap.mean(axis=2) if gap.ndim == 3 else gap) / np.float32(DATA_RANGE)


class FlowEstimator:
    """Dense optical flow between frames (DIS, Kroeger et al. 2016), with buffers kept between calls."""

    def __init__(self) -> None:
        import cv2

        opencv: Any = cv2  # its stubs miss DISOpticalFlow_create
        self._dis = opencv.DISOpticalFlow_create(opencv.DISOPTICAL_FLOW_PRESET_ULTRAFAST)
        # The presets stop at a quarter of the size, where a small object takes its surroundings along.
        self._dis.setFinestScale(1)

    def flow(self, first: Image, second: Image) -> Map:
        """Motion of each pixel of ``first`` towards ``second`` [px], shape (H, W, 2).

        Raises:
            UserError: when an image side is shorter than 16 px.
        """
        _check_pair(first, second)
        if min(first.shape[:2]) < FLOW_SIDE:
            expected = f"{FLOW_SIDE} x {FLOW_SIDE} or more"
            raise UserError("too small for optical flow", got=_size(first), expected=expected)
        return self._dis.calc(_grey(first), _grey(second), None)


def flow_error(flow_a: Map, flow_b: Map) -> float:
    """Mean end-point error between two flow fields [px], where either of them moves; NaN where none does.

    Over the whole picture what stands still would outweigh what moves, and nothing at all would fare well.
    """
    if flow_a.shape != flow_b.shape:
        raise UserError("the flow fields differ in size", got=f"{flow_a.shape} and {flow_b.shape}")
    moves = flow_moves(flow_a) | flow_moves(flow_b)
    if not moves.any():
        return math.nan
    return float(np.linalg.norm(flow_a - flow_b, axis=2)[moves].mean(dtype=np.float64))


def flow_moves(flow: Map) -> NDArray[np.bool_]:
    """Where a flow field [px] is more than what noise makes of still pictures, shape (H, W)."""
    return np.asarray(np.linalg.norm(flow, axis=2) > _LEAST_MOTION, dtype=np.bool_)


def _ssim_channels(a: Image, b: Image) -> Map:
    """SSIM per channel where the window lies inside, shape (H - 10, W - 10, C)."""
    _check_pair(a, b)
    if min(a.shape[:2]) < SSIM_SIDE:
        raise UserError("too small for SSIM", got=_size(a), expected=f"{SSIM_SIDE} x {SSIM_SIDE} or more")
    from fourdcb.metrics.pictures.ssim import ssim_valid

    stacked = (*a.shape[:2], -1)
    return ssim_valid(np.ascontiguousarray(a).reshape(stacked), np.ascontiguousarray(b).reshape(stacked))


def _grey(image: Image) -> Image:
    import cv2

    return image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False)


def _check_pair(a: Image, b: Image) -> None:
    if a.shape != b.shape:
        raise UserError("the images differ in size", got=f"{_size(a)} and {_size(b)}")
    if a.dtype != np.uint8 or b.dtype != np.uint8:
        raise UserError("images must be 8-bit", got=f"{a.dtype} and {b.dtype}", expected="uint8")


def _size(image: NDArray[Any]) -> str:
    return f"{image.shape[1]} x {image.shape[0]}" if image.ndim >= 2 else str(image.shape)

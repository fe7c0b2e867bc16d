"""Structural similarity in bands of rows that fit the processor's cache."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

RADIUS = 5
_SIGMA = 1.5
_C1 = np.float32((0.01 * 255.0) ** 2)
_C2 = np.float32((0.03 * 255.0) ** 2)
_CENTRE = np.float32(128.0)
_TWO = np.float32(2.0)
_BAND = 48

Map = NDArray[np.float32]


def ssim_valid(x: NDArray[np.uint8], y: NDArray[np.uint8]) -> Map:
    """SSIM per channel where the 11 x 11 window lies inside the image.

    Wang et al. 2004, equation 13, with alpha = beta = gamma = 1 and C3 = C2 / 2.

    Args:
        x, y: images of one shape (H, W, C).

    Returns:
        Similarities, shape (H - 10, W - 10, C).
    """
    height, width, channels = x.shape
    result = np.empty((height - 2 * RADIUS, width - 2 * RADIUS, channels), dtype=np.float32)
    scratch = np.empty((5, min(_BAND + 2 * RADIUS, height), width, channels), dtype=np.float32)
    for top in range(0, len(result), _BAND):
        band = result[top : top + _BAND]
        rows = slice(top, top + len(band) + 2 * RADIUS)
        similarity = _similarity(x[rows], y[rows], scratch[:, : len(band) + 2 * RADIUS])
        band[...] = similarity[RADIUS:-RADIUS, RADIUS:-RADIUS]
    return result


def _similarity(x: NDArray[np.uint8], y: NDArray[np.uint8], scratch: Map) -> Map:
    """Similarities of a band, right where the window lies inside; ``scratch`` holds five such images.

    Whole contiguous images are worked on in place: views without the borders cost several times as much.
    """
    a, b, product, power, square = scratch
    # Centring keeps variances, which are small differences of large moments, exact in single precision.
    np.subtract(x, _CENTRE, out=a)
    np.subtract(y, _CENTRE, out=b)
    np.multiply(a, b, out=product)
    np.multiply(a, a, out=power)
    power += np.multiply(b, b, out=square)
    for image in (a, b, product, power):
        cv2.sepFilter2D(image, cv2.CV_32F, _KERNEL, _KERNEL, dst=image)
    sums = a + b
    squares = np.multiply(a, a, out=square)
    means = np.multiply(a, b, out=a)
    squares += np.multiply(b, b, out=b)
    # structure = (2 (E[ab] - E[a] E[b]) + C2) / (E[a² + b²] - E[a]² - E[b]² + C2)
    product -= means
    product *= _TWO
    product += _C2
    power -= squares
    power += _C2
    product /= power
    # luminance = (2 (E[a] + c)(E[b] + c) + C1) / ((E[a] + c)² + (E[b] + c)² + C1), c the centre
    sums *= _CENTRE
    sums += _CENTRE * _CENTRE
    means += sums
    means *= _TWO
    means += _C1
    sums *= _TWO
    squares += sums
    squares += _C1
    means /= squares
    product *= means
    return product


def _gaussian() -> Map:
    weights = np.exp(-0.5 * (np.arange(-RADIUS, RADIUS + 1) / _SIGMA) ** 2)
    return (weights / weights.sum()).astype(np.float32)


_KERNEL = _gaussian()

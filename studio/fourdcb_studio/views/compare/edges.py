"""The edges of a picture, to lay over another one: where a camera stands right, they fall together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from fourdcb.conventions import LUMINANCE
from fourdcb_studio.theme.tokens import DARK

_LEAST = 10.0  # 8-bit levels a pixel: noise and compression stay below
_STRONG = 0.98  # of the pixels are below what is drawn wholly opaque


def edge_strength(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How strong an edge goes through each pixel, 0 … 1, shape (H, W): Sobel's gradient of the luminance."""
    gray = np.pad(rgb @ np.asarray(LUMINANCE), 1, mode="edge")
    smooth_rows = gray[:-2] + 2 * gray[1:-1] + gray[2:]
    smooth_columns = gray[:, :-2] + 2 * gray[:, 1:-1] + gray[:, 2:]
    across = (smooth_rows[:, 2:] - smooth_rows[:, :-2]) / 8
    down = (smooth_columns[2:] - smooth_columns[:-2]) / 8
    size = np.hypot(across, down)
    top = max(float(np.quantile(size, _STRONG)), 2 * _LEAST)
    return np.asarray(np.clip((size - _LEAST) / (top - _LEAST), 0.0, 1.0))


def edge_image(rgb: NDArray[np.uint8]) -> QImage:
    """The edges in one colour, transparent elsewhere; of the dark theme in both, like all marks on images."""
    color = QColor(DARK.warning)
    strength = edge_strength(rgb)
    height, width = strength.shape
    pixels = np.empty((height, width, 4), dtype=np.uint8)
    pixels[..., :3] = color.red(), color.green(), color.blue()
    pixels[..., 3] = np.rint(255 * np.sqrt(strength))
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()

"""Outlines of seen regions to a fraction of a pixel, as support functions: how far they reach."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F32, F64
from fourdcb.oracle.observe.colours import Mask

DIRECTIONS = 24
_FINE = 4  # times finer than the picture
_MARGIN = 6  # [px] around a region
ANGLES = np.arange(DIRECTIONS) * (2.0 * np.pi / DIRECTIONS)
NORMALS: F64 = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=-1)


def reach(points: F64) -> F64:
    """Support function of point sets (..., V, 2) [px]: the largest p · n over each direction, (..., D)."""
    return np.asarray(np.max(points @ NORMALS.T, axis=-2))


def outline_of(mask: Mask, strength: F32, sure: Mask) -> F64 | None:
    """Support function [px] of a region's half-contrast outline, shape (D,); None when nothing is left.

    The edge lies where the contrast falls to half of what it is inside: that is where half of a pixel, or
    half of the shutter's time, belongs to the body.

    Args:
        mask: the region.
        strength: how far each pixel leaves the background, see :func:`aside`.
        sure: pixels whose hue is plainly the body's, however dark: its shaded rim.
    """
    import cv2

    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, left = max(rows[0] - _MARGIN, 0), max(columns[0] - _MARGIN, 0)
    window = np.s_[top : rows[-1] + _MARGIN + 1, left : columns[-1] + _MARGIN + 1]
    own, level = mask[window].astype(np.uint8), strength[window]
    core = cv2.erode(own, np.ones((3, 3), np.uint8))
    if not core.any():
        core = own
    weight = cv2.blur(core.astype(np.float32), (9, 9))
    inside = cv2.blur(np.where(core > 0, level, 0.0).astype(np.float32), (9, 9)) / np.maximum(weight, 1e-3)
    near = cv2.dilate(own, np.ones((3, 3), np.uint8), iterations=2)
    share = np.where((near > 0) & (weight > 1e-3), level / np.maximum(inside, 1e-4), 0.0)
    known = core.astype(bool) | (own.astype(bool) & sure[window].astype(bool))
    share = np.maximum(np.clip(share, 0.0, 1.0), known).astype(np.float32)
    size = (share.shape[1] * _FINE, share.shape[0] * _FINE)
    fine = cv2.resize(share, size, interpolation=cv2.INTER_LINEAR) > 0.5
    contours, _ = cv2.findContours(fine.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)[:, 0, :].astype(np.float64)
    points = (largest + 0.5) / _FINE + [left, top]
    return reach(points) + 0.5 / _FINE


def touches_border(mask: Mask) -> bool:
    """Whether a region reaches the picture's border: it may go on beyond."""
    return bool(mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any())

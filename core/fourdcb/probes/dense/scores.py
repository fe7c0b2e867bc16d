"""Scores of masks and points: intersection over union, contour accuracy, distance."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F64, Mask

_TOLERANCE = 0.008  # of the picture's diagonal: how far contours may lie apart (DAVIS 2016)


def overlap(found: Mask, truth: Mask) -> F64:
    """Intersections and unions of background and foreground [px], shape (2, 2): (class, which)."""
    pairs = ((~found, ~truth), (found, truth))
    return np.array([[(a & b).sum(), (a | b).sum()] for a, b in pairs], dtype=np.float64)


def mean_iou(overlaps: F64) -> F64:
    """Mean IoU over the classes that occur, from summed overlaps, shape (..., classes, 2)."""
    unions = overlaps[..., 1]
    shares = np.where(unions > 0, overlaps[..., 0] / np.maximum(unions, 1e-300), np.nan)
    return np.nanmean(shares, axis=-1)


def region(found: Mask, truth: Mask) -> float:
    """J: intersection over union; 1 where both are empty (Perazzi et al. 2016)."""
    union = int((found | truth).sum())
    return 1.0 if union == 0 else float((found & truth).sum() / union)


def contour(found: Mask, truth: Mask) -> float:
    """F: harmonic mean of precision and recall of the contours, within 0.8 % of the diagonal (DAVIS)."""
    import cv2

    reach = int(np.ceil(_TOLERANCE * np.hypot(*truth.shape)))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    own, other = _contour(found), _contour(truth)
    if not own.any() and not other.any():
        return 1.0
    near_own = cv2.dilate(own.astype(np.uint8), disc) > 0
    near_other = cv2.dilate(other.astype(np.uint8), disc) > 0
    precision = float((own & near_other).sum() / max(own.sum(), 1))
    recall = float((other & near_own).sum() / max(other.sum(), 1))
    return 0.0 if precision + recall == 0.0 else 2 * precision * recall / (precision + recall)


def _contour(mask: Mask) -> Mask:
    """Pixels of a mask that touch its outside; the picture's border counts as inside."""
    padded = np.pad(mask, 1, mode="edge")
    inner = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return mask & ~inner


def centre(mask: Mask) -> F64:
    """Mean place (x, y) of a mask as shares of the picture's sides; NaN where it is empty."""
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return np.full(2, np.nan)
    return np.array([(columns.mean() + 0.5) / mask.shape[1], (rows.mean() + 0.5) / mask.shape[0]])

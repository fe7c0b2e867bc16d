"""Colours of a clip as shares of red, green and blue: a shadow scales a colour and keeps its shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32, F64
from fourdcb.conventions import LUMINANCE, linear_from_srgb

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]
_TABLE = np.asarray(linear_from_srgb(np.arange(256) / 255.0), dtype=np.float32)
_DARK = 0.02  # linear sum: below it a colour has no hue
_BIN = 0.03
_LEAST_SHARE, _LARGE = 0.04, 0.15  # of the picture that a muted ground covers; that makes any colour a ground
_MUTED = 0.45  # L1 distance from grey
_NEAR = 0.05
_LUMA = np.array(LUMINANCE, dtype=np.float32)
_LUMA_SHARE = 0.15
_EXCESS = 0.12  # linear: so much brighter than what stands still is no play of light


def linear(picture: Image) -> F32:
    """Linear radiance of an sRGB picture, in [0, 1], slightly smoothed, shape (H, W, 3)."""
    import cv2

    return np.asarray(cv2.GaussianBlur(_TABLE[picture], (0, 0), 0.6), dtype=np.float32)


def shares(pixels: F32) -> F32:
    """Shares of red, green and blue of linear pixels (..., 3); they sum to 1."""
    total = pixels.sum(axis=-1, keepdims=True)
    return np.asarray(pixels / np.maximum(total, 1e-3), dtype=np.float32)


def grounds_of(background: F32) -> F64:
    """Colours that large, muted parts of the background have, as shares, shape (G, 3), the largest first."""
    flat = shares(background)[::2, ::2].reshape(-1, 3)
    bins = np.round(flat[:, :2] / _BIN).astype(int)
    _, inverse, counts = np.unique(bins, axis=0, return_inverse=True, return_counts=True)
    found: list[F64] = []
    for i in np.argsort(-counts):
        share = counts[i] / len(flat)
        colour = flat[inverse.ravel() == i].mean(axis=0).astype(np.float64)
        muted = float(np.abs(colour - 1.0 / 3.0).sum()) < _MUTED
        is_ground = share > _LARGE or (muted and share > _LEAST_SHARE) or not found
        if is_ground and all(np.abs(colour - other).sum() > _NEAR for other in found):
            found.append(colour)
    return np.array(found)


def hue_distance(picture: F32, colours: F64) -> F32:
    """Smallest L1 distance of each pixel's shares from colours (G, 3); 0 where it is too dark to tell."""
    own = shares(picture)
    gap = np.min([np.abs(own - colour).sum(axis=-1) for colour in colours], axis=0)
    return np.asarray(np.where(picture.sum(axis=-1) < _DARK, 0.0, gap), dtype=np.float32)


def aside(picture: F32, background: F32, *, bright: bool) -> F32:
    """How far a pixel leaves the ray of the background's colour, linear radiance, shape (H, W).

    A shadow stays on the ray. With ``bright`` what is clearly brighter along the ray counts, too.
    """
    length = np.linalg.norm(background, axis=-1, keepdims=True)
    ray = background / np.maximum(length, 1e-3)
    along = np.sum(picture * ray, axis=-1, keepdims=True)
    off = np.linalg.norm(picture - along * ray, axis=-1)
    if bright:
        off = np.hypot(off, np.maximum(along - length, 0.0)[..., 0])
    return np.asarray(off, dtype=np.float32)


def luma_differs(picture: F32, background: F32) -> Mask:
    """Pixels whose brightness leaves the background's: codecs keep it sharp where colours bleed, (H, W)."""
    now, before = picture @ _LUMA, background @ _LUMA
    return np.asarray(np.abs(now - before) > _LUMA_SHARE * before + 0.004)


def brighter(picture: F32, background: F32) -> Mask:
    """Pixels that are clearly brighter than what stands still, shape (H, W)."""
    return np.asarray((picture - background).min(axis=-1) > _EXCESS)


def gain_of(picture: F32, background: F32) -> float:
    """How much lighter a picture is than the background as a whole: a light that changes, an exposure."""
    a, b = picture[::3, ::3].sum(axis=-1), background[::3, ::3].sum(axis=-1)
    return float(np.median(a[b > _DARK] / b[b > _DARK])) if (b > _DARK).any() else 1.0

"""The per-pixel difference as a picture: colours on a map, alone or laid over another picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import LUMINANCE
from fourdcb_studio.theme import magnitude_colors, signed_colors

_OPAQUE_FROM = 0.5  # of the map's end: from here on an error covers the picture as far as the opacity allows


def color_difference(
    reference: NDArray[np.uint8], candidate: NDArray[np.uint8], *, signed: bool
) -> NDArray[np.float32]:
    """Candidate − reference [8-bit levels], float32, shape (H, W).

    Args:
        reference, candidate: uint8, shape (H, W, 3), the same size.
        signed: of the brightness, else the largest channel's size.

    Raises:
        ValueError: when the sizes differ.
    """
    if reference.shape != candidate.shape:
        raise ValueError(f"sizes differ: {reference.shape} and {candidate.shape}")
    delta = candidate.astype(np.float32) - reference.astype(np.float32)
    if signed:
        return np.asarray(delta @ np.array(LUMINANCE, dtype=np.float32))
    return np.asarray(np.abs(delta).max(axis=2))


def map_colors(values: NDArray[np.floating], limit: float, *, signed: bool) -> NDArray[np.uint8]:
    """Colours of errors, ``limit`` > 0 at the ends, uint8, shape of values + (3,)."""
    return signed_colors(values, limit) if signed else magnitude_colors(values, limit)


def laid_over(
    base: NDArray[np.uint8], colors: NDArray[np.uint8], values: NDArray[np.floating], *,
    limit: float, opacity: float,
) -> NDArray[np.uint8]:  # fmt: skip
    """The colours over a picture, which stays as it is where there is no error.

    The cover grows with the error up to half of the map's end and is ``opacity`` from there on.

    Args:
        base, colors: uint8, shape (H, W, 3).
        values: the errors, shape (H, W).
        limit: end of the map.
        opacity: 0 … 1.
    """
    share = np.abs(np.asarray(values, dtype=np.float32)) / np.float32(limit * _OPAQUE_FROM)
    cover = (np.clip(share, 0.0, 1.0) * np.float32(opacity))[..., None]
    return np.rint(base + (colors.astype(np.float32) - base) * cover).astype(np.uint8)


def difference_picture(
    reference: NDArray[np.uint8], candidate: NDArray[np.uint8], *, gain: float, signed: bool
) -> NDArray[np.uint8]:
    """Colours of candidate − reference, uint8, shape (H, W, 3).

    Args:
        reference, candidate: uint8, shape (H, W, 3), the same size.
        gain: the ends of the map lie at 255 / gain levels.
        signed: brightness on the diverging map, else the largest channel's size on the sequential one.

    Raises:
        ValueError: when the sizes differ.
    """
    values = color_difference(reference, candidate, signed=signed)
    return map_colors(values, 255.0 / gain, signed=signed)

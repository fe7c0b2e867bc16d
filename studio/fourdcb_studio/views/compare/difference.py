"""The per-pixel difference as a picture: signed brightness or largest channel, times a gain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import LUMINANCE
from fourdcb_studio.theme import magnitude_colors, signed_colors


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
    if reference.shape != candidate.shape:
        raise ValueError(f"sizes differ: {reference.shape} and {candidate.shape}")
    delta = candidate.astype(np.float32) - reference.astype(np.float32)
    limit = 255.0 / gain
    if signed:
        return signed_colors(delta @ np.array(LUMINANCE, dtype=np.float32), limit)
    return magnitude_colors(np.abs(delta).max(axis=2), limit)

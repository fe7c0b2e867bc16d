"""Clips that show nearly the same pictures, whatever their names say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourdcb.arrays import U8

NEAR = 2.0  # mean difference of two clips' thumbnails, of 255, below which they are the same clip


def near_duplicates(thumbnails: Sequence[U8]) -> list[tuple[int, int, float]]:
    """Pairs (i, j, mean difference of 255), i < j, of clips that differ by less than :data:`NEAR`.

    Args:
        thumbnails: of every clip, all of one shape (F, H, W, 3).
    """
    if len(thumbnails) < 2:
        return []
    flat = np.stack([one.reshape(-1) for one in thumbnails]).astype(np.float32)
    # Mean colours differ by no more than the pictures do: a cheap bound sorts out nearly all pairs.
    level = flat.reshape(len(flat), -1, 3).mean(axis=1)
    found = []
    for a in range(len(flat) - 1):
        close = np.flatnonzero(np.abs(level[a + 1 :] - level[a]).max(axis=1) < 3.0 * NEAR) + a + 1
        gaps = np.abs(flat[close] - flat[a]).mean(axis=1)
        found += [(a, int(b), float(gap)) for b, gap in zip(close, gaps, strict=True) if gap < NEAR]
    return found

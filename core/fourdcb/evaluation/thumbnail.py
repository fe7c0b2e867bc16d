"""A small picture of where a candidate fails: original beside replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.pictures.clip import partners

if TYPE_CHECKING:
    from fourdcb.evaluation.candidate import Evaluation

_HEIGHT = 192  # of a thumbnail [px]
_GAP = 2


def thumbnail(evaluation: Evaluation) -> NDArray[np.uint8] | None:
    """Original beside replay at the first finding's frame, else in the middle; None when not drawn."""
    frames, video = evaluation.candidate.frames, evaluation.video
    if frames is None:
        return None
    located = (f.frame for f in evaluation.report.findings if f.frame is not None)
    frame = min(next(located, len(frames) // 2), len(frames) - 1)
    tiles = [_small(frames[frame])]
    if video is not None:
        times = evaluation.candidate.world.frame_times()[frame : frame + 1]
        partner = int(partners(times, video.info.times)[0])
        original = video.frames[partner] if partner >= 0 else np.zeros_like(frames[frame])
        gap = np.zeros((tiles[0].shape[0], _GAP, 3), dtype=np.uint8)
        tiles = [_small(original), gap, tiles[0]]
    return np.concatenate(tiles, axis=1)


def _small(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    from PIL import Image

    height, width = image.shape[:2]
    if height <= _HEIGHT:
        return image
    size = (max(round(width * _HEIGHT / height), 1), _HEIGHT)
    return np.asarray(Image.fromarray(image).resize(size, Image.Resampling.LANCZOS))

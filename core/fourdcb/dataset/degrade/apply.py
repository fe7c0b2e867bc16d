"""Linear pictures in, degraded sRGB pictures out; compression follows when they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import srgb_from_linear
from fourdcb.dataset.degrade.sensor import IMX477
from fourdcb.dataset.degrade.strength import Degradation
from fourdcb.randomness import generator


def degraded(
    frames: Iterable[NDArray[np.floating]], how: Degradation, *, count: int, seed: int, path: str
) -> Iterator[NDArray[np.uint8]]:
    """Degraded frames, one by one; the noise of a frame depends on the seed, its number and nothing else.

    The hand is before the lens, so it is photographed with the rest: occluded first, then exposed.

    Args:
        frames: exposed linear light, 1 is white, shape (H, W, 3) each; already through the lens.
        how: what is done.
        count: frames of the whole clip.
        seed, path: node of the seed tree.
    """
    for k, light in enumerate(frames):
        picture = np.clip(np.asarray(light, dtype=np.float64), 0.0, 1.0)
        if how.hand is not None:
            height, width = picture.shape[:2]
            alpha = how.hand.alpha(k / max(count - 1, 1), width=width, height=height)[..., None]
            picture = (1.0 - alpha) * picture + alpha * np.asarray(how.hand.color)
        if how.white_electrons is not None:
            random = generator(seed, f"{path}/noise/{k}")
            numbers = IMX477.exposed(picture, white=how.white_electrons, random=random)
            picture = np.clip(IMX477.developed(numbers, white=how.white_electrons), 0.0, 1.0)
        yield np.round(255.0 * srgb_from_linear(picture)).astype(np.uint8)

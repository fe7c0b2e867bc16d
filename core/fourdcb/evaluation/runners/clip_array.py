"""A clip as the arrays that models take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.identity import StrPath
from fourdcb.video import VideoInfo


def sampled_frames(
    path: StrPath, count: int
) -> tuple[list[NDArray[np.uint8]], NDArray[np.float64], VideoInfo]:
    """Some frames of a clip, evenly chosen with the first and the last among them; 0 takes all.

    Returns:
        sRGB pictures (H, W, 3), their presentation times [s], and what the file says of itself.

    Raises:
        UserError: the video cannot be read or is empty.
    """
    from fourdcb.video import VideoReader

    with VideoReader(path) as reader:
        total = reader.info.n_frames
        if total == 0:
            raise UserError("the video has no frames", where=str(path))
        chosen = np.arange(total)
        if 0 < count < total:
            chosen = np.unique(np.linspace(0, total - 1, count).round().astype(np.intp))
        return [reader.frame(int(k)) for k in chosen], reader.info.times[chosen], reader.info


def load_video(path: StrPath, *, size: int = 256, frames: int = 0) -> NDArray[np.float32]:
    """A clip, frame by frame exact, with its aspect kept and black bars around.

    Args:
        path: the video.
        size: side of the square pictures [px].
        frames: how many, evenly chosen with the first and the last among them; 0 takes all.

    Returns:
        sRGB values in [0, 1], shape (T, 3, size, size).

    Raises:
        UserError: the video cannot be read or is empty.
    """
    from fourdcb.video import letterbox

    pictures, _, _ = sampled_frames(path, frames)
    boxed = np.stack([letterbox(picture, width=size, height=size)[0] for picture in pictures])
    return np.ascontiguousarray(np.moveaxis(boxed.astype(np.float32) / np.float32(255), -1, 1))

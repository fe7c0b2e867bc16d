"""What is known of a clip before its pixels are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoInfo:
    """Properties of a clip; times are relative to its first frame.

    Attributes:
        width, height: size of the frames that the reader returns [px], after rotation.
        n_frames: presented frames (frames before the start of an edit list do not count).
        fps: mean frame rate [1/s].
        constant_rate: whether frame k is at k / fps within the file's clock resolution.
        duration: presentation end of the last frame [s].
        times: presentation times [s], shape (T,), strictly increasing, first = 0.
        start_time: time of the first frame on the container's clock [s].
        codec, pix_fmt: FFmpeg's names.
        rotation: clockwise turn that the reader applies [deg], one of 0, 90, 180, 270.
        mirrored: whether the reader also mirrors the frames (rare display matrices).
        color_space: matrix in use, ``bt601``, ``bt709``, ``bt2020``, ``rgb`` …;
            untagged YUV counts as BT.601.
        full_range: whether luma spans 0…255 (of 8 bits) instead of 16…235.
        pixel_aspect: width / height of a stored pixel; the reader does not resample.
        truncated: the file ends before the clip does, or parts of it are damaged; only the decodable
            frames are here.
    """

    width: int
    height: int
    n_frames: int
    fps: float
    constant_rate: bool
    duration: float
    times: NDArray[np.float64] = field(repr=False, compare=False)
    start_time: float
    codec: str
    pix_fmt: str
    rotation: int
    mirrored: bool
    color_space: str
    full_range: bool
    pixel_aspect: float
    truncated: bool

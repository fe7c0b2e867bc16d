"""What is known of a clip before its pixels are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoInfo:
    """Properties of a clip; times are relative to its first frame.

    Attributes:
        width, height: size of the frames that the reader returns [px]: cropped, with square pixels, upright.
        stored_width, stored_height: size of the first stored picture [px].
        sizes: all sizes of stored pictures that were found, in order, as (width, height) [px]; more than one
            when the size changes midway (key frames are looked at, of a long clip some).
        n_frames: presented frames (frames before the start of an edit list do not count).
        fps: mean frame rate [1/s].
        constant_rate: whether frame k is at k / fps within the file's clock resolution.
        duration: presentation end of the last frame [s].
        times: presentation times [s], shape (T,), strictly increasing, first = 0.
        start_time: time of the first frame on the container's clock [s].
        codec, pix_fmt: FFmpeg's names.
        rotation: clockwise turn that the reader applies [deg], one of 0, 90, 180, 270.
        rotation_left_over: how far the file asks for another angle [deg]; not applied.
        mirrored: whether the reader also mirrors the frames (rare display matrices).
        color_space: matrix in use, ``bt601``, ``bt709``, ``bt2020``, ``bt2020_cl``, ``ycgco``, ``rgb`` …;
            untagged YUV counts as BT.601.
        transfer: ``sdr``, ``pq`` or ``hlg``; the latter are converted to sRGB.
        primaries: ``bt709`` (and what is close to it), ``bt2020``, ``display_p3`` or ``dci_p3``; converted.
        alpha: whether frames carry opacity; they are composited on black.
        full_range: whether luma spans 0…255 (of 8 bits) instead of 16…235.
        pixel_aspect: width / height of a stored pixel; frames are resampled to square ones.
        cropped: whether the file shows only a part of its pictures (clean aperture); so does the reader.
        interlaced: whether each frame holds two moments in alternate rows; they are not separated.
        stream, video_streams: the stream that is read, and how many the file holds (covers do not count).
        stamped: whether the file carries usable presentation times; else the codec announces the rate.
        discarded_frames: frames left out because their stamp is that of another one.
        truncated: the file ends before the clip does, or parts of it are damaged; only the decodable
            frames are here.
    """

    width: int
    height: int
    stored_width: int
    stored_height: int
    sizes: tuple[tuple[int, int], ...]
    n_frames: int
    fps: float
    constant_rate: bool
    duration: float
    times: NDArray[np.float64] = field(repr=False, compare=False)
    start_time: float
    codec: str
    pix_fmt: str
    rotation: int
    rotation_left_over: float
    mirrored: bool
    color_space: str
    full_range: bool
    transfer: str
    primaries: str
    alpha: bool
    pixel_aspect: float
    cropped: bool
    interlaced: bool
    stream: int
    video_streams: int
    stamped: bool
    discarded_frames: int
    truncated: bool

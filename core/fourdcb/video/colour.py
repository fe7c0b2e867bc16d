"""YUV frames to upright sRGB arrays, honouring matrix, range and display rotation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from av.sidedata.sidedata import Type as SideDataType
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from numpy.typing import NDArray

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

# Exact rounding and interpolated chroma: with the default flags flat patches are off by up to 3/255.
EXACT = (
    Interpolation.BILINEAR
    | Interpolation.ACCURATE_RND
    | Interpolation.FULL_CHR_H_INT
    | Interpolation.FULL_CHR_H_INP
    | Interpolation.BITEXACT
)

# AVColorSpace (H.273 matrix coefficients) to the matrices of swscale.
_MATRICES = {
    1: ("bt709", Colorspace.ITU709),
    4: ("fcc", Colorspace.FCC),
    5: ("bt601", Colorspace.ITU601),
    6: ("bt601", Colorspace.ITU601),
    7: ("smpte240m", Colorspace.SMPTE240M),
    9: ("bt2020", Colorspace.BT2020),
    10: ("bt2020", Colorspace.BT2020),
}
# FFmpeg, OpenCV and most scripts write untagged BT.601, whatever the size.
_UNTAGGED = ("bt601", Colorspace.ITU601)

Rgb = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Orientation:
    """How stored frames become upright: transpose first, then mirror rows and columns."""

    transpose: bool = False
    flip_x: bool = False
    flip_y: bool = False

    @property
    def rotation(self) -> int:
        """Clockwise part of the turn [deg], one of 0, 90, 180, 270."""
        if self.transpose:
            return 90 if self.flip_x else 270
        return 180 if self.flip_y else 0

    @property
    def mirrored(self) -> bool:
        """Whether a mirroring remains beside the turn."""
        return (self.transpose + self.flip_x + self.flip_y) % 2 == 1

    def apply(self, rgb: Rgb) -> Rgb:
        """Upright copy (contiguous) of a stored frame, shape (H, W, 3)."""
        if self.transpose:
            rgb = rgb.transpose(1, 0, 2)
        if self.flip_x:
            rgb = rgb[:, ::-1]
        if self.flip_y:
            rgb = rgb[::-1]
        return np.ascontiguousarray(rgb)


def orientation_of(frame: VideoFrame) -> Orientation:
    """Orientation from the display matrix (x' = a x + c y, y' = b x + d y), to the nearest right angle."""
    side_data: Any = frame.side_data  # PyAV's stub misses the keys that the container really takes
    try:
        data = side_data[SideDataType.DISPLAYMATRIX]
    except KeyError:
        return Orientation()
    a, b, _, c, d = np.frombuffer(bytes(data), dtype=np.int32)[:5].tolist()
    if abs(b) > abs(a):
        return Orientation(transpose=True, flip_x=c < 0, flip_y=b < 0)
    return Orientation(flip_x=a < 0, flip_y=d < 0)


def color_space_of(frame: VideoFrame) -> str:
    """Name of the matrix that :func:`rgb_from_frame` uses."""
    return "rgb" if frame.format.is_rgb else _MATRICES.get(int(frame.colorspace), _UNTAGGED)[0]


def is_full_range(frame: VideoFrame) -> bool:
    """Whether the samples span the whole code range."""
    return frame.format.is_rgb or int(frame.color_range) == 2 or frame.format.name.startswith("yuvj")


def rgb_from_frame(frame: VideoFrame, reformatter: VideoReformatter, orientation: Orientation) -> Rgb:
    """Upright 8-bit sRGB, shape (H, W, 3), a fresh contiguous array."""
    matrix = None if frame.format.is_rgb else _MATRICES.get(int(frame.colorspace), _UNTAGGED)[1]
    converted = reformatter.reformat(
        frame,
        format="rgb24",
        src_colorspace=matrix,
        src_color_range=ColorRange.JPEG if is_full_range(frame) else ColorRange.MPEG,
        dst_color_range=ColorRange.JPEG,
        interpolation=EXACT,
        threads=1,
    )
    return orientation.apply(np.asarray(converted.to_ndarray(), dtype=np.uint8))

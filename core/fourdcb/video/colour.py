"""Decoded frames to sRGB arrays, honouring matrix, range, transfer, primaries and alpha."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from av.sidedata.sidedata import Type as SideDataType
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.video.wide_colour import Primaries, Transfer, srgb_from_wide
from fourdcb.video.ycbcr import RARE_MATRICES, rgb_from_ycbcr

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
}
# FFmpeg, OpenCV and most scripts write untagged BT.601, whatever the size.
_UNTAGGED = ("bt601", Colorspace.ITU601)
_UNSAID = frozenset({0, 2, 3})  # no YUV matrix, unspecified, reserved
# "Derived from the primaries": those of BT.709 and BT.2020 give the matrices of these.
_DERIVED, _PRIMARIES_MATRIX = 12, {1: 1, 9: 9}
_UNREAD = {11: "SMPTE ST 2085", 13: "chromaticity-derived constant luminance", 14: "ICtCp", 15: "IPT-C2"}

_TRANSFERS: dict[int, Transfer] = {16: "pq", 18: "hlg"}
_PRIMARIES: dict[int, Primaries] = {9: "bt2020", 11: "dci_p3", 12: "display_p3"}

Rgb = NDArray[np.uint8]
ALPHA_GROUND = "black"  # what transparent pixels are composited on, as players do


@dataclass(frozen=True, slots=True)
class ColourCoding:
    """How the samples of a frame stand for colours.

    Attributes:
        matrix: AVColorSpace number that is decoded with; None for RGB.
        space: its name, ``bt601``, ``bt709``, ``bt2020``, ``bt2020_cl``, ``ycgco``, ``rgb`` …
        full_range: whether luma spans all codes.
        transfer: ``sdr``, ``pq`` or ``hlg``.
        primaries: ``bt709`` (and what is close to it), ``bt2020``, ``display_p3`` or ``dci_p3``.
        alpha: whether the frame carries opacity.
    """

    matrix: int | None
    space: str
    full_range: bool
    transfer: Transfer
    primaries: Primaries
    alpha: bool

    @property
    def plain(self) -> bool:
        """Whether swscale alone gives sRGB."""
        return not self.alpha and self.matrix not in RARE_MATRICES and not self._wide

    @property
    def _wide(self) -> bool:
        return self.transfer != "sdr" or self.primaries != "bt709"


def coding_of(frame: VideoFrame) -> ColourCoding:
    """The coding that a frame's tags tell.

    Raises:
        UserError: for a matrix that cannot be undone here (a wrong one would give plausible colours).
    """
    matrix, space = (None, "rgb") if frame.format.is_rgb else _matrix_of(frame)
    return ColourCoding(
        matrix=matrix,
        space=space,
        full_range=_is_full_range(frame),
        transfer=_TRANSFERS.get(int(frame.color_trc), "sdr"),
        primaries=_PRIMARIES.get(int(frame.color_primaries), "bt709"),
        alpha=_has_alpha(frame),
    )


def rgb_from_frame(
    frame: VideoFrame, reformatter: VideoReformatter, coding: ColourCoding | None = None
) -> Rgb:
    """The stored picture as 8-bit sRGB, shape (H, W, 3), contiguous.

    Transparent pixels are composited on black; HDR and wide gamuts are converted as
    :func:`fourdcb.video.wide_colour.srgb_from_wide` says.
    """
    coding = coding or coding_of(frame)
    if coding.plain:
        return np.asarray(_converted(frame, reformatter, coding, "rgb24").to_ndarray(), dtype=np.uint8)
    if coding.alpha:
        rgba = np.asarray(_converted(frame, reformatter, coding, "rgba").to_ndarray(), dtype=np.uint16)
        return ((rgba[..., :3] * rgba[..., 3:] + 127) // 255).astype(np.uint8)
    if coding.matrix is None:
        # Planar: swscale's packed 16-bit RGB is wrong with interpolated chroma.
        wide = _converted(frame, reformatter, coding, "gbrp16le").to_ndarray()
        signal = np.asarray(wide, dtype=np.float32) / np.float32(65535.0)
    else:
        depth = frame.format.components[0].bits
        signal = rgb_from_ycbcr(
            _full_chroma(frame, reformatter, coding, depth=depth),
            coding.matrix, full_range=coding.full_range, depth=depth,
        )  # fmt: skip
    return srgb_from_wide(signal, transfer=coding.transfer, primaries=coding.primaries)


def _matrix_of(frame: VideoFrame) -> tuple[int, str]:
    number = int(frame.colorspace)
    if number == _DERIVED:
        number = _PRIMARIES_MATRIX.get(int(frame.color_primaries), number)
    if number in _UNSAID and _is_dolby_vision(frame):
        number = 15
    if number in _MATRICES:
        return number, _MATRICES[number][0]
    if number in RARE_MATRICES:
        return number, RARE_MATRICES[number]
    if number in _UNSAID:
        return 5, _UNTAGGED[0]
    raise UserError(
        "the video's colours are coded in a way that is not read here",
        got=_UNREAD.get(number, f"matrix coefficients {number} of ITU-T H.273"),
        expected="RGB, or YUV by BT.601, BT.709, BT.2020 or YCgCo",
        hint="convert the video to BT.709 first",
    )


def _is_dolby_vision(frame: VideoFrame) -> bool:
    """Profile 5 says nothing of its matrix, which is IPT-C2, but carries metadata of its own."""
    side_data: Any = frame.side_data
    return any(data.type == SideDataType.DOVI_METADATA for data in side_data) if side_data else False


def _is_full_range(frame: VideoFrame) -> bool:
    return frame.format.is_rgb or int(frame.color_range) == 2 or frame.format.name.startswith("yuvj")


def _has_alpha(frame: VideoFrame) -> bool:
    return frame.format.has_palette or any(part.is_alpha for part in frame.format.components)


def _full_chroma(
    frame: VideoFrame, reformatter: VideoReformatter, coding: ColourCoding, *, depth: int
) -> NDArray[np.float32]:
    """Codes with interpolated chroma, shape (3, H, W)."""
    if depth == 8:
        return _converted(frame, reformatter, coding, "yuv444p").to_ndarray().astype(np.float32)
    shifted = _converted(frame, reformatter, coding, "yuv444p16le").to_ndarray().transpose(2, 0, 1)
    return shifted.astype(np.float32) / np.float32(1 << (16 - depth))


_Wanted = Literal["rgb24", "rgba", "gbrp16le", "yuv444p", "yuv444p16le"]


def _converted(
    frame: VideoFrame, reformatter: VideoReformatter, coding: ColourCoding, wanted: _Wanted
) -> VideoFrame:
    own = ColorRange.JPEG if coding.full_range else ColorRange.MPEG
    if wanted == "yuv444p16le":
        own = ColorRange.MPEG  # whatever it is: then swscale shifts codes exactly
    matrix = None if coding.matrix is None else _MATRICES.get(coding.matrix, _UNTAGGED)[1]
    return reformatter.reformat(
        frame,
        format=wanted,
        src_colorspace=matrix,
        dst_colorspace=matrix if wanted.startswith("yuv") else None,
        src_color_range=own,
        dst_color_range=own if wanted.startswith("yuv") else ColorRange.JPEG,
        interpolation=EXACT,
        threads=1,
    )

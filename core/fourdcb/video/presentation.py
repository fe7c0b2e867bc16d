"""How stored pictures become those that are shown: crop, square pixels, one size, upright."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from av.sidedata.sidedata import Type as SideDataType
from numpy.typing import NDArray

from fourdcb.video.clean_aperture import Aperture
from fourdcb.video.letterbox import letterbox

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

Rgb = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Orientation:
    """How stored frames become upright: transpose first, then mirror rows and columns.

    ``left_over`` is the angle beyond the nearest right one that the file asks for [deg]; it is not applied.
    """

    transpose: bool = False
    flip_x: bool = False
    flip_y: bool = False
    left_over: float = 0.0

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
    turn = math.degrees(math.atan2(b, a))
    left_over = abs(turn - 90.0 * round(turn / 90.0))
    if abs(b) > abs(a):
        return Orientation(transpose=True, flip_x=c < 0, flip_y=b < 0, left_over=left_over)
    return Orientation(flip_x=a < 0, flip_y=d < 0, left_over=left_over)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """From the stored pictures of a clip to the shown ones, all of one size.

    Attributes:
        stored_width, stored_height: size of the first stored picture [px].
        aperture: the part of it that is shown (``clap`` of ISO files), or None for all.
        pixel_aspect: width / height of a stored pixel.
        orientation: how it is turned.
    """

    stored_width: int
    stored_height: int
    aperture: Aperture | None = None
    pixel_aspect: float = 1.0
    orientation: Orientation = field(default_factory=Orientation)

    @property
    def width(self) -> int:
        """Of the shown picture [px]."""
        return self._square[1 if self.orientation.transpose else 0]

    @property
    def height(self) -> int:
        """Of the shown picture [px]."""
        return self._square[0 if self.orientation.transpose else 1]

    def shown(self, rgb: Rgb) -> Rgb:
        """A stored picture, shape (H, W, 3), as it is shown: a fresh contiguous array.

        Pixels that are not square are stretched along their longer side, so that nothing is lost. A picture
        of another size than the first (the size changed midway) is fitted into the first one's.
        """
        import cv2

        width, height = self._square
        if rgb.shape[:2] != (self.stored_height, self.stored_width):
            return self.orientation.apply(letterbox(rgb, width=width, height=height)[0])
        if self.aperture is not None:
            rgb = rgb[self.aperture.rows, self.aperture.columns]
        if rgb.shape[:2] != (height, width):
            rgb = np.asarray(cv2.resize(rgb, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
        return self.orientation.apply(rgb)

    @property
    def _square(self) -> tuple[int, int]:
        """Width and height with square pixels, before the picture is turned."""
        width, height = self.stored_width, self.stored_height
        if self.aperture is not None:
            width, height = self.aperture.width, self.aperture.height
        if self.pixel_aspect >= 1.0:
            return round(width * self.pixel_aspect), height
        return width, round(height / self.pixel_aspect)

"""Fitting frames into a fixed size without distortion, with the transform on record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fourdcb.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Letterbox:
    """Where the source landed in the box.

    Attributes:
        source_width, source_height: size before [px].
        width, height: size of the box [px].
        content_width, content_height: size of the scaled picture inside the box [px].
        left, top: its upper left corner [px].
    """

    source_width: int
    source_height: int
    width: int
    height: int
    content_width: int
    content_height: int
    left: int
    top: int

    @property
    def fills(self) -> bool:
        """Whether the picture covers the box: nothing is left over."""
        return (self.content_width, self.content_height) == (self.width, self.height)

    @property
    def identity(self) -> bool:
        """Whether nothing changes."""
        return self.fills and (self.source_width, self.source_height) == (self.width, self.height)

    def to_box(self, points: ArrayLike) -> NDArray[np.float64]:
        """Source image points to box points [px], shape (..., 2); pixel centres are at +0.5."""
        return np.asarray(points, dtype=np.float64) * self._scale + (self.left, self.top)

    def to_source(self, points: ArrayLike) -> NDArray[np.float64]:
        """Inverse of :meth:`to_box`."""
        return (np.asarray(points, dtype=np.float64) - (self.left, self.top)) / self._scale

    @property
    def content(self) -> tuple[slice, slice]:
        """Rows and columns of the picture inside the box."""
        rows = slice(self.top, self.top + self.content_height)
        return rows, slice(self.left, self.left + self.content_width)

    @property
    def _scale(self) -> NDArray[np.float64]:
        return np.array([self.content_width / self.source_width, self.content_height / self.source_height])


def fit_letterbox(*, source_width: int, source_height: int, width: int, height: int) -> Letterbox:
    """The centred placement with the largest scale that fits.

    Sizes are whole numbers, so equal aspects may differ by part of a pixel: a gap of less than one is filled.

    Raises:
        UserError: when a size is not positive.
    """
    if min(source_width, source_height, width, height) < 1:
        raise UserError(
            "a picture without pixels cannot be fitted",
            got=f"{source_width} x {source_height} into {width} x {height}",
        )
    scale = min(width / source_width, height / source_height)
    content_width = _filling(source_width * scale, width)
    content_height = _filling(source_height * scale, height)
    return Letterbox(
        source_width=source_width,
        source_height=source_height,
        width=width,
        height=height,
        content_width=content_width,
        content_height=content_height,
        left=(width - content_width) // 2,
        top=(height - content_height) // 2,
    )


def _filling(content: float, box: int) -> int:
    return box if box - content < 1.0 else max(1, round(content))


def letterbox(
    frame: NDArray[np.uint8], *, width: int = 256, height: int = 256
) -> tuple[NDArray[np.uint8], Letterbox]:
    """Scale a frame into a box; what is left over is black.

    Shrinking averages areas, growing interpolates linearly.

    Args:
        frame: uint8, shape (H, W, 3).
        width, height: size of the box [px].
    """
    import cv2

    placement = fit_letterbox(
        source_width=frame.shape[1], source_height=frame.shape[0], width=width, height=height
    )
    if placement.identity:
        return frame.copy(), placement
    size = (placement.content_width, placement.content_height)
    shrinks = placement.content_width < placement.source_width
    scaled = cv2.resize(frame, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    box = np.zeros((height, width, 3), dtype=np.uint8)
    box[placement.content] = scaled
    return box, placement

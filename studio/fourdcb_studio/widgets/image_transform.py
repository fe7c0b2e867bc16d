"""Where an image lies in its cell: one zoom and one centre, shared by all cells (locked pan and zoom)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF

_MIN_SCALE = 0.05
_MAX_SCALE = 64.0


@dataclass(frozen=True, slots=True)
class ViewTransform:
    """Zoom and centre of the view.

    Attributes:
        scale: widget px per image px; None fits the image into its cell.
        centre: point of the image, as fractions of its width and height, in the middle of the cell.
    """

    scale: float | None = None
    centre: tuple[float, float] = (0.5, 0.5)

    def scale_in(self, cell: QRectF, width: int, height: int) -> float:
        """Widget px per image px in ``cell``."""
        if self.scale is not None:
            return self.scale
        return max(1e-6, min(cell.width() / width, cell.height() / height))

    def target(self, cell: QRectF, width: int, height: int) -> QRectF:
        """Where the whole image lies [widget px]; may reach out of the cell."""
        s = self.scale_in(cell, width, height)
        x = cell.center().x() - self.centre[0] * width * s
        y = cell.center().y() - self.centre[1] * height * s
        return QRectF(x, y, width * s, height * s)

    def image_point(self, at: QPointF, cell: QRectF, width: int, height: int) -> tuple[float, float]:
        """Image coordinates [px] under a widget point; pixel (i, j) covers [i, i+1) × [j, j+1)."""
        target = self.target(cell, width, height)
        return (
            (at.x() - target.x()) * width / target.width(),
            (at.y() - target.y()) * height / target.height(),
        )

    def zoomed(self, factor: float, at: QPointF, cell: QRectF, width: int, height: int) -> ViewTransform:
        """Zoom by ``factor``; the image point under ``at`` stays there."""
        before = self.scale_in(cell, width, height)
        after = min(max(before * factor, _MIN_SCALE), _MAX_SCALE)
        u, v = self.image_point(at, cell, width, height)
        centre = (
            (u - (at.x() - cell.center().x()) / after) / width,
            (v - (at.y() - cell.center().y()) / after) / height,
        )
        return ViewTransform(after, centre)._clamped()

    def panned(self, dx: float, dy: float, cell: QRectF, width: int, height: int) -> ViewTransform:
        """Move the image by (dx, dy) widget px; a fitted image stays where it is."""
        if self.scale is None:
            return self
        centre = (
            self.centre[0] - dx / (self.scale * width),
            self.centre[1] - dy / (self.scale * height),
        )
        return replace(self, centre=centre)._clamped()

    def _clamped(self) -> ViewTransform:
        # The middle of the cell always shows some of the image: it cannot be lost.
        u, v = (min(max(c, 0.0), 1.0) for c in self.centre)
        return replace(self, centre=(u, v))

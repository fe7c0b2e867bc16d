"""The outlines of bodies in a picture, as a path along the borders between pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from fourdcb_studio.theme.tokens import DARK


def outline_path(instances: NDArray[np.int16]) -> QPainterPath:
    """Borders between pixels of different bodies, in image px; straight runs are one line each.

    Args:
        instances: the body under each pixel, shape (H, W).
    """
    path = QPainterPath()
    for row, start, stop in _runs(instances[:-1] != instances[1:]):
        path.moveTo(start, row + 1)
        path.lineTo(stop, row + 1)
    for column, start, stop in _runs((instances[:, :-1] != instances[:, 1:]).T):
        path.moveTo(column + 1, start)
        path.lineTo(column + 1, stop)
    return path


def paint_outline(
    painter: QPainter,
    path: QPainterPath,
    target: QRectF,
    width: int,
    clip: QRectF,
    *,
    original: bool,
    bold: bool = False,
) -> None:
    """Lay an outline over its image: dashed white for the original, a bright blue line for the replay.

    The colours are those of the dark theme in both: images do not turn light with the window.

    Args:
        target: where the whole image lies [px].
        width: width of the image [image px].
        clip: the part of it that is shown [px].
        bold: wider, of the selected body.
    """
    color, style = ("#ffffff", Qt.PenStyle.DashLine) if original else (DARK.accent, Qt.PenStyle.SolidLine)
    scale = target.width() / width
    painter.save()
    painter.setClipRect(clip)
    painter.translate(target.topLeft())
    painter.scale(scale, scale)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    dark, bright = (5.0, 3.0) if bold else (3.0, 1.6)
    for ink, wide, line in (("#000000", dark, Qt.PenStyle.SolidLine), (color, bright, style)):
        pen = QPen(QColor(ink), wide, line)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawPath(path)
    painter.restore()


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """(row, start, stop) of the runs of true values in each row."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, stops = np.nonzero(edges == -1)
    return list(zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True))

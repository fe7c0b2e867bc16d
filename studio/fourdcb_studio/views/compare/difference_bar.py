"""The colour bar that lies on the difference image."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from fourdcb_studio.theme import GRID, Lut, magnitude_colormap, mono_font, signed_colormap
from fourdcb_studio.widgets.image_paint import qimage

_BAR_WIDTH = 96


def paint_lut(painter: QPainter, rect: QRectF, lut: Lut) -> None:
    """Fill ``rect`` with a look-up table from left to right."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(rect, qimage(np.ascontiguousarray(lut[None, :, :])))
    painter.restore()


def paint_difference_bar(painter: QPainter, shown: QRectF, *, ends: tuple[str, str], signed: bool) -> None:
    """Bar and the words at its ends in the lower right corner of the difference image."""
    low, high = ends
    font = mono_font(11)
    metrics = QFontMetricsF(font)
    low_width, high_width = metrics.horizontalAdvance(low), metrics.horizontalAdvance(high)
    width = low_width + _BAR_WIDTH + high_width + 4 * GRID
    box = QRectF(shown.right() - width - GRID, shown.bottom() - 22 - GRID, width, 22)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(12, 14, 18, 190))
    painter.drawRoundedRect(box, 4, 4)
    painter.setFont(font)
    painter.setPen(QColor("#e6e9ef"))
    x = box.left() + GRID
    painter.drawText(QRectF(x, box.top(), low_width, 22), Qt.AlignmentFlag.AlignCenter, low)
    bar = QRectF(x + low_width + GRID, box.center().y() - 3, _BAR_WIDTH, 6)
    paint_lut(painter, bar, signed_colormap() if signed else magnitude_colormap())
    at = QRectF(bar.right() + GRID, box.top(), high_width, 22)
    painter.drawText(at, Qt.AlignmentFlag.AlignCenter, high)

"""How often each level occurs in both pictures, over each other, with the black and white point to drag."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb.conventions import LUMINANCE
from fourdcb.words import tr
from fourdcb_studio.theme import GRID, mono_font, tokens
from fourdcb_studio.views.compare.tone import CHANNEL_INDEX, Channel
from fourdcb_studio.widgets.keys import STEP_KEYS, keeps

BINS = 64
_LEAST_SPREAD = 4.0
_AXIS = 16


def counts(rgb: NDArray[np.uint8], channel: Channel) -> NDArray[np.float64]:
    """Share of the pixels in each of :data:`BINS` equal ranges of levels, shape (BINS,); sums to 1."""
    if channel in CHANNEL_INDEX:
        levels = rgb[..., CHANNEL_INDEX[channel]]
    elif channel == "luma":
        levels = (rgb @ np.array(LUMINANCE)).astype(np.uint8)
    else:
        levels = rgb
    found = np.bincount(levels.ravel() // (256 // BINS), minlength=BINS).astype(np.float64)
    return found / max(found.sum(), 1.0)


class Histogram(QWidget):
    """Two histograms and two handles; arrow keys move the handle that was touched last.

    Signals:
        range_changed(black, white): levels, while a handle is dragged.
    """

    range_changed = Signal(float, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reference: NDArray[np.float64] | None = None
        self._candidate: NDArray[np.float64] | None = None
        self._points = [0.0, 255.0]
        self._held: int | None = None
        self._last = 0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumWidth(160)
        self.setAccessibleName(tr("Histogram with black and white point"))
        self.setToolTip(
            tr("Levels of original (outlined) and replay (filled); drag the black and the white point")
        )

    def set_counts(
        self, reference: NDArray[np.float64] | None, candidate: NDArray[np.float64] | None
    ) -> None:
        """Shares by level, shape (BINS,), of each picture; None without one."""
        self._reference, self._candidate = reference, candidate
        self.update()

    def set_range(self, black: float, white: float) -> None:
        """Place of the handles; silent."""
        self._points = [black, white]
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, 96)

    def x_of(self, level: float) -> float:
        """Place of a level [px]."""
        area = self._area()
        return area.left() + area.width() * level / 255.0

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(GRID, 2, -GRID, -_AXIS)

    def _level(self, x: float) -> float:
        area = self._area()
        return min(max(255.0 * (x - area.left()) / max(area.width(), 1.0), 0.0), 255.0)

    def _move(self, which: int, level: float) -> None:
        low, high = (
            (0.0, self._points[1] - _LEAST_SPREAD) if which == 0 else (self._points[0] + _LEAST_SPREAD, 255.0)
        )
        self._points[which] = float(round(min(max(level, low), high)))
        self._last = which
        self.range_changed.emit(*self._points)
        self.update()

    # Mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        gaps = [abs(self.x_of(p) - event.position().x()) for p in self._points]
        self._held = int(np.argmin(gaps))
        self._move(self._held, self._level(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._move(self._held, self._level(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._points = [0.0, 255.0]
        self.range_changed.emit(*self._points)
        self.update()

    def event(self, event: QEvent) -> bool:
        return keeps(event, STEP_KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._move(self._last, self._points[self._last] + step)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme, area = QPainter(self), tokens(), self._area()
        painter.fillRect(area, theme.color("background"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = max((float(c.max()) for c in (self._reference, self._candidate) if c is not None), default=1.0)
        if self._candidate is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent", 0.55))
            painter.drawPath(self._path(self._candidate, top, closed=True))
        if self._reference is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("text"), 1.2))
            painter.drawPath(self._path(self._reference, top, closed=False))
        self._paint_handles(painter, area)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area)

    def _path(self, shares: NDArray[np.float64], top: float, *, closed: bool) -> QPainterPath:
        """A stair; heights by the square root, so that a sky does not flatten everything else."""
        area = self._area()
        width = area.width() / BINS
        path = QPainterPath(QPointF(area.left(), area.bottom()))
        for i, share in enumerate(shares.tolist()):
            y = area.bottom() - area.height() * (share / max(top, 1e-9)) ** 0.5
            path.lineTo(QPointF(area.left() + i * width, y))
            path.lineTo(QPointF(area.left() + (i + 1) * width, y))
        path.lineTo(QPointF(area.right(), area.bottom()))
        if closed:
            path.closeSubpath()
        return path

    def _paint_handles(self, painter: QPainter, area: QRectF) -> None:
        theme = tokens()
        painter.setFont(mono_font(11))
        for i, level in enumerate(self._points):
            x = self.x_of(level)
            painter.setPen(QPen(theme.color("text"), 1.5))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            side = Qt.AlignmentFlag.AlignLeft if i == 0 else Qt.AlignmentFlag.AlignRight
            box = QRectF(area.left(), area.bottom(), area.width(), _AXIS)
            painter.setPen(theme.color("muted"))
            painter.drawText(
                box, int(side | Qt.AlignmentFlag.AlignVCenter), f"{('black', 'white')[i]} {level:.0f}"
            )

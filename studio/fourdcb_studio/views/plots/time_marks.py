"""What lies behind the curves: the unpredictable part, events, and a threshold."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen

from fourdcb_studio.theme import mono_font, tokens
from fourdcb_studio.views.plots.data import EventMark
from fourdcb_studio.widgets.marks import CONTACT_MARKS, paint_mark


class TimeMarks(pg.GraphicsObject):
    """Painted over the whole view, in pixels; it does not widen the range of the values."""

    def __init__(self) -> None:
        super().__init__()
        self._horizon: int | None = None
        self._events: tuple[EventMark, ...] = ()
        self._threshold: tuple[float, str] | None = None
        self.setZValue(-10)

    def set_marks(
        self, horizon: int | None, events: tuple[EventMark, ...], threshold: tuple[float, str] | None
    ) -> None:
        """First frame that cannot be predicted, events, and (value, words) of the threshold."""
        self._horizon, self._events, self._threshold = horizon, events, threshold
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(self.viewRect())

    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def dataBounds(self, axis: int, frac: float = 1.0, orthoRange: Any = None) -> tuple[None, None]:
        """It asks for no room."""
        return None, None

    def paint(self, painter: QPainter, *_: Any) -> None:
        transform = painter.worldTransform()
        view = self.viewRect()
        box = transform.mapRect(view).normalized()
        painter.save()
        painter.resetTransform()
        painter.setClipRect(box)
        theme = tokens()
        if self._horizon is not None:
            x = transform.map(QPointF(self._horizon - 0.5, view.top())).x()
            beyond = QRectF(x, box.top(), box.right() - x, box.height())
            if beyond.width() > 0:
                painter.fillRect(beyond, theme.color("text", 0.05))
                painter.fillRect(beyond, QBrush(theme.color("text", 0.10), Qt.BrushStyle.BDiagPattern))
        for event in self._events:
            mark, role = CONTACT_MARKS.get(event.kind, ("dot", "muted"))
            x = round(transform.map(QPointF(event.frame, view.top())).x()) + 0.5
            painter.setPen(QPen(theme.color(role, 0.35), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, box.top() + 10), QPointF(x, box.bottom()))
            paint_mark(painter, mark, QPointF(x, box.top() + 6), 8, theme.color(role))
        if self._threshold is not None:
            value, words = self._threshold
            y = round(transform.map(QPointF(view.left(), value)).y()) + 0.5
            painter.setPen(QPen(theme.color("warning"), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setFont(mono_font(10))
            place = QRectF(box.left(), y - 15, box.width() - 6, 14)
            if place.top() < box.top():
                place.moveTop(y + 2)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()

"""The line between a side panel and the images, to be dragged."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb_studio.theme import tokens

_WIDTH = 5


class EdgeHandle(QWidget):
    """Tells how far it is dragged; a double click asks for the usual width.

    Signals:
        dragged(px): towards the images, since the last signal.
        reset_requested().
    """

    dragged = Signal(int)
    reset_requested = Signal()

    def __init__(self, side: Literal["left", "right"], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self._at: int | None = None
        self.setFixedWidth(_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 100)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._at = round(event.globalPosition().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._at is not None:
            x = round(event.globalPosition().x())
            step, self._at = x - self._at, x
            self.dragged.emit(step if self._side == "left" else -step)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._at = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.reset_requested.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), tokens()
        painter.fillRect(self.rect(), theme.color("background"))
        line = QRect(0 if self._side == "left" else _WIDTH - 1, 0, 1, self.height())
        painter.fillRect(line, theme.color("accent" if self.underMouse() else "line"))

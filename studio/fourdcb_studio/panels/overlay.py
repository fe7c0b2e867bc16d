"""A card that lies over the window until it is chosen from, clicked away or escaped."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget
from shiboken6 import isValid

from fourdcb_studio.theme import GRID, tokens
from fourdcb_studio.widgets.keys import keeps


class Overlay(QWidget):
    """Covers its parent; ``card`` holds the content. The keyboard goes back to who had it."""

    def __init__(self, parent: QWidget, *, size: QSize) -> None:
        super().__init__(parent)
        self._host = parent
        self._wanted = size
        self._last_focus: QWidget | None = None
        self.card = QFrame(self)
        self.card.setProperty("surface", "card")
        parent.installEventFilter(self)
        self.hide()

    def set_wanted_size(self, size: QSize) -> None:
        """Size that the card takes where there is room."""
        self._wanted = size
        if self.isVisible():
            self._place()

    def open(self) -> None:
        """Show it over the parent, in place of any other."""
        for other in self._host.findChildren(Overlay, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if other is not self and other.isVisible():
                other.dismiss()
        self._last_focus = self._host.window().focusWidget()
        self._place()
        self.show()
        self.raise_()

    def dismiss(self) -> None:
        """Hide it and give the keyboard back."""
        self.hide()
        # Rows and chips are made anew when the parameters change; who had the keyboard may be gone.
        if self._last_focus is not None and isValid(self._last_focus):
            self._last_focus.setFocus(Qt.FocusReason.OtherFocusReason)
        self._last_focus = None

    def _place(self) -> None:
        area = self._host.rect()
        self.setGeometry(area)
        room = area.size() - QSize(8 * GRID, 8 * GRID)
        size = self._wanted.boundedTo(room)
        top = max(4 * GRID, (area.height() - size.height()) // 3)
        self.card.setGeometry(QRect(QPoint((area.width() - size.width()) // 2, top), size))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        return keeps(event, frozenset({Qt.Key.Key_Escape})) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.card.geometry().contains(event.position().toPoint()):
            self.dismiss()

    def paintEvent(self, event: QPaintEvent) -> None:
        scrim = QColor(0, 0, 0, 120 if tokens().name == "dark" else 60)
        QPainter(self).fillRect(self.rect(), scrim)

"""Takes files that are dropped on the window, and says while they are dragged what they would open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QDropEvent, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import GRID, note_font, text_font, tokens

_HEIGHT = 64
_NAMED = 3  # files that are named


class DropHint(QWidget):
    """A frame along the edge of its parent and a word in the middle; the mouse goes through it.

    Args:
        parent: what it lies over.
        window: what files are dropped on.

    Signals:
        dropped(paths): files were dropped, a list of paths.
    """

    dropped = Signal(object)

    def __init__(self, parent: QWidget, window: QWidget) -> None:
        super().__init__(parent)
        self._names = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        window.setAcceptDrops(True)
        for watched in (parent, window):
            watched.installEventFilter(self)
        self.hide()

    def show_for(self, paths: Sequence[Path]) -> None:
        """Show it for what is dragged."""
        more = tr(" and {value} more", value=len(paths) - _NAMED) if len(paths) > _NAMED else ""
        self._names = " + ".join(path.name for path in paths[:_NAMED]) + more
        self._place()
        self.show()
        self.raise_()

    def names(self) -> str:
        """What would be opened, in words."""
        return self._names

    def _place(self) -> None:
        host = self.parentWidget()
        if host is not None:
            self.setGeometry(host.rect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        elif event.type() == QEvent.Type.DragLeave:
            self.hide()
        elif isinstance(event, QDropEvent) and event.type() in (QEvent.Type.DragEnter, QEvent.Type.Drop):
            return self._take(event)
        return super().eventFilter(watched, event)

    def _take(self, event: QDropEvent) -> bool:
        """Accept files; whether there are any."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if not paths:
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.DragEnter:
            self.show_for(paths)
        else:
            self.hide()
            self.dropped.emit(paths)
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), tokens()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("background", 0.55))
        painter.setPen(QPen(theme.color("accent"), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(6, 6, -6, -6), GRID, GRID)
        title = text_font(weight=QFont.Weight.DemiBold)
        widest = max(
            QFontMetricsF(title).horizontalAdvance(tr("Drop to open")),
            QFontMetricsF(note_font()).horizontalAdvance(self._names),
        )
        width = min(widest + 6 * GRID, self.width() - 8 * GRID)
        card = QRectF((self.width() - width) / 2, (self.height() - _HEIGHT) / 2, width, _HEIGHT)
        painter.setPen(QPen(theme.color("accent"), 1))
        painter.setBrush(theme.color("raised"))
        painter.drawRoundedRect(card, GRID, GRID)
        inner = card.adjusted(2 * GRID, 12, -2 * GRID, -12)
        self._write(painter, inner, tr("Drop to open"), title, "text", Qt.AlignmentFlag.AlignTop)
        self._write(painter, inner, self._names, note_font(), "muted", Qt.AlignmentFlag.AlignBottom)

    @staticmethod
    def _write(
        painter: QPainter, box: QRectF, text: str, font: QFont, role: str, side: Qt.AlignmentFlag
    ) -> None:
        painter.setFont(font)
        painter.setPen(tokens().color(role))
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, box.width())
        painter.drawText(box, int(side | Qt.AlignmentFlag.AlignHCenter), shown)

"""Errors and news that do not stop the work: the whole sentence, details on demand, buttons."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from fourdcb.words import tr
from fourdcb_studio.theme import GRID, RADIUS, icon, mono_font, tokens
from fourdcb_studio.widgets.labels import RoleLabel, breakable, sentence
from fourdcb_studio.widgets.marks import SEVERITY_MARKS, paint_mark

MessageSeverity = Literal["error", "warning", "info"]
_MOST_LINES = 8
_USUAL = 760
_HEIGHT = 40
_LIFT = 4 * GRID  # over the lower edge of the images, not astride it
_NEWS_MS = 6000  # mere news goes by itself
_FILLS = {"error": "bad_fill", "warning": "warning_fill", "info": "selected"}


class _Sign(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.severity: MessageSeverity = "info"
        self.setFixedSize(16, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        mark, role = SEVERITY_MARKS[self.severity]
        painter = QPainter(self)
        paint_mark(painter, mark, QPointF(8, self.height() / 2), 11, tokens().color(role))


class MessageBar(QWidget):
    """A card over the bottom of its parent; hidden while there is nothing to say.

    Signals:
        action(id): the message's button.
        closed(): the user closed it.
    """

    action = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._severity: MessageSeverity = "info"
        self._action_id = ""
        self._sign = _Sign()
        self._text = RoleLabel("")
        self._text.setWordWrap(True)  # what is cut might be the reason
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._more = self._link(tr("details"), self._toggle_details)
        self._copy = self._link(tr("copy"), self._copy_details)
        self._act = QPushButton("")
        self._act.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._act.clicked.connect(lambda: self.action.emit(self._action_id))
        self._close = QToolButton()
        self._close.setProperty("kind", "quiet")
        self._close.setProperty("shape", "icon")
        self._close.setFixedSize(28, 28)
        self._close.setToolTip(tr("Close"))
        self._close.setAccessibleName(tr("Close the message"))
        self._close.clicked.connect(self._on_close)
        self._fade = QTimer(self)
        self._fade.setSingleShot(True)
        self._fade.setInterval(_NEWS_MS)
        self._fade.timeout.connect(self._on_close)
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setProperty("kind", "code")
        self._details.setFont(mono_font())  # a style sheet's font draws -> and != as one sign
        self._details.hide()
        self._others: list[QPushButton] = []
        self._said = ""
        line = self._line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(self._sign)
        line.addWidget(self._text, 1)
        for widget in (self._more, self._copy, self._act, self._close):
            line.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, 4, GRID, 4)
        column.setSpacing(4)
        column.addLayout(line)
        column.addWidget(self._details)
        self.hide()
        if parent is not None:
            parent.installEventFilter(self)

    def show_message(
        self,
        text: str,
        details: str = "",
        severity: MessageSeverity = "error",
        action: tuple[str, str] | None = None,
        more: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Show a message in place of the last one; ``action`` and ``more`` are (id, text) of buttons."""
        self._set_others(more)
        self._severity = self._sign.severity = severity
        self._text.setText(breakable(sentence(text)))
        self._said = sentence(text)
        self._details.setPlainText(dedent(details))
        self._details.hide()
        self._more.setVisible(bool(details))
        self._more.setText(tr("details"))
        self._copy.setVisible(bool(details))
        self._action_id = action[0] if action else ""
        self._act.setText(action[1] if action else "")
        self._act.setVisible(action is not None)
        self._close.setIcon(icon("x", "muted"))
        self._place()
        self.show()
        self.raise_()
        self.update()
        if severity == "info" and action is None and not details:
            self._fade.start()
        else:
            self._fade.stop()

    def _set_others(self, buttons: Sequence[tuple[str, str]]) -> None:
        for button in self._others:
            button.hide()
            button.deleteLater()
        self._others = []
        for key, text in buttons:
            button = QPushButton(text)
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _=False, key=key: self.action.emit(key))
            self._line.insertWidget(self._line.indexOf(self._act) + 1 + len(self._others), button)
            self._others.append(button)

    def move_to(self, host: QWidget) -> None:
        """Lie over another widget from now on."""
        former, shown = self.parentWidget(), not self.isHidden()
        if former is host:
            return
        if former is not None:
            former.removeEventFilter(self)
        self.setParent(host)
        host.installEventFilter(self)
        if shown:
            self._place()
            self.show()
            self.raise_()

    def clear(self) -> None:
        """Hide it, without a signal."""
        self._fade.stop()
        self.hide()

    def text(self) -> str:
        """The message that is shown."""
        return self._said

    def sizeHint(self) -> QSize:
        return QSize(480, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tokens().color(SEVERITY_MARKS[self._severity][1], 0.5), 1))
        painter.setBrush(tokens().color(_FILLS[self._severity]))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)

    def _place(self) -> None:
        """At the bottom of its parent, in the middle; wider than usual where the sentence asks for it."""
        host = self.parentWidget()
        if host is None:
            return
        beside = self._beside()
        asked = self._text.fontMetrics().horizontalAdvance(self._said) + 2 + beside
        width = min(max(host.width() - 4 * GRID, 240), max(_USUAL, asked))
        height = self._line_height(width - beside)
        left = (host.width() - width) // 2
        self.setGeometry(left, max(host.height() - height - _LIFT, 0), width, height)

    def _beside(self) -> int:
        """Width of everything but the sentence [px]."""
        widgets = (self._sign, self._more, self._copy, self._act, *self._others, self._close)
        shown = [w.sizeHint().width() for w in widgets if not w.isHidden()]
        sign = self._sign.width() - self._sign.sizeHint().width()
        close = self._close.width() - self._close.sizeHint().width()
        return sum(shown) + sign + close + GRID * (len(shown) + 3)

    def _line_height(self, room: int) -> int:
        """Height [px] with a sentence on that much room."""
        self._text.ensurePolished()
        lines = max(self._text.heightForWidth(max(room, 80)), 0) + 2 * GRID
        details = 0 if self._details.isHidden() else self._details.height() + 4 + GRID
        return max(_HEIGHT, lines) + details

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _link(self, text: str, slot: object) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("kind", "link")
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        button.clicked.connect(slot)
        return button

    def show_details(self, shown: bool) -> None:
        """Open or close the details."""
        self._details.ensurePolished()
        lines = min(max(self._details.blockCount(), 2), _MOST_LINES)
        self._details.setFixedHeight(lines * self._details.fontMetrics().lineSpacing() + 2 * GRID)
        self._details.setVisible(shown)
        self._more.setText(tr("less") if shown else tr("details"))
        self._place()

    def _toggle_details(self) -> None:
        self.show_details(self._details.isHidden())

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._said}\n{self._details.toPlainText()}")

    def _on_close(self) -> None:
        self.hide()
        self.closed.emit()

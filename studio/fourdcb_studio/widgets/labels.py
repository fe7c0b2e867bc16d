"""Labels by role, and one that elides instead of being cut."""

from __future__ import annotations

import re
from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from fourdcb_studio.theme import section_font

_LONG_WORD = re.compile(r"\S{24,}")
_BREAKS = re.compile(r"([/_\-.]|\w{12})")
LabelRole = Literal["text", "note", "section", "title", "figure", "muted-figure"]


def sentence(text: str) -> str:
    """With a capital where it begins with a word; names of files and values stay as they are."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isascii() and first.isalpha() and first.islower() else text


def breakable(text: str) -> str:
    """The text with places to break inside of long words, such as paths and Chinese names without blanks."""
    return _LONG_WORD.sub(lambda word: _BREAKS.sub("\\1\u200b", word[0]), text)


class RoleLabel(QLabel):
    """A label whose face and colour come from its role."""

    def __init__(self, text: str = "", role: LabelRole = "text", parent: QWidget | None = None) -> None:
        super().__init__(text.upper() if role == "section" else text, parent)
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role == "section":
            self.setFont(section_font())


class ElidedLabel(RoleLabel):
    """A one-line label that ends in … when there is no room, with the whole text as tooltip."""

    def __init__(
        self,
        text: str = "",
        role: LabelRole = "text",
        parent: QWidget | None = None,
        *,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(text, role, parent)
        self._elide = elide
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(0)

    def setText(self, text: str) -> None:
        if text == self.text():
            return
        super().setText(text)
        self.updateGeometry()
        self._update_tooltip()

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self.text()) + 2 + margins.left() + margins.right()
        return QSize(width, self.fontMetrics().height() + margins.top() + margins.bottom())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(24, self.sizeHint().width()), self.sizeHint().height())

    def shown_text(self) -> str:
        """The text as it is drawn, elided to the width."""
        return self.fontMetrics().elidedText(self.text(), self._elide, self.contentsRect().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tooltip()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), int(self.alignment()), self.shown_text())

    def _update_tooltip(self) -> None:
        self.setToolTip(self.text() if self.shown_text() != self.text() else "")

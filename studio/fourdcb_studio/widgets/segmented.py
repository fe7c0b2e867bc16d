"""A segmented control: a few exclusive choices side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb_studio.theme import note_font, tokens
from fourdcb_studio.widgets.keys import STEP_KEYS, keeps

_PAD = 12
_HEIGHT = 32
_INSET = 2


class Segmented(QWidget):
    """Choices (id, text, tooltip); arrow keys and the mouse choose one.

    Signals:
        chosen(str): the id, when the user picks another one.
    """

    chosen = Signal(str)

    def __init__(
        self,
        choices: Sequence[tuple[str, str, str]],
        *,
        current: str | None = None,
        height: int = _HEIGHT,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._choices = tuple(choices)
        self._enabled = {key: True for key, _, _ in self._choices}
        self._current = current or self._choices[0][0]
        self._hover = -1
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(", ".join(text for _, text, _ in self._choices))

    def current(self) -> str:
        """Id of the choice in force."""
        return self._current

    def set_current(self, key: str) -> None:
        """Choose without a signal. Raises KeyError for an unknown id."""
        if key not in self._enabled:
            raise KeyError(key)
        self._current = key
        self.update()

    def set_choice_enabled(self, key: str, enabled: bool) -> None:
        """Allow or forbid one choice. Raises KeyError for an unknown id."""
        if key not in self._enabled:
            raise KeyError(key)
        self._enabled[key] = enabled
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(sum(self._widths()) + 2 * _INSET, self.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def segment_rects(self) -> tuple[QRectF, ...]:
        """Place of each choice [px]."""
        rects, x = [], float(_INSET)
        for width in self._widths():
            rects.append(QRectF(x, _INSET, width, self.height() - 2 * _INSET))
            x += width
        return tuple(rects)

    def _widths(self) -> list[int]:
        metrics = QFontMetrics(note_font())
        return [metrics.horizontalAdvance(text) + 2 * _PAD for _, text, _ in self._choices]

    def _index_at(self, x: float) -> int:
        for i, rect in enumerate(self.segment_rects()):
            if rect.left() <= x < rect.right():
                return i
        return -1

    def _choose(self, index: int) -> None:
        key = self._choices[index][0]
        if self._enabled[key] and key != self._current:
            self._current = key
            self.update()
            self.chosen.emit(key)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self._choose(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().x())
        if index != self._hover:
            self._hover = index
            self.setToolTip(self._choices[index][2] if index >= 0 else "")
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = -1
        self.update()

    def event(self, event: QEvent) -> bool:
        return keeps(event, STEP_KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        keys = [key for key, _, _ in self._choices]
        index = keys.index(self._current) + step
        while 0 <= index < len(keys) and not self._enabled[keys[index]]:
            index += step
        if 0 <= index < len(keys):
            self._choose(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.color("accent" if self.hasFocus() else "line"), 1))
        painter.setBrush(theme.color("raised" if theme.name == "dark" else "pressed"))
        painter.drawRoundedRect(frame, 8, 8)
        painter.setFont(note_font())
        for i, (rect, (key, text, _)) in enumerate(zip(self.segment_rects(), self._choices, strict=True)):
            chosen = key == self._current
            if chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("track" if theme.name == "dark" else "raised"))
                painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
            usable = self._enabled[key] and self.isEnabled()
            lit = (chosen or i == self._hover) and usable
            painter.setPen(theme.color("text" if lit else "muted", 1.0 if usable else 0.5))
            painter.drawText(rect.translated(QPointF(0, -0.5)), Qt.AlignmentFlag.AlignCenter, text)

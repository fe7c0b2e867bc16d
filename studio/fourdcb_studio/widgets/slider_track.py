"""The painted slider: a value on a linear or logarithmic scale, with a tick at the file's value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb_studio.theme import tokens
from fourdcb_studio.widgets.keys import STEP_KEYS, keeps

_HANDLE = 7.0
_STEPS = 200
_COARSE = 10


@dataclass(frozen=True, slots=True, init=False)
class SliderScale:
    """The map between a value and its fraction 0 … 1 along the slider."""

    low: float
    high: float
    log: bool

    def __init__(self, low: float, high: float, scale: Literal["linear", "log"]) -> None:
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high if high > low else low + 1.0)
        object.__setattr__(self, "log", scale == "log" and low > 0)

    def fraction(self, value: float) -> float:
        """Fraction of a value, held in 0 … 1."""
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, fraction: float) -> float:
        """Value at a fraction, held in the range and rounded to what a slider can mean."""
        if fraction <= 0 or fraction >= 1:
            return self.low if fraction <= 0 else self.high
        if self.log:
            return _rounded(self.low * (self.high / self.low) ** fraction, 4)
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 1000))
        value = round((self.low + fraction * (self.high - self.low)) / step) * step
        return min(max(_rounded(value, 12), self.low), self.high)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


class SliderTrack(QWidget):
    """Press or drag sets the value; arrows step (with Shift coarsely); the wheel only with focus.

    Signals:
        changing(value): on each move.
        committed(value): on release of mouse or key.
    """

    changing = Signal(float)
    committed = Signal(float)

    def __init__(self, scale: SliderScale, value: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale = scale
        self._value = value
        self._tick: float | None = None
        self._dragging = False
        self._hover = False
        self.setFixedHeight(18)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(200, 18)

    def value(self) -> float:
        """The value shown."""
        return self._value

    def is_dragging(self) -> bool:
        """Whether the mouse holds it."""
        return self._dragging

    def set_value(self, value: float) -> None:
        """Show a value without a signal."""
        if value != self._value:
            self._value = value
            self.update()

    def set_scale(self, scale: SliderScale) -> None:
        """Another range."""
        if scale != self._scale:
            self._scale = scale
            self.update()

    def set_tick(self, value: float | None) -> None:
        """Mark a value, the file's, on the track."""
        if value != self._tick:
            self._tick = value
            self.update()

    def handle_x(self) -> float:
        """Middle of the handle [px]."""
        return self._x(self._value)

    def _x(self, value: float) -> float:
        return _HANDLE + self._scale.fraction(value) * (self.width() - 2 * _HANDLE)

    def _move_to(self, x: float) -> None:
        value = self._scale.value((x - _HANDLE) / max(self.width() - 2 * _HANDLE, 1.0))
        if value != self._value:
            self._value = value
            self.update()
            self.changing.emit(value)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragging = True
            # A press on the handle does not move it by the part of a handle that it is off centre.
            if abs(event.position().x() - self.handle_x()) > _HANDLE:
                self._move_to(event.position().x())
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._move_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.button() == Qt.MouseButton.LeftButton:
            self._finish_drag()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._dragging:
            self._finish_drag()
        super().focusOutEvent(event)

    def _finish_drag(self) -> None:
        self._dragging = False
        self.update()
        self.committed.emit(self._value)

    def step(self, steps: int) -> None:
        """Move by steps of 1/200 of the track."""
        fraction = self._scale.fraction(self._value) + steps / _STEPS
        value = self._scale.value(fraction)
        if value != self._value:
            self._value = value
            self.update()
            self.changing.emit(value)

    def event(self, event: QEvent) -> bool:
        return keeps(event, STEP_KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        coarse = _COARSE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        steps = {
            Qt.Key.Key_Left: -coarse,
            Qt.Key.Key_Down: -coarse,
            Qt.Key.Key_Right: coarse,
            Qt.Key.Key_Up: coarse,
            Qt.Key.Key_PageDown: -_COARSE,
            Qt.Key.Key_PageUp: _COARSE,
            Qt.Key.Key_Home: -_STEPS,
            Qt.Key.Key_End: _STEPS,
        }.get(Qt.Key(event.key()))
        if steps is None:
            super().keyPressEvent(event)
        else:
            self.step(steps)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in STEP_KEYS and not event.isAutoRepeat():
            self.committed.emit(self._value)
        else:
            super().keyReleaseEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()
            return
        notches = event.angleDelta().y() // 120 or (1 if event.angleDelta().y() > 0 else -1)
        self.step(notches)
        self.committed.emit(self._value)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        x = self.handle_x()
        enabled = self.isEnabled()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(QRectF(0, middle - 2, self.width(), 4), 2, 2)
        painter.setBrush(theme.color("accent" if enabled else "muted"))
        painter.drawRoundedRect(QRectF(0, middle - 2, x, 4), 2, 2)
        if self._tick is not None:
            tick = round(self._x(self._tick))
            painter.fillRect(QRectF(tick - 1, middle - 5, 2, 10), theme.color("muted"))
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1.5))
            painter.setBrush(theme.color("panel"))
            painter.drawEllipse(QPointF(x, middle), _HANDLE + 1.2, _HANDLE + 1.2)
            painter.setPen(Qt.PenStyle.NoPen)
        knob = "#ffffff" if enabled else theme.muted
        painter.setBrush(theme.color("accent") if theme.name == "light" else knob)
        if theme.name == "light":
            painter.setPen(QPen(theme.color("raised"), 2))
        radius = _HANDLE - 1 if self.hasFocus() else _HANDLE  # the ring keeps its distance
        painter.drawEllipse(QPointF(x, middle), radius, radius)

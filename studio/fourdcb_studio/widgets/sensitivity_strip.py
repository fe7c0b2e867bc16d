"""How far the motion is from the reference's, against the value of one parameter, under its slider."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolTip, QWidget

from fourdcb.words import chosen
from fourdcb_studio.theme import tokens
from fourdcb_studio.theme.colormaps import strip_colors
from fourdcb_studio.widgets.image_paint import qimage
from fourdcb_studio.widgets.labels import RoleLabel

_INSET = 7  # px: half a handle; strip and track are equally long
_SNAP = 3.0  # px around a sample that a click or a look takes as the sample itself
HEIGHT = 6
Floats = NDArray[np.float64]


class SensitivityStrip(QWidget):
    """Dark where the motion is near the reference's, in both themes; a click takes the value there.

    Args:
        value_at: the parameter's value at a fraction 0 … 1 along the slider, as text.

    Signals:
        picked(fraction): 0 … 1 along the track; exactly that of a sample close by.
    """

    picked = Signal(float)

    def __init__(
        self, value_at: Callable[[float], str] = lambda f: f"{f:.2f}", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._value_at = value_at
        self._errors: Floats | None = None
        self._fractions: Floats = np.zeros(0)
        self._stale = False
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        self.hide()

    def set_values(
        self, errors: Floats | None, *, stale: bool = False, fractions: Floats | None = None
    ) -> None:
        """Errors at samples along the track [m], shape (S,), NaN where the simulation fails; None hides it.

        Args:
            errors: root mean square distance from the reference's motion.
            stale: dimmed, of values before the last edit.
            fractions: where the samples lie, 0 … 1, shape (S,), ascending; default evenly.
        """
        if errors is not None and fractions is None:
            fractions = np.linspace(0.0, 1.0, len(errors))
        same = _same(errors, self._errors) and (errors is None or _same(fractions, self._fractions))
        if same and stale == self._stale:
            return
        self._errors, self._stale = errors, stale
        if fractions is not None:
            self._fractions = fractions
        self.setVisible(errors is not None)
        self.update()

    def error_at(self, fraction: float) -> float | None:
        """Error [m] at a place, between samples by a straight line; None without any, NaN where it fails."""
        if self._errors is None or not self._errors.size:
            return None
        return float(np.interp(fraction, self._fractions, self._errors))

    def words_at(self, x: float) -> str:
        """What is known of the value at a place of the widget [px]."""
        fraction = self._fraction(x)
        error = self.error_at(fraction)
        if error is None:
            return ""
        words = chosen()
        if not np.isfinite(error):
            return words.say("studio.strip.fails", value=self._value_at(fraction))
        about = "" if self._is_sample(fraction) else "≈ "
        number = f"{about}{1000 * error:.3g}"
        kind = "old" if self._stale else "error"
        return words.say(f"studio.strip.{kind}", value=self._value_at(fraction), number=number)

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(self._fraction(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        QToolTip.showText(
            event.globalPosition().toPoint() + QPoint(0, 6), self.words_at(event.position().x()), self
        )

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()

    def _span(self) -> float:
        return max(self.width() - 2 * _INSET, 1)

    def _fraction(self, x: float) -> float:
        """Of a place; that of the nearest sample where one is close."""
        found = min(max((x - _INSET) / self._span(), 0.0), 1.0)
        if self._errors is not None and self._fractions.size:
            nearest = float(self._fractions[np.argmin(np.abs(self._fractions - found))])
            if abs(nearest - found) * self._span() <= _SNAP:
                return nearest
        return found

    def _is_sample(self, fraction: float) -> bool:
        return bool(self._fractions.size and np.abs(self._fractions - fraction).min() < 1e-9)

    def columns(self) -> Floats:
        """The error that each column of px shows [m], shape (width,), NaN where the simulation fails.

        A sample keeps the column where it lies, so that a narrow valley does not fall between columns.
        """
        assert self._errors is not None
        at = np.clip((np.arange(self.width()) - _INSET) / self._span(), 0, 1)
        found: Floats = np.interp(at, self._fractions, self._errors)
        places = np.rint(_INSET + self._fractions * self._span()).astype(np.intp)
        for place, error in zip(places.tolist(), self._errors.tolist(), strict=True):
            if place < len(found) and error < np.nan_to_num(found[place], nan=np.inf):
                found[place] = error
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._errors is None or not self._errors.size:
            return
        painter = QPainter(self)
        painter.setOpacity(0.35 if self._stale else 1.0)
        painter.drawImage(self.rect(), qimage(strip_colors(self.columns())[None]))


class StripLegend(QWidget):
    """What the colours of the strips mean: a bar between ``near`` and ``far``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = chosen()
        self._bar = _LegendBar()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        for widget in (
            RoleLabel(words.say("studio.strip.legend"), "note"),
            RoleLabel(words.say("studio.strip.near"), "note"),
            self._bar,
            RoleLabel(words.say("studio.strip.far"), "note"),
        ):
            line.addWidget(widget)
        line.addStretch(1)
        self.setToolTip(words.say("studio.strip.about"))


class _LegendBar(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(48, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawImage(self.rect(), qimage(strip_colors(np.linspace(0, 1, self.width()) ** 2)[None]))
        painter.setPen(tokens().color("line"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


def _same(a: Floats | None, b: Floats | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b, equal_nan=True)

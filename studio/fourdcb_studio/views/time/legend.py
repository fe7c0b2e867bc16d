"""The line under the time rows: colour bars with their ends, event keys, the object, the horizon."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from fourdcb.words import chosen, tr
from fourdcb_studio.theme import Lut, magnitude_colors, mono_font, note_font, signed_colors, tokens
from fourdcb_studio.views.compare.difference_bar import paint_lut
from fourdcb_studio.views.time.data import BEYOND, TimelineData
from fourdcb_studio.views.time.layout import LABEL_WIDTH
from fourdcb_studio.widgets.labels import ElidedLabel
from fourdcb_studio.widgets.marks import CONTACT_MARKS, Mark, paint_mark
from fourdcb_studio.widgets.pick_button import PickButton

_BAR = 96
_HEIGHT = 28
_GAP = 24
_SIGNED_ROOM = "−150 mm"  # the widest usual end: another range moves nothing


class ColorBar(QWidget):
    """A word, the low end, the map, the high end."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._low, self._high = title, "0", ""
        self._signed, self._within = False, 0.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_ends(self, low: str, high: str, *, signed: bool, within: float = 0.0) -> None:
        """Words at the ends, and which map lies between them.

        Args:
            within: share of the range that is neutral.
        """
        self._low, self._high, self._signed, self._within = low, high, signed, within
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(note_font()).horizontalAdvance(self._title)
        return QSize(int(words + self._room(self._low) + self._room(self._high)) + _BAR + 26, _HEIGHT)

    def _room(self, end: str) -> float:
        metrics = QFontMetricsF(mono_font(11))
        least = metrics.horizontalAdvance(_SIGNED_ROOM) if self._signed else 0.0
        return max(metrics.horizontalAdvance(end), least)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(tokens().color("muted"))
        words = QFontMetricsF(note_font()).horizontalAdvance(self._title)
        painter.setFont(note_font())
        painter.drawText(QRectF(0, 0, words + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, self._title)
        x = words + 8
        painter.setFont(mono_font(11))
        low = QRectF(x, 0, self._room(self._low), self.height())
        at_the_bar = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(low, int(at_the_bar), self._low)
        x += low.width() + 8
        paint_lut(painter, QRectF(x, self.height() / 2 - 3, _BAR, 6), self._lut())
        rest = QRectF(x + _BAR + 8, 0, self.width(), self.height())
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, self._high)

    def _lut(self) -> Lut:
        """The map as the strips use it, from end to end."""
        if self._signed:
            return signed_colors(np.linspace(-1, 1, 256), 1.0, self._within)
        return magnitude_colors(np.linspace(0, 1, 256), 1.0, self._within)


class MarkKeys(QWidget):
    """The shapes of the contact events with their words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys: tuple[tuple[Mark, str, str], ...] = tuple(
            (mark, role, tr(kind)) for kind, (mark, role) in CONTACT_MARKS.items()
        )
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(note_font())
        return QSize(int(sum(metrics.horizontalAdvance(k) + 30 for _, _, k in self._keys)) - 12, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(note_font())
        metrics = QFontMetricsF(note_font())
        x = 0.0
        for mark, role, word in self._keys:
            paint_mark(painter, mark, QPointF(x + 5, self.height() / 2), 9, tokens().color(role))
            painter.setPen(tokens().color("muted"))
            width = metrics.horizontalAdvance(word)
            at = QRectF(x + 14, 0, width + 2, self.height())
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, word)
            x += width + 30


class TimeLegend(QWidget):
    """Colour bars, keys, the pickers of object and plot, and the horizon in words.

    Signals:
        object_chosen(name): another object was picked for the strips.
        curve_chosen(id): another quantity was picked for the plot.
    """

    object_chosen = Signal(str)
    curve_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(_HEIGHT)
        self._signed = ColorBar(tr("error"))
        self._size = ColorBar(tr("rotation · energy"))
        self._keys = MarkKeys()
        self._picker = PickButton(tr("The object whose errors the strips show"))
        self._picker.picked.connect(self.object_chosen)
        self._plot = PickButton(tr("The quantity that the plot shows"))
        self._plot.picked.connect(self.curve_chosen)
        self._horizon = ElidedLabel("", "note")
        self._horizon.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line = QHBoxLayout(self)
        line.setContentsMargins(LABEL_WIDTH, 0, 16, 0)
        line.setSpacing(_GAP)
        for widget in (self._signed, self._size, self._keys, self._picker, self._plot):
            line.addWidget(widget)
        line.addStretch(1)
        line.addWidget(self._horizon)

    def set_data(self, data: TimelineData, *, sizes_shown: bool, contacts_shown: bool) -> None:
        """Ends of the bars, objects to pick and the horizon, from the panel's data."""
        limits = data.limits()
        share = 1 / BEYOND if data.fixed else 0.0
        self._signed.set_ends(
            f"−{limits.position:g} mm", f"+{limits.position:g} mm", signed=True, within=share
        )
        self._size.set_ends(
            "0", f"{limits.rotation:g}° · {100 * limits.energy:g} %", signed=False, within=share
        )
        self._tell_range(data)
        self._signed.setVisible(bool(data.errors))
        self._size.setProperty("wanted", sizes_shown and bool(data.errors))
        self._keys.setProperty("wanted", contacts_shown)
        self._picker.set_choices([(name, name) for name in data.objects], data.selected)
        self._plot.set_choices(data.curves, data.curve_id)
        beyond = data.horizon is not None and data.horizon < data.n_frames
        seconds = (data.horizon or 0) / data.fps
        text = (
            tr("beyond {seconds:.1f} s the reference is unpredictable (hatched)", seconds=seconds)
            if beyond
            else ""
        )
        if data.departure is not None:
            text = chosen().say("studio.time.departure", frame=data.departure)
        self._horizon.setText(text)
        self._fold()

    def _tell_range(self, data: TimelineData) -> None:
        words, within = chosen(), data.within()
        if data.fixed:
            about = words.say(
                "studio.time.fixed", mm=within.position, deg=within.rotation, energy=within.energy
            )
        else:
            about = words.say("studio.time.auto")
        for bar in (self._signed, self._size):
            bar.setToolTip(about)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        # Keys give way first, then the second bar: what is left is never cut.
        room = self.width() - LABEL_WIDTH - 16
        for fixed in (self._signed, self._picker, self._plot):
            room -= 0 if fixed.isHidden() else fixed.sizeHint().width() + _GAP
        foldable: tuple[QWidget, ...] = (self._size, self._keys)
        for widget in foldable:
            need = widget.sizeHint().width() + _GAP
            fits = bool(widget.property("wanted")) and need <= room
            widget.setVisible(fits)
            room -= need if fits else 0
        self._horizon.setVisible(bool(self._horizon.text()) and room > 140)

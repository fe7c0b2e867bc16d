"""One parameter: name, unit, value to type, slider, tick at the file's value, sensitivity strip, note."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from fourdcb.words import tr
from fourdcb.world import Parameter
from fourdcb.world.parameters import split_path
from fourdcb_studio.theme import tokens
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel
from fourdcb_studio.widgets.marks import paint_mark
from fourdcb_studio.widgets.sensitivity_strip import SensitivityStrip
from fourdcb_studio.widgets.slider_track import SliderScale, SliderTrack

DOT_WIDTH = 12
"""Px before the name of a parameter, where the dot of a change stands."""
_BELOW = 16  # px under the slider, where a strip or a note comes once it is known
EDIT_INSET = 5
"""Px from the end of a typed figure to the edge of its field; sliders end where the figures do."""
_COMPONENTS = {"base_color": "rgb", "color": "rgb", "subsurface_color": "rgb", "background": "rgb"}
_FIGURES = 9  # signs that a value's box shows whole


def parameter_label(path: str) -> str:
    """``cup.vel[0]`` → ``vel x``; ``cup.base_color[1]`` → ``base color g``; entries of curves are counted.

    >>> parameter_label("sun.intensity_curve[3]"), parameter_label("sun.direction_curve[1][2]")
    ('intensity curve 4', 'direction curve 2 z')
    """
    _, field, index = split_path(path)
    entry, component = index if isinstance(index, tuple) else (index, index)
    words = [tr(field.replace("_", " "))]
    if entry is not None and field.endswith("_curve"):
        words.append(str(entry + 1))
    if component is not None and (isinstance(index, tuple) or not field.endswith("_curve")):
        words.append(_COMPONENTS.get(field, "xyz")[component])
    return " ".join(words)


def value_text(value: float, parameter: Parameter) -> str:
    """A value with as many places as its range asks for."""
    low, high = parameter.slider
    span = min(high - low, 10 * abs(value)) if parameter.scale == "log" else high - low
    places = 3 if span <= 10 else 2 if span <= 100 else 1
    if value != 0 and abs(value) < 10.0 ** (1 - places):
        return f"{value:.3g}".replace("-", "−")
    text = f"{value:.{places}f}"
    return (text if len(text) <= _FIGURES else f"{value:.4g}").replace("-", "−")


class ValueEdit(QLineEdit):
    """A figure to type; Up and Down step, Escape gives up.

    Signals:
        entered(value): a number was typed and entered.
        stepped(steps): an arrow key was pressed.
    """

    entered = Signal(float)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "value")
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setFixedSize(80, 20)
        self._shown = ""
        self.returnPressed.connect(self._enter)
        self.textEdited.connect(lambda: self._mark(bad=False))

    def show_value(self, text: str) -> None:
        """Show a value, unless the user is typing one."""
        self._shown = text
        if not (self.hasFocus() and self.isModified()) and text != self.text():
            self.setText(text)
            self._mark(bad=False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if steps is not None:
            coarse = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(steps * (10 if coarse else 1))
        elif event.key() == Qt.Key.Key_Escape:
            self.setModified(False)
            self.show_value(self._shown)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.property("bad"):  # what is no number is not left standing as if it were the value
            self.setText(self._shown)
            self._mark(bad=False)

    def _enter(self) -> None:
        try:
            value = float(self.text().replace("−", "-").replace(",", "."))
        except ValueError:
            value = float("nan")
        if not np.isfinite(value):
            self._mark(bad=True)
            return
        self.setModified(False)
        self.entered.emit(value)

    def _mark(self, *, bad: bool) -> None:
        if bool(self.property("bad")) != bad:
            self.setProperty("bad", bad)
            self.style().unpolish(self)
            self.style().polish(self)
        self.setToolTip(tr("not a number") if bad else "")


class ChangedDot(QWidget):
    """A dot beside the name of a parameter that differs from the file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(DOT_WIDTH, 16)
        self.setToolTip(tr("differs from the file"))
        keeps = self.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)  # the first edit moves no name
        self.setSizePolicy(keeps)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_mark(painter, "circle", QPointF(3.5, 8), 6, tokens().color("accent"))


class ParameterRow(QWidget):
    """Name, value, slider and what is known about one parameter.

    Signals:
        changing(path, value): on each move of the slider.
        committed(path, value): on release, on Enter, after a step of a key.
        reset_requested(path): back to the file's value (double click on the name, or the menu).
        taken(path, value): a value was taken from the strip; ``committed`` follows.
    """

    changing = Signal(str, float)
    taken = Signal(str, float)
    committed = Signal(str, float)
    reset_requested = Signal(str)

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parameter = parameter
        self._changed = False
        self._file_value = parameter.value
        self._dot = ChangedDot()
        self._name = ElidedLabel(parameter_label(parameter.path))
        self._name.setToolTip(f"{parameter.path}: {parameter.doc}")
        self._unit = RoleLabel(parameter.unit, "note")
        self._edit = ValueEdit()
        self._edit.setAccessibleName(parameter.path)
        self._slider = SliderTrack(self._make_scale(), parameter.value)
        self._slider.setAccessibleName(parameter.path)
        self._strip = SensitivityStrip(self._words_of)
        self._samples: NDArray[np.float64] | None = None
        self._note = ElidedLabel("", "note")
        self._lay_out()
        self._slider.changing.connect(self._on_slide)
        self._slider.committed.connect(lambda v: self.committed.emit(self.path, v))
        self._edit.entered.connect(self._on_enter)
        self._edit.stepped.connect(self._on_step)
        self._strip.picked.connect(self._on_pick)
        self._show_value()
        self._show_changed()

    @property
    def path(self) -> str:
        """Path of the parameter."""
        return self._parameter.path

    def value(self) -> float:
        """The value shown."""
        return self._slider.value()

    def set_parameter(self, parameter: Parameter, *, file_value: float, changed: bool) -> None:
        """Take over a new state; a slider that the user holds keeps its own value."""
        if not self._slider.is_dragging():
            self._parameter = parameter
            self._slider.set_scale(self._make_scale())
            self._slider.set_value(parameter.value)
            self._show_value()
        self._file_value = file_value
        self._changed = changed
        self._show_changed()

    def set_strip(
        self,
        errors: NDArray[np.float64] | None,
        *,
        stale: bool = False,
        values: NDArray[np.float64] | None = None,
    ) -> None:
        """Distance from the reference's motion [m] at samples, shape (S,); None hides it.

        Args:
            errors: NaN where the simulation fails.
            stale: dimmed, of values before the last edit.
            values: the parameter's values that were tried, shape (S,), ascending; default evenly spread.
        """
        self._samples = values
        scale = self._make_scale()
        places = None if values is None else np.array([scale.fraction(v) for v in values.tolist()])
        self._strip.set_values(errors, stale=stale, fractions=places)

    def strip(self) -> SensitivityStrip:
        """The strip under the slider."""
        return self._strip

    def set_note(self, text: str) -> None:
        """Plain words under the slider, such as ``not observable in this clip``; empty hides them."""
        if text != self._note.text():
            self._note.setText(text)
            self._note.setVisible(bool(text))

    def label(self) -> str:
        """What the row calls its parameter."""
        return self._name.text()

    def slider(self) -> SliderTrack:
        """The slider."""
        return self._slider

    def edit(self) -> ValueEdit:
        """The figure to type."""
        return self._edit

    def _make_scale(self) -> SliderScale:
        return SliderScale(*self._parameter.slider, self._parameter.scale)

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        line.addWidget(self._dot)
        line.addWidget(self._name)
        line.addSpacing(4)
        line.addWidget(self._unit)
        line.addStretch(1)
        line.addWidget(self._edit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0 if self._parameter.stage == "physics" else 6)
        column.setSpacing(0)
        column.addLayout(line)
        below = QVBoxLayout()
        below.setContentsMargins(DOT_WIDTH, 0, EDIT_INSET, 0)
        below.setSpacing(0)
        below.addWidget(self._slider)
        known = QWidget()
        if self._parameter.stage == "physics":  # others have neither strip nor note
            known.setFixedHeight(_BELOW)
        told = QVBoxLayout(known)
        told.setContentsMargins(0, 0, 0, 0)
        told.setSpacing(0)
        for widget in (self._strip, self._note):
            told.addWidget(widget)
        told.addStretch(1)
        below.addWidget(known)
        column.addLayout(below)
        self._note.hide()

    def _show_value(self) -> None:
        self._edit.show_value(value_text(self._slider.value(), self._parameter))

    def _show_changed(self) -> None:
        self._dot.setVisible(self._changed)
        self._slider.set_tick(self._file_value if self._changed else None)

    def _on_slide(self, value: float) -> None:
        self._show_value()
        self.changing.emit(self.path, value)

    def _on_enter(self, value: float) -> None:
        self._slider.set_value(value)
        self._show_value()
        self.committed.emit(self.path, value)

    def _on_step(self, steps: int) -> None:
        self._slider.step(steps)
        self.committed.emit(self.path, self._slider.value())

    def _on_pick(self, fraction: float) -> None:
        value = self._value_at(fraction)
        if value == self.value():
            return
        self.taken.emit(self.path, value)
        self._on_enter(value)

    def _value_at(self, fraction: float) -> float:
        """The value at a place of the slider; a sample's exactly."""
        scale = self._make_scale()
        samples = [] if self._samples is None else self._samples.tolist()
        found = (v for v in samples if abs(scale.fraction(v) - fraction) < 1e-9)
        return float(next(found, scale.value(fraction)))

    def _words_of(self, fraction: float) -> str:
        parameter = self._parameter
        return f"{value_text(self._value_at(fraction), parameter)} {parameter.unit}".rstrip()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.position().y() < 20 and self._changed:
            self.reset_requested.emit(self.path)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        text = value_text(self._file_value, self._parameter)
        menu = QMenu(self)
        reset = QAction(tr("Reset to {words} {unit}", words=text, unit=self._parameter.unit).rstrip(), menu)
        reset.setEnabled(self._changed)
        reset.triggered.connect(lambda: self.reset_requested.emit(self.path))
        menu.addAction(reset)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

"""Under the modes, while a difference is on screen: what it is of, what it lies over, how much it covers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from fourdcb.words import chosen
from fourdcb_studio.session.comparison import BASES, MEASURES, Base, Measure
from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import RoleLabel
from fourdcb_studio.widgets.segmented import Segmented

_HEIGHT, _SLIDER = 28, 120  # px


class DifferenceControls(QWidget):
    """One line of controls.

    Signals:
        measure_chosen(id): ``color``, ``ssim`` or ``flow``.
        base_chosen(id): ``none``, ``reference`` or ``candidate``.
        opacity_chosen(value): 0 … 1.
    """

    measure_chosen = Signal(str)
    base_chosen = Signal(str)
    opacity_chosen = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        say = chosen().say
        self._measures = Segmented(
            [(m, say(f"studio.difference.{m}"), say(f"studio.difference.{m}_about")) for m in MEASURES],
            height=_HEIGHT,
        )
        self._bases = Segmented(
            [(b, say(f"studio.difference.{b}"), say(f"studio.difference.{b}_about")) for b in BASES],
            height=_HEIGHT,
        )
        self._opacity = QSlider(Qt.Orientation.Horizontal)
        self._opacity.setRange(0, 100)
        self._opacity.setFixedWidth(_SLIDER)
        self._opacity.setToolTip(say("studio.difference.opacity_about"))
        self._opacity.setAccessibleName(say("studio.difference.opacity"))
        self._figure = RoleLabel("100 %", "muted-figure")
        self._figure.setFixedWidth(self._figure.sizeHint().width())
        self._word = RoleLabel(say("studio.difference.opacity"), "note")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(GRID)
        for widget in (self._measures, self._bases, self._word, self._opacity, self._figure):
            line.addWidget(widget)
        line.addStretch(1)
        self._measures.chosen.connect(self.measure_chosen)
        self._bases.chosen.connect(self.base_chosen)
        self._opacity.valueChanged.connect(self._on_opacity)

    def set_state(self, measure: Measure, base: Base, opacity: float) -> None:
        """What is in force. Silent."""
        self._measures.set_current(measure)
        self._bases.set_current(base)
        blocked = self._opacity.blockSignals(True)
        self._opacity.setValue(round(100 * opacity))
        self._opacity.blockSignals(blocked)
        self._figure.setText(f"{100 * opacity:.0f} %")
        for widget in (self._word, self._opacity, self._figure):
            widget.setEnabled(base != "none")

    def _on_opacity(self, percent: int) -> None:
        self._figure.setText(f"{percent} %")
        self.opacity_chosen.emit(percent / 100)

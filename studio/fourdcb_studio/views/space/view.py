"""The 3D view with a chip for each layer under it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from fourdcb.words import chosen
from fourdcb_studio.theme import icon
from fourdcb_studio.views.space.canvas import AXIS_KEYS, SpaceCanvas
from fourdcb_studio.views.space.layers import LAYER_KEYS, Layer
from fourdcb_studio.widgets.flow_layout import FlowLayout


class SpaceView(QWidget):
    """The canvas, its layers, and where it can be seen from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        say = chosen().say
        self.canvas = SpaceCanvas()
        self._chips: dict[Layer, QPushButton] = {}
        chips = QWidget()
        flow = FlowLayout(chips)
        for layer, key in LAYER_KEYS:
            chip = QPushButton(say(f"studio.space.{layer}"))
            chip.setProperty("kind", "chip")
            chip.setCheckable(True)
            chip.setChecked(self.canvas.has_layer(layer))
            chip.setToolTip(say(f"studio.space.{layer}_about", key=_key_text(key)))
            chip.toggled.connect(lambda on, name=layer: self.canvas.set_layer(name, on))
            self._chips[layer] = chip
            flow.addWidget(chip)
        line = QHBoxLayout()
        line.addWidget(chips, 1)
        line.addWidget(self._make_looks(), 0, Qt.AlignmentFlag.AlignTop)
        self.canvas.layers_changed.connect(self._update_chips)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.canvas, 1)
        column.addLayout(line)

    def _make_looks(self) -> QPushButton:
        """Where it can be seen from."""
        say = chosen().say
        button = QPushButton(say("studio.space.look"))
        button.setProperty("kind", "quiet")
        button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        button.setIcon(icon("chevron-down", "muted"))
        button.setToolTip(say("studio.space.look_about"))
        menu = QMenu(button)
        for key, axis in AXIS_KEYS.items():
            words = f"{say(f'studio.space.{axis}')}\t{_key_text(key)}"
            menu.addAction(words).triggered.connect(lambda _=False, a=axis: self.canvas.look_along(a))
        menu.addAction(say("studio.space.through_camera") + "\t0").triggered.connect(
            self.canvas.look_through_camera
        )
        menu.addAction(say("studio.space.selection") + "\tF").triggered.connect(self.canvas.frame_selection)
        menu.addAction(say("studio.space.all")).triggered.connect(self.canvas.fit)
        button.setMenu(menu)
        return button

    def _update_chips(self) -> None:
        for layer, chip in self._chips.items():
            chip.blockSignals(True)
            chip.setChecked(self.canvas.has_layer(layer))
            chip.blockSignals(False)


def _key_text(key: Qt.Key) -> str:
    return QKeySequence(key).toString()

"""Play, step, where the clip stands, how it plays, and the way from finding to finding."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QPushButton, QToolButton, QWidget

from fourdcb.words import tr
from fourdcb_studio.session.clock import PlayMode
from fourdcb_studio.theme import GRID, icon
from fourdcb_studio.widgets.labels import RoleLabel
from fourdcb_studio.widgets.segmented import Segmented

_BUTTONS = (
    ("first", "skip-back", tr("First frame")),
    ("step_back", "step-back", tr("One frame back")),
    ("play", "play", tr("Play or pause")),
    ("step_forward", "step-forward", tr("One frame on")),
    ("last", "skip-forward", tr("Last frame")),
)


class Transport(QWidget):
    """Buttons and figures of the clock.

    Signals:
        action(id): ``first``, ``step_back``, ``play``, ``step_forward``, ``last``, ``speed``, ``loop``,
            ``previous_finding``, ``next_finding``, ``real_time``, ``every_frame``.
    """

    action = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._playing = False
        self._buttons: dict[str, QAbstractButton] = {}
        line = QHBoxLayout(self)
        line.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        line.setSpacing(GRID)
        for key, _, tip in _BUTTONS:
            line.addWidget(self._button(key, tip))
        self._buttons["play"].setProperty("kind", "primary")
        line.addSpacing(GRID)
        self._frame = RoleLabel("0", "figure")
        self._total = RoleLabel("/ 0", "muted-figure")
        self._seconds = RoleLabel("0.000 s", "muted-figure")
        for label in (self._frame, self._total, self._seconds):
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            line.addWidget(label)
        line.addSpacing(GRID)
        self._mode = Segmented(
            (
                ("real_time", tr("real time"), tr("Keep to the clock; frames may be left out")),
                ("every_frame", tr("every frame"), tr("Show each frame, however long it takes")),
            )
        )
        self._mode.chosen.connect(self.action)
        line.addWidget(self._mode)
        self._speed = self._quiet("speed", "1×", tr("Speed; click for the next one"))
        self._loop = self._quiet(
            "loop", tr("loop off"), tr("Loop: off, whole clip or the range I–O, ping-pong")
        )
        line.addWidget(self._speed)
        line.addWidget(self._loop)
        line.addStretch(1)
        # Push buttons keep icon and words together in their middle; tool buttons set them apart.
        self._previous = self._add(
            "previous_finding", QPushButton(), tr("previous finding"), tr("Previous finding")
        )
        self._next = self._add("next_finding", QPushButton(), tr("next finding"), tr("Next finding"))
        self._next.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        for button in (self._previous, self._next):
            line.addWidget(button)
        self._update_icons()
        self.set_position(0, 1, 30.0)

    def set_position(self, frame: int, n_frames: int, fps: float, *, seconds: float | None = None) -> None:
        """Frame shown, length of the clip, frames per second and, where those are not even, its time."""
        last = n_frames - 1
        self._frame.setText(str(frame))
        self._total.setText(f"/ {last}")
        self._seconds.setText(f"{frame / fps if seconds is None else seconds:.3f} s")
        self._reserve(last, last / fps)

    def set_playing(self, playing: bool) -> None:
        """Show pause while playing."""
        if playing != self._playing:
            self._playing = playing
            self._update_icons()

    def set_mode(self, mode: PlayMode) -> None:
        """Real time or every frame."""
        self._mode.set_current(mode)

    def set_speed(self, speed: float) -> None:
        """Factor on real time; negative plays backwards."""
        self._speed.setText(f"{speed:g}×".replace("-", "−"))

    def set_loop(self, text: str) -> None:
        """What is looped, in a word: ``loop off``, ``loop all``, ``loop I–O``, ``ping-pong``."""
        self._loop.setText(text)

    def set_findings(self, count: int) -> None:
        """Without findings there is no way to them."""
        self._previous.setEnabled(count > 0)
        self._next.setEnabled(count > 0)

    def set_shortcuts(self, shortcuts: dict[str, str]) -> None:
        """Write the keys of the actions into the tooltips."""
        named = {**self._buttons}
        for key, text in shortcuts.items():
            if key in named and text:
                named[key].setToolTip(f"{named[key].toolTip().split('  ')[0]}  ({text})")

    def _button(self, key: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setProperty("shape", "icon")
        button.setFixedSize(36, 30)
        button.setIconSize(QSize(16, 16))
        button.clicked.connect(lambda: self.action.emit(key))
        self._buttons[key] = button
        return button

    def _quiet(self, key: str, text: str, tip: str) -> QAbstractButton:
        button = self._add(key, QToolButton(), text, tip)
        button.setProperty("kind", "quiet")
        return button

    def _add(self, key: str, button: QAbstractButton, text: str, tip: str) -> QAbstractButton:
        button.setText(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self.action.emit(key))
        self._buttons[key] = button
        return button

    def _reserve(self, last: int, seconds: float) -> None:
        # Figures keep the width of the widest one: nothing to the right of them moves.
        for label, text in (
            (self._frame, str(last)),
            (self._total, f"/ {last}"),
            (self._seconds, f"{seconds:.3f} s"),
        ):
            label.ensurePolished()
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance(text) + 2)

    def _update_icons(self) -> None:
        for key, name, _ in _BUTTONS:
            primary = key == "play"
            shown = tr("pause") if primary and self._playing else name
            self._buttons[key].setIcon(icon(shown, "on_accent" if primary else "text", filled=True))
        self._previous.setIcon(icon("chevron-left", "muted"))
        self._next.setIcon(icon("chevron-right", "muted"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < 1000
        self._previous.setText("previous" if narrow else tr("previous finding"))
        self._next.setText("next" if narrow else tr("next finding"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and self._buttons:
            self._update_icons()
        super().changeEvent(event)

"""The bottom line: freshness, timings, rate and memory, the command that reproduces the view."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from fourdcb.words import tr
from fourdcb_studio.panels.job_chip import JobChip
from fourdcb_studio.theme import GRID, tokens
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel
from fourdcb_studio.widgets.marks import Mark, paint_mark

Freshness = Literal["fresh", "preview", "stale", "working", "failed", "idle"]
_STATES: dict[Freshness, tuple[Mark, str, str]] = {
    "fresh": ("circle", "ok", tr("fresh")),
    "preview": ("diamond", "accent", tr("preview")),
    "stale": ("triangle", "warning", tr("stale")),
    "working": ("ring", "accent", tr("working")),
    "failed": ("cross", "bad", tr("failed")),
    "idle": ("dash", "muted", tr("idle")),
}
_COPIED_MS = 1500


class StateMark(QWidget):
    """The shape and word of freshness."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: Freshness = "idle"
        self.setFixedSize(12, 3 * GRID)

    def set_state(self, state: Freshness) -> None:
        """Show a state."""
        self._state = state
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        mark, role, _ = _STATES[self._state]
        painter = QPainter(self)
        paint_mark(painter, mark, QPointF(5, self.height() / 2 + 0.5), 9, tokens().color(role))


class StatusBar(QWidget):
    """How current the window is, at what cost, and how to come back to it.

    Signals:
        copied(text): the command line was copied to the clipboard by a click.
    """

    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "background")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._mark = StateMark()
        self._word = RoleLabel(tr("idle"), "note")
        self._timings = ElidedLabel("", "note")
        self._facts = ElidedLabel("", "note")
        self._jobs: dict[str, JobChip] = {}
        self._shown: tuple[Freshness, str, str] | None = None
        self._command_text = ""
        self._command = QPushButton("")
        self._command.setProperty("kind", "link")
        self._command.setToolTip(tr("Click to copy the command that reproduces this view"))
        self._command.setCursor(Qt.CursorShape.PointingHandCursor)
        self._command.clicked.connect(self._copy)
        self._restore = QTimer(self)
        self._restore.setSingleShot(True)
        self._restore.timeout.connect(self._show_command)
        line = self._line = QHBoxLayout(self)
        line.setContentsMargins(2 * GRID, 0, 2 * GRID - 4, 0)
        line.setSpacing(GRID)
        line.addWidget(self._mark)
        line.addWidget(self._word)
        line.addSpacing(2 * GRID)
        line.addWidget(self._timings)
        line.addStretch(1)
        line.addWidget(self._facts)
        line.addSpacing(GRID)
        line.addWidget(self._command)
        self.setFixedHeight(3 * GRID)

    def set_state(self, state: Freshness, word: str = "") -> None:
        """Freshness as shape, colour and word (the usual one when empty)."""
        _, role, usual = _STATES[state]
        shown = (state, word or usual, tokens().name)
        if shown == self._shown:
            return  # styling a label anew costs more than a picture
        self._shown = shown
        self._mark.set_state(state)
        self._word.setText(word or usual)
        self._word.setStyleSheet(f"color: {getattr(tokens(), role)};")

    def set_timings(self, text: str) -> None:
        """Such as ``simulated 11 ms · drawn 6 ms · judged in 0.7 s``."""
        self._timings.setText(text)

    def set_facts(self, text: str) -> None:
        """Such as ``960 Hz · raster · 256×256 · 118 of 256 MB``."""
        if text != self._facts.text():
            self._facts.setText(text)
            self._show_command()

    def set_command(self, text: str) -> None:
        """The command line that reproduces the view."""
        if text == self._command_text:
            return
        self._command_text = text
        self._restore.stop()
        self._show_command()

    def job_chip(self, key: str) -> JobChip:
        """The place of a long job, hidden until the job shows itself there."""
        if key not in self._jobs:
            chip = self._jobs[key] = JobChip()
            chip.changed.connect(self._show_command)
            self._line.insertWidget(self._line.indexOf(self._facts), chip)
        return self._jobs[key]

    def state_word(self) -> str:
        """The word of freshness that is shown."""
        return self._word.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_command()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange and self._shown is not None:
            self.set_state(*self._shown[:2])  # another theme has other inks
        super().changeEvent(event)

    def _show_command(self) -> None:
        self._command.ensurePolished()
        taken = sum(w.sizeHint().width() for w in (self._mark, self._word, self._timings, self._facts))
        taken += sum(chip.sizeHint().width() + GRID for chip in self._jobs.values() if not chip.isHidden())
        room = max(self.width() - taken - 13 * GRID, 120)
        metrics = self._command.fontMetrics()
        shown = metrics.elidedText(self._command_text, Qt.TextElideMode.ElideMiddle, room)
        self._command.setText(shown.replace("&", "&&"))
        self._command.setVisible(bool(self._command_text))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command_text)
        self._command.setText(tr("copied"))
        self._restore.start(_COPIED_MS)
        self.copied.emit(self._command_text)

"""A long job in the status bar: what it does, how far it is, and a way to stop it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import GRID, icon
from fourdcb_studio.widgets.labels import RoleLabel

_BAR = 72


class JobChip(QWidget):
    """Hidden while there is no job.

    Signals:
        cancelled(): the user stops the job.
        changed(): it takes another width.
    """

    cancelled = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = RoleLabel("", "note")
        self._bar = QProgressBar()
        self._bar.setFixedSize(_BAR, 4)
        self._bar.setTextVisible(False)
        self._stop = QToolButton()
        self._stop.setProperty("kind", "quiet")
        self._stop.setProperty("shape", "icon")
        self._stop.setFixedSize(20, 20)
        self._stop.setIconSize(QSize(12, 12))
        self._stop.setToolTip(tr("Cancel"))
        self._stop.setAccessibleName(tr("Cancel the job"))
        self._stop.clicked.connect(self.cancelled)
        self._stop.setIcon(icon("x", "muted"))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(GRID)
        line.addWidget(self._text)
        line.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self._stop)
        self.hide()

    def show_job(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show ``done`` of ``total`` steps; a total of 0 says that it is not known yet."""
        wider = len(text) != len(self._text.text()) or self.isHidden()
        self._text.setText(text)
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        self._bar.setVisible(total > 0)
        self.show()
        if wider:
            self.changed.emit()

    def clear(self) -> None:
        """There is no job."""
        if not self.isHidden():
            self.hide()
            self.changed.emit()

    def text(self) -> str:
        """What is shown."""
        return self._text.text()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._stop.setIcon(icon("x", "muted"))
        super().changeEvent(event)

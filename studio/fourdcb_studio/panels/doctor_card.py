"""What the machine has and lacks, with what mends it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from fourdcb import __version__
from fourdcb.words import tr
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.theme import GRID, tokens
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel
from fourdcb_studio.widgets.marks import Mark, paint_mark

Row = tuple[str, bool, bool, str, str]


class _Sign(QWidget):
    def __init__(self, ok: bool, required: bool) -> None:
        super().__init__()
        self._mark: tuple[Mark, str] = (
            ("check", "ok") if ok else ("cross", "bad") if required else ("dash", "muted")
        )
        self.setFixedSize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_mark(QPainter(self), self._mark[0], QPointF(8, 10), 11, tokens().color(self._mark[1]))


class DoctorCard(Overlay):
    """Checks of the machine; the same as ``fourdcb doctor`` prints."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, size=QSize(760, 520))
        self._rows: tuple[Row, ...] = ()
        self._words = RoleLabel("", "note")
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        copy, close = QPushButton(tr("Copy as text")), QPushButton(tr("Close"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text()))
        close.clicked.connect(self.dismiss)
        line = QHBoxLayout()
        line.addWidget(self._words)
        line.addStretch(1)
        line.addWidget(copy)
        line.addWidget(close)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(RoleLabel(tr("4DCodeBench {version} on this machine", version=__version__), "title"))
        column.addWidget(self._scroll, 1)
        column.addLayout(line)

    def show_waiting(self) -> None:
        """The checks are on their way."""
        self._rows = ()
        self._words.setText(tr("Looking …"))
        self._scroll.setWidget(QWidget())

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show the checks."""
        self._rows = tuple(rows)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(2)
        for name, ok, required, detail, mend in self._rows:
            column.addLayout(_line(name, ok, required, detail))
            if not ok:
                hint = RoleLabel(tr("mend it with: {mend}", mend=mend), "note")
                hint.setWordWrap(True)
                hint.setContentsMargins(28, 0, 0, 4)
                column.addWidget(hint)
        column.addStretch(1)
        self._scroll.setWidget(body)
        bad = sum(required and not ok for _, ok, required, _, _ in self._rows)
        self._words.setText(
            tr("Everything that is needed is there.")
            if not bad
            else tr("{bad} needed things are missing.", bad=bad)
        )

    def text(self) -> str:
        """The checks as lines."""
        return "\n".join(
            f"{name}: {'ok' if ok else 'missing' if required else 'missing (optional)'}; {detail}"
            for name, ok, required, detail, _ in self._rows
        )

    def open(self) -> None:
        super().open()
        self.setFocus(Qt.FocusReason.PopupFocusReason)


def _line(name: str, ok: bool, required: bool, detail: str) -> QHBoxLayout:
    line = QHBoxLayout()
    line.setSpacing(GRID)
    title = RoleLabel(name)
    title.setFixedWidth(168)
    words = ElidedLabel(detail, "note", elide=Qt.TextElideMode.ElideMiddle)
    words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    line.addWidget(_Sign(ok, required))
    line.addWidget(title)
    line.addWidget(words, 1)
    return line

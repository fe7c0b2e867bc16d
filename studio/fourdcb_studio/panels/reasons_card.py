"""The verdict's reasons: what every axis was measured by, and why what is open is open."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from fourdcb.metrics.result import Axis, Report
from fourdcb.words import axis_meaning, chosen, verdict_title
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.panels.reasons import Reason, reasons_of
from fourdcb_studio.theme import GRID, tokens
from fourdcb_studio.widgets.labels import RoleLabel
from fourdcb_studio.widgets.marks import STATE_MARKS, paint_mark

_WIDTH = 720


class _Sign(QWidget):
    def __init__(self, passed: bool | None) -> None:
        super().__init__()
        self._passed = passed
        self.setFixedSize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        mark, role = STATE_MARKS[self._passed]
        paint_mark(QPainter(self), mark, QPointF(8, 10), 10, tokens().color(role))


class ReasonsCard(Overlay):
    """Verdict, reasons, and one table an axis, over the window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, size=QSize(_WIDTH, 560))
        self._title = RoleLabel("", "title")
        self._why = RoleLabel("")
        self._why.setWordWrap(True)
        self._body = QWidget()
        self._heads: dict[Axis, QWidget] = {}
        self._lines: list[str] = []
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        close = QPushButton(chosen().say("studio.reasons.close"))
        close.clicked.connect(self.dismiss)
        self._close = close
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        for widget in (self._title, self._why):
            column.addWidget(widget)
        column.addWidget(self._scroll, 1)
        column.addLayout(foot)

    def show_report(self, report: Report | None, *, stale: bool, axis: Axis | None = None) -> None:
        """Open it on a report, at an axis; without a report it says that nothing is judged."""
        words = chosen()
        title = words.say("studio.reasons.not_judged") if report is None else verdict_title(report.verdict)
        self._title.setText(title)
        told = [] if report is None else list(report.reasons)
        if stale:
            told.append(words.say("studio.reasons.stale"))
        self._why.setText("\n".join(told))
        self._why.setVisible(bool(told))
        self._lines = [title, *told]
        self._fill(report)
        self.open()
        self._close.setFocus(Qt.FocusReason.OtherFocusReason)
        if axis in self._heads:
            self._body.adjustSize()
            self._scroll.verticalScrollBar().setValue(self._heads[axis].y())

    def text(self) -> str:
        """All that it says, line by line."""
        return "\n".join(self._lines)

    def _fill(self, report: Report | None) -> None:
        body = self._body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 2 * GRID, 0)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self._heads = {}
        row = 0
        for axis, passed, reasons in reasons_of(report) if report is not None else ():
            head = self._heads[axis] = RoleLabel(axis_meaning(axis), "section")
            head.setContentsMargins(0, 2 * GRID if row else 0, 0, 4)
            grid.addWidget(_Sign(passed), row, 0, Qt.AlignmentFlag.AlignBottom)
            grid.addWidget(head, row, 1, 1, 3)
            row += 1
            for reason in reasons:
                row = self._add(grid, row, reason)
        grid.setRowStretch(row, 1)
        self._scroll.setWidget(body)

    def _add(self, grid: QGridLayout, row: int, reason: Reason) -> int:
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        grid.addWidget(_Sign(reason.passed), row, 0)
        grid.addWidget(RoleLabel(reason.title), row, 1)
        grid.addWidget(RoleLabel(reason.value, "figure"), row, 2, right)
        grid.addWidget(RoleLabel(reason.limit, "muted-figure"), row, 3, right)
        self._lines.append(" ".join((reason.title, reason.value, reason.limit)))
        if not reason.note:
            return row + 1
        note = RoleLabel(reason.note, "note")
        note.setWordWrap(True)
        grid.addWidget(note, row + 1, 1, 1, 3)
        self._lines.append(reason.note)
        return row + 2

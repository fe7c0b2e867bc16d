"""The list of findings: shape and colour by severity, one sentence, likely cause, frame."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStackedLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from fourdcb.metrics.result import Finding
from fourdcb.words import chosen, tr
from fourdcb.world.parameters import split_path
from fourdcb_studio.theme import GRID, mono_font, note_font, text_font, tokens
from fourdcb_studio.widgets.empty_note import EmptyNote
from fourdcb_studio.widgets.header import PanelHeader
from fourdcb_studio.widgets.list_row import paint_ground, reserve_scroll_bar
from fourdcb_studio.widgets.marks import SEVERITY_MARKS, paint_mark
from fourdcb_studio.widgets.parameter_slider import parameter_label
from fourdcb_studio.widgets.text_paint import paint_lines, short_words, wrapped

_LEFT = 36
_RIGHT = 36  # beside the scroll bar
_MAX_LINES = 4
_FINDING = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex


def cause_text(finding: Finding) -> str:
    """The likely cause: its thing, then the words of its slider; empty when there is none."""
    cause = finding.likely_cause
    if cause is None:
        return ""
    owner, _, _ = split_path(cause.parameter)
    name = f"{owner} {parameter_label(cause.parameter)}"
    if cause.suggested is None:
        return chosen().say("studio.findings.cause", name=name)
    value = f"{cause.suggested:.3g} {cause.unit}".rstrip().replace("-", "−")
    return chosen().say("studio.findings.cause_value", name=name, value=value)


def sentence(finding: Finding) -> str:
    """What a finding says; the list has a column for the frame, which need not begin the sentence, too."""
    said = finding.told(place=False)
    return said[:1].upper() + said[1:]


def _row_text(finding: Finding) -> str:
    """The sentence for a row: long names give way, so that what is wrong has its room."""
    return short_words(sentence(finding))


class FindingsPanel(QWidget):
    """What is wrong, in the report's order, or why there is nothing to show.

    Signals:
        activated(index): a finding was clicked or entered.
    """

    activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._findings: tuple[Finding, ...] = ()
        self._header = PanelHeader(tr("Findings"))
        self._list = QListWidget()
        self._list.setItemDelegate(_FindingDelegate(self._list))
        self._list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        reserve_scroll_bar(self._list)
        self._list.setAccessibleName(tr("Findings"))
        self._list.itemClicked.connect(lambda item: self.activated.emit(self._list.row(item)))
        self._list.itemActivated.connect(lambda item: self.activated.emit(self._list.row(item)))
        self._empty = EmptyNote(tr("Not judged yet"), tr("Findings appear when a candidate is judged."))
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(body, 1)

    def set_findings(self, findings: Sequence[Finding]) -> None:
        """Show findings in the order given; the selection stays on the same row where it can."""
        if tuple(findings) == self._findings:
            return
        self._findings = tuple(findings)
        current = self._list.currentRow()
        self._list.clear()
        for finding in findings:
            said = sentence(finding)
            item = QListWidgetItem(said)
            item.setData(_FINDING, finding)
            item.setToolTip("\n".join(t for t in (said, cause_text(finding)) if t))
            self._list.addItem(item)
        self._header.set_count(len(findings) or None)
        self._stack.setCurrentIndex(1 if findings else 0)
        if 0 <= current < len(findings):
            self._list.setCurrentRow(current)

    def set_empty(self, title: str, detail: str = "") -> None:
        """Words for when there are no findings: not judged, none found, no reference."""
        self._empty.set_words(title, detail)

    def empty_words(self) -> tuple[str, str]:
        """What stands in the place of findings."""
        return self._empty.words()

    def set_current(self, index: int) -> None:
        """Select a finding without a signal; -1 selects none."""
        self._list.setCurrentRow(index)

    def current(self) -> int:
        """Index of the selected finding, or -1."""
        return self._list.currentRow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._list.scheduleDelayedItemsLayout()


class _FindingDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        view = self.parent()
        width = view.viewport().width() if isinstance(view, QListWidget) else 240
        finding: Finding = index.data(_FINDING)
        lines = wrapped(_row_text(finding), text_font(), width - _LEFT - _RIGHT, _MAX_LINES)
        return QSize(width, 18 * len(lines) + (17 if cause_text(finding) else 0) + 2 * GRID)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        finding: Finding = index.data(_FINDING)
        theme = tokens()
        box = QRectF(option.rect)
        painter.save()
        paint_ground(painter, box, option.state)
        mark, role = SEVERITY_MARKS[finding.severity]
        top = box.top() + GRID
        paint_mark(painter, mark, QPointF(box.left() + 22, top + 9), 9, theme.color(role))
        lines = wrapped(_row_text(finding), text_font(), box.width() - _LEFT - _RIGHT, _MAX_LINES)
        painter.setPen(theme.color("text"))
        y = paint_lines(painter, lines, text_font(), QPointF(box.left() + _LEFT, top), 18)
        cause = cause_text(finding)
        if cause:
            painter.setFont(note_font())
            painter.setPen(theme.color("muted"))
            room = box.width() - _LEFT - GRID
            text = painter.fontMetrics().elidedText(cause, Qt.TextElideMode.ElideMiddle, int(room))
            painter.drawText(QRectF(box.left() + _LEFT, y, room, 17), Qt.AlignmentFlag.AlignVCenter, text)
        if finding.frame is not None:
            painter.setFont(mono_font())
            painter.setPen(theme.color("muted"))
            width = QFontMetricsF(mono_font()).horizontalAdvance(str(finding.frame))
            at = QRectF(box.right() - GRID - width, top, width + 1, 18)
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, str(finding.frame))
        painter.restore()

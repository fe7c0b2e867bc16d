"""The table itself: cells are painted with shape and colour, keys move and open."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from fourdcb_studio.session.run_table import RunTable
from fourdcb_studio.theme import GRID, note_font, text_font, tokens
from fourdcb_studio.views.runs.table_model import (
    CELL,
    STATE_ONLY_MARKS,
    VERDICT_MARKS,
    Index,
    RunTableModel,
)
from fourdcb_studio.widgets.keys import PRESS_KEYS, STEP_KEYS, keeps
from fourdcb_studio.widgets.list_row import paint_ground
from fourdcb_studio.widgets.marks import paint_mark

_KEYS = STEP_KEYS | PRESS_KEYS | {Qt.Key.Key_C, Qt.Key.Key_Slash, Qt.Key.Key_Escape}
_ROW, _HEAD = 32, 48
_NAME_WIDTH, _LEAST, _MOST = 200, 168, 360


class RunsTable(QTableView):
    """Models over samples.

    Signals:
        opened(sample, column): an answer was entered; columns count runs from 0.
        chosen(): other cells are selected.
        compared(): two selected answers are to be seen side by side.
        sort_requested(column): a head was clicked; -1 is the column of names.
        search_requested(), escaped(): keys.
    """

    opened = Signal(str, int)
    chosen = Signal()
    compared = Signal()
    sort_requested = Signal(int)
    search_requested = Signal()
    escaped = Signal()

    def __init__(self, table: RunTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self.rows = RunTableModel(table)
        self.setModel(self.rows)
        self.setItemDelegate(_CellDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setProperty("kind", "runs")
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setFixedHeight(_HEAD)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionsClickable(True)
        head.setHighlightSections(False)
        head.sectionClicked.connect(lambda section: self.sort_requested.emit(section - 1))
        self.doubleClicked.connect(self._enter)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())

    def refresh(self) -> None:
        """Show what the table holds now."""
        kept = self.selected()
        self.rows.refresh()
        order, head = self._table.order, self.horizontalHeader()
        head.setSortIndicatorShown(order is not None or self._table.descending)
        direction = Qt.SortOrder.DescendingOrder if self._table.descending else Qt.SortOrder.AscendingOrder
        head.setSortIndicator(0 if order is None else order + 1, direction)
        self._share_width()
        if kept and not self.selected():
            self.select(kept)

    def selected(self) -> list[tuple[str, int]]:
        """(sample, column) of the selected answers, in the order of the table."""
        cells = sorted((i.row(), i.column()) for i in self.selectedIndexes() if i.column() > 0)
        return [(self.rows.sample(row), column - 1) for row, column in cells]

    def select(self, cells: Sequence[tuple[str, int]]) -> None:
        """Select answers; those that are not shown are left out."""
        model = self.selectionModel()
        model.clearSelection()
        for sample, column in cells:
            row = self.rows.row_of(sample)
            if row >= 0 and column < len(self._table.runs):
                index = self.rows.index(row, column + 1)
                model.select(index, QItemSelectionModel.SelectionFlag.Select)
                model.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
                self.scrollTo(index)

    def event(self, event: QEvent) -> bool:
        return keeps(event, _KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(self.currentIndex())
        elif event.key() == Qt.Key.Key_C and not event.modifiers():
            self.compared.emit()
        elif event.key() == Qt.Key.Key_Slash:
            self.search_requested.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """The runs share the width evenly, as far as their words can still be read."""
        runs = len(self._table.runs)
        if runs:
            each = (self.viewport().width() - _NAME_WIDTH) // runs
            self.setColumnWidth(0, _NAME_WIDTH)
            for column in range(1, runs + 1):
                self.setColumnWidth(column, max(_LEAST, min(each, _MOST)))

    def _enter(self, index: Index) -> None:
        if index.isValid():
            self.opened.emit(self.rows.sample(index.row()), max(index.column() - 1, 0))


class _CellDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_LEAST, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = tokens(), QRect(option.rect)
        box = QRectF(rect)
        paint_ground(painter, box, option.state)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        text = box.adjusted(2 * GRID, 0, -GRID, 0)
        if index.column() == 0:
            _paint_text(painter, text, index.data(), text_font(), "text")
            return
        cell, says = index.data(CELL)
        if cell is not None:
            mark, role = VERDICT_MARKS.get(cell.verdict) or STATE_ONLY_MARKS[cell.state]
            paint_mark(painter, mark, QPointF(text.left() + 5, text.center().y()), 10, theme.color(role))
        text.setLeft(text.left() + 2.5 * GRID)
        _paint_text(painter, text, says, note_font(), "muted" if cell is None or not cell.verdict else "text")


def _paint_text(painter: QPainter, box: QRectF, text: str, font: QFont, role: str) -> None:
    painter.setFont(font)
    painter.setPen(tokens().color(role))
    said = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), said)

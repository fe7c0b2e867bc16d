"""The candidates and cases at hand: thumbnail, name, what fails, verdict as shape and colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from fourdcb.words import tr
from fourdcb_studio.theme import GRID, note_font, text_font, tokens
from fourdcb_studio.widgets.empty_note import EmptyNote
from fourdcb_studio.widgets.flow_layout import FlowLayout
from fourdcb_studio.widgets.header import PanelHeader
from fourdcb_studio.widgets.image_paint import paint_image, qimage, round_corners
from fourdcb_studio.widgets.image_transform import ViewTransform
from fourdcb_studio.widgets.list_row import paint_ground, reserve_scroll_bar
from fourdcb_studio.widgets.marks import STATE_MARKS, paint_mark

_CASE = Qt.ItemDataRole.UserRole
_FRAME = tr(" · frame ")
_ROW = 48
_THUMB = QSize(54, 36)
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Case:
    """One candidate or case.

    Attributes:
        name: what it is called; unique in the list.
        note: what it shows, such as ``restitution · frame 42``.
        passed: its verdict; None when not judged.
        thumbnail: uint8, shape (H, W, 3), or None.
    """

    name: str
    note: str = ""
    passed: bool | None = None
    thumbnail: NDArray[np.uint8] | None = None


class CasesPanel(QWidget):
    """Candidates to open, with facets to narrow them down.

    Signals:
        activated(name): a case was clicked or entered.
        filter_toggled(name, on): a facet's chip was switched.
    """

    activated = Signal(str)
    filter_toggled = Signal(str, bool)

    def __init__(self, title: str = tr("Cases"), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._header = PanelHeader(title)
        self._facets = QWidget()
        self._flow = FlowLayout(self._facets)
        self._flow.setContentsMargins(2 * GRID, 0, 2 * GRID, GRID)
        self._facets.hide()
        self._list = QListWidget()
        self._list.setItemDelegate(_CaseDelegate(self._list))
        self._list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        reserve_scroll_bar(self._list)
        self._list.setAccessibleName(title)
        self._list.itemClicked.connect(lambda item: self.activated.emit(item.text()))
        self._list.itemActivated.connect(lambda item: self.activated.emit(item.text()))
        self._empty = EmptyNote(tr("No candidates"), tr("Scripts beside the scene appear here."))
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self._facets)
        column.addWidget(body, 1)

    def set_cases(self, cases: Sequence[Case]) -> None:
        """Show cases; the selection stays on the same name."""
        item = self._list.currentItem()
        current = item.text() if item is not None else ""
        self._list.clear()
        for case in cases:
            item = QListWidgetItem(case.name)
            image = None if case.thumbnail is None else qimage(case.thumbnail)
            item.setData(_CASE, (case, image))
            item.setToolTip(f"{case.name}\n{case.note}".strip())
            self._list.addItem(item)
        self._header.set_count(len(cases) or None)
        self._stack.setCurrentIndex(1 if cases else 0)
        self.set_current(current)

    def set_current(self, name: str) -> None:
        """Select a case without a signal; an unknown name selects none."""
        rows = [i for i in range(self._list.count()) if self._list.item(i).text() == name]
        self._list.setCurrentRow(rows[0] if rows else -1)

    def set_facets(self, facets: Sequence[tuple[str, int]], on: frozenset[str] = frozenset()) -> None:
        """Chips (name, count); those in ``on`` are switched on."""
        self._flow.clear()
        for name, count in facets:
            chip = QPushButton(f"{name}  {count}")
            chip.setProperty("kind", "chip")
            chip.setCheckable(True)
            chip.setChecked(name in on)
            chip.toggled.connect(lambda state, n=name: self.filter_toggled.emit(n, state))
            self._flow.addWidget(chip)
        self._facets.setVisible(bool(facets))

    def set_empty(self, title: str, detail: str = "") -> None:
        """Words for when there are no cases."""
        self._empty.set_words(title, detail)


class _CaseDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        case, image = index.data(_CASE)
        theme = tokens()
        box = QRectF(option.rect)
        painter.save()
        surface = paint_ground(painter, box, option.state)
        thumb = QRectF(box.left() + 2 * GRID, box.top() + 6, _THUMB.width(), _THUMB.height())
        _paint_thumbnail(painter, image, thumb, surface)
        left = thumb.right() + 12
        room = box.right() - left - 4 * GRID
        for text, font, role, y in (
            (case.name, text_font(), "text", 6.0),
            (case.note, note_font(), "muted", 24.0),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(role))
            # The ends of names tell them apart.
            elide = Qt.TextElideMode.ElideMiddle if text == case.name else Qt.TextElideMode.ElideRight
            shown = painter.fontMetrics().elidedText(text, elide, int(room))
            if shown != text and _FRAME in text:  # without room the frame goes first, whole
                text = text.partition(_FRAME)[0]
                shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room))
            at = QRectF(left, box.top() + y, room, 18)
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, shown)
        mark, role = STATE_MARKS[case.passed]
        at_mark = QPointF(box.right() - GRID - 5, box.center().y())
        paint_mark(painter, mark, at_mark, 10, theme.color(role))
        painter.restore()


def _paint_thumbnail(painter: QPainter, image: QImage | None, box: QRectF, surface: str) -> None:
    theme = tokens()
    if image is None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("track", 0.6))
        painter.drawRoundedRect(box, 4, 4)
        return
    scale = max(box.width() / image.width(), box.height() / image.height())
    target = ViewTransform(scale).target(box, image.width(), image.height())
    paint_image(painter, image, target, box)
    round_corners(painter, box, theme.color(surface), 4)

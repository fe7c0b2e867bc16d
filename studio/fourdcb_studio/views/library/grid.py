"""The grid of cases: a virtual list of tiles, for the mouse and for the keyboard alone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from fourdcb.library import CaseEntry
from fourdcb.words import tr
from fourdcb_studio.views.library.grid_model import CaseGridModel, ThumbnailCache
from fourdcb_studio.views.library.grid_paint import CaseTileDelegate, tile_size
from fourdcb_studio.widgets.keys import PRESS_KEYS, STEP_KEYS, keeps

_SETTLE_MS = 40  # pictures are asked for when scrolling pauses so long
_AHEAD = 12  # cases beyond the visible ones whose pictures are fetched, too


class CaseGrid(QListView):
    """Tiles of cases; several can be chosen.

    Signals:
        opened(id): a case was double-clicked or entered.
        chosen(ids): other cases are chosen, a tuple of ids in the order shown.
        pictures_wanted(entries): cases in sight without a picture, a tuple; the nearest first.
        tag_requested(), note_requested(), search_requested(), escaped(): T, M, / or Escape was pressed.
    """

    opened = Signal(str)
    chosen = Signal(object)
    pictures_wanted = Signal(object)
    tag_requested = Signal()
    note_requested = Signal()
    search_requested = Signal()
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._quiet = False  # while the selection is restored
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Cases"))
        self._model = CaseGridModel(self)
        self.setModel(self._model)
        self._pictures = ThumbnailCache()
        self._delegate = CaseTileDelegate(self._pictures.get, lambda case: case not in self._pictures, self)
        self.setItemDelegate(self._delegate)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE_MS)
        self._settle.timeout.connect(self._ask_pictures)
        self.verticalScrollBar().valueChanged.connect(lambda: self._settle.start())
        self.doubleClicked.connect(lambda index: self.opened.emit(self._model.entry(index.row()).id))

    # -- content -------------------------------------------------------------------------------------
    def set_entries(self, entries: Sequence[CaseEntry]) -> None:
        """Show other cases; what is chosen stays chosen where it is still shown, the place where it can."""
        current, chosen = self.current_id(), self.chosen_ids()
        self._quiet = True
        self._model.set_entries(entries)
        self.select_ids(chosen, current=current)
        self._quiet = False
        self._settle.start()

    def count(self) -> int:
        """Cases that are shown."""
        return self._model.rowCount()

    def set_opened(self, case: str) -> None:
        """Mark the case on the bench."""
        self._delegate.opened = case
        self.viewport().update()

    def add_picture(self, case: str, image: QImage | None) -> None:
        """A picture was decoded; None: there is none."""
        self._pictures.put(case, image)
        row = self._model.row_of(case)
        if row >= 0:
            self.update(self._model.index(row))

    def picture(self, case: str) -> QImage | None:
        """The decoded picture of a case, None while there is none."""
        return self._pictures.get(case)

    def forget_pictures(self) -> None:
        """Another library."""
        self._pictures.clear()

    # -- choosing ------------------------------------------------------------------------------------
    def current_id(self) -> str:
        """The case with the keyboard, "" for none."""
        index = self.currentIndex()
        return self._model.entry(index.row()).id if index.isValid() else ""

    def chosen_ids(self) -> tuple[str, ...]:
        """The chosen cases in the order shown."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return tuple(self._model.entry(row).id for row in rows)

    def select_ids(self, ids: Sequence[str], *, current: str = "") -> None:
        """Choose cases; those that are not shown are left out."""
        selection = QItemSelection()
        for row in (self._model.row_of(case) for case in ids):
            if row >= 0:
                selection.select(self._model.index(row), self._model.index(row))
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        row = self._model.row_of(current)
        if row >= 0:
            self.selectionModel().setCurrentIndex(
                self._model.index(row), QItemSelectionModel.SelectionFlag.NoUpdate
            )

    def reveal(self, case: str) -> None:
        """Choose a case alone and scroll to it."""
        row = self._model.row_of(case)
        if row >= 0:
            self.select_ids((case,), current=case)
            self.scrollTo(self._model.index(row))

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if not self._quiet:
            self.chosen.emit(self.chosen_ids())

    # -- pictures ------------------------------------------------------------------------------------
    def visible_rows(self) -> range:
        """Rows in sight."""
        if not self._model.rowCount():
            return range(0)
        size, columns = self.gridSize(), self._columns()
        top = self.verticalScrollBar().value()
        first = top // max(size.height(), 1) * columns
        lines = self.viewport().height() // max(size.height(), 1) + 2
        return range(min(first, self._model.rowCount()), min(first + lines * columns, self._model.rowCount()))

    def awaits_pictures(self) -> bool:
        """Whether a case in sight may have a picture that is not there yet."""
        return any(self._model.entry(row).id not in self._pictures for row in self.visible_rows())

    def _ask_pictures(self) -> None:
        rows = self.visible_rows()
        ahead = range(rows.stop, min(rows.stop + _AHEAD, self._model.rowCount()))
        entries = (self._model.entry(row) for row in (*rows, *ahead))
        self.pictures_wanted.emit(tuple(entry for entry in entries if entry.id not in self._pictures))

    # -- events --------------------------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        return keeps(event, STEP_KEYS | PRESS_KEYS | {Qt.Key.Key_Escape}) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            if self.current_id():
                self.opened.emit(self.current_id())
            return
        requests = {
            Qt.Key.Key_T: self.tag_requested, Qt.Key.Key_M: self.note_requested,
            Qt.Key.Key_Slash: self.search_requested, Qt.Key.Key_Escape: self.escaped,
        }  # fmt: skip
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and Qt.Key(key) in requests:
            requests[Qt.Key(key)].emit()
            return
        if plain and key in (Qt.Key.Key_Right, Qt.Key.Key_Left):  # on to the next line, as text does
            self._step(1 if key == Qt.Key.Key_Right else -1)
            return
        super().keyPressEvent(event)

    def _step(self, step: int) -> None:
        row = min(max(self.currentIndex().row() + step, 0), self._model.rowCount() - 1)
        if row >= 0:
            self.setCurrentIndex(self._model.index(row))

    def keyboardSearch(self, search: str) -> None:
        """Letters are shortcuts here; the search box finds by text."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        current = self.currentIndex()
        size = tile_size(self.viewport().width() - 1)
        if size != self.gridSize():
            self._delegate.tile = size
            self.setGridSize(size)
        super().resizeEvent(event)
        if current.isValid() and event.size().width() != event.oldSize().width():
            self.scrollTo(current)
        self._settle.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._settle.start()

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def _columns(self) -> int:
        return max((self.viewport().width() - 1) // max(self.gridSize().width(), 1), 1)

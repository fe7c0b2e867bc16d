"""The cases of the grid as a list model, and the pictures that were decoded lately."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage

from fourdcb.library import CaseEntry
from fourdcb.words import tr

ENTRY = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
_BUDGET = 64 * 2**20
VERDICT_WORDS = {
    "not_deployable": tr("not deployable"),
    "deployable": "deployable",
    "inconclusive": "inconclusive",
    "unreadable": "unreadable",
}


class CaseGridModel(QAbstractListModel):
    """Cases in the order in which they are shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[CaseEntry, ...] = ()
        self._rows: dict[str, int] = {}

    def set_entries(self, entries: Sequence[CaseEntry]) -> None:
        """Show other cases."""
        self.beginResetModel()
        self._entries = tuple(entries)
        self._rows = {entry.id: row for row, entry in enumerate(self._entries)}
        self.endResetModel()

    def entry(self, row: int) -> CaseEntry:
        """The case of a row."""
        return self._entries[row]

    def row_of(self, case: str) -> int:
        """Row of a case, -1 when it is not shown."""
        return self._rows.get(case, -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role == ENTRY:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{entry.title}\n{entry.headline}\n{entry.id}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(entry)
        return None


def spoken(entry: CaseEntry) -> str:
    """A case in one sentence."""
    failed = ", ".join(axis.replace("_", " and ") for axis in entry.failed_axes)
    return f"{entry.title}, {VERDICT_WORDS[entry.verdict]}{f', {failed} failed' if failed else ''}"


class ThumbnailCache:
    """Decoded pictures by case; the ones that were not looked at longest go first. None: there is none."""

    def __init__(self, *, budget: int = _BUDGET) -> None:
        self._budget, self._size = budget, 0
        self._images: OrderedDict[str, QImage | None] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return key in self._images

    def get(self, key: str) -> QImage | None:
        """The picture, None when there is none (yet)."""
        if key in self._images:
            self._images.move_to_end(key)
        return self._images.get(key)

    def put(self, key: str, image: QImage | None) -> None:
        """Keep a picture."""
        former = self._images.pop(key, None)
        self._size += _bytes(image) - _bytes(former)
        self._images[key] = image
        while self._size > self._budget and len(self._images) > 1:
            _, dropped = self._images.popitem(last=False)
            self._size -= _bytes(dropped)

    def clear(self) -> None:
        """Forget all."""
        self._images.clear()
        self._size = 0


def _bytes(image: QImage | None) -> int:
    return 0 if image is None else image.sizeInBytes()

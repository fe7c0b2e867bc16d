"""Ways to go on with what is being typed, in a list under the cursor."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from fourdcb_studio.session.completion import Suggestion
from fourdcb_studio.theme import GRID

_MOST_ROWS = 8
_ROW = 22
_SUGGESTION = Qt.ItemDataRole.UserRole
_LEAST_WIDTH, _MOST_WIDTH = 160, 460


class CompletionList(QListWidget):
    """Lies in the editor; the keyboard stays with the editor, which steps and takes.

    Signals:
        taken(suggestion): one was clicked.
    """

    taken = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self.setProperty("surface", "card")
        self.setProperty("kind", "code")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.itemClicked.connect(lambda item: self.taken.emit(item.data(_SUGGESTION)))
        self.hide()

    def offer(self, suggestions: tuple[Suggestion, ...], below: QPoint, line_height: int) -> None:
        """Show them under a place, above it where there is no room; hide when there are none.

        Args:
            below: lower left corner of what was begun, in the parent.
            line_height: of the text [px].
        """
        self.clear()
        if not suggestions:
            self.hide()
            return
        widest = max(len(s.word) for s in suggestions)
        for suggestion in suggestions:
            item = QListWidgetItem(f"{suggestion.word:<{widest}}  {suggestion.about}".rstrip())
            item.setData(_SUGGESTION, suggestion)
            item.setSizeHint(QSize(0, _ROW))
            self.addItem(item)
        self.setCurrentRow(0)
        self._place(below, line_height)
        self.show()
        self.raise_()

    def current(self) -> Suggestion | None:
        """The one that Return takes."""
        item = self.currentItem()
        found: Suggestion | None = item.data(_SUGGESTION) if item is not None else None
        return found

    def step(self, by: int) -> None:
        """Another one, round the end."""
        self.setCurrentRow((self.currentRow() + by) % max(self.count(), 1))

    def _place(self, below: QPoint, line_height: int) -> None:
        room = self._host.rect()
        self.ensurePolished()
        longest = max((self.item(row).text() for row in range(self.count())), key=len, default="")
        width = self.fontMetrics().horizontalAdvance(longest) + 32
        width = min(max(width, _LEAST_WIDTH), _MOST_WIDTH, room.width())
        wanted = min(self.count(), _MOST_ROWS) * _ROW + 4
        left = min(below.x(), room.width() - width)
        under, above = room.height() - below.y(), below.y() - line_height - GRID
        over = wanted > under and above > under
        height = min(wanted, above if over else under)
        top = above - height if over else below.y()
        self.setGeometry(max(left, 0), top, width, height)

"""Words in the place of an empty list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import RoleLabel, sentence


class EmptyNote(QWidget):
    """A title and a sentence, at the top of where the list would be."""

    def __init__(self, title: str, detail: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = RoleLabel(title)
        self._detail = RoleLabel(detail, "note")
        self._detail.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        column.setSpacing(4)
        column.addWidget(self._title)
        column.addWidget(self._detail)
        column.setAlignment(Qt.AlignmentFlag.AlignTop)

    def set_words(self, title: str, detail: str = "") -> None:
        """Other words."""
        self._title.setText(title)
        self._detail.setText(sentence(detail))
        self._detail.setVisible(bool(detail))

    def words(self) -> tuple[str, str]:
        """Title and sentence."""
        return self._title.text(), self._detail.text()

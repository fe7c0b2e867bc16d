"""A quiet button that shows a choice and opens the others in a menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from fourdcb_studio.theme import icon

_MOST_WIDTH = 200  # px of the word; the menu has all of it


class PickButton(QPushButton):
    """Hidden while there is nothing to choose from.

    Signals:
        picked(id): another choice.
    """

    picked = Signal(str)

    def __init__(self, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: tuple[tuple[str, str], ...] = ()
        self._menu = QMenu(self)
        self.setMenu(self._menu)
        self.setProperty("kind", "quiet")
        # The arrow follows the word.
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setIcon(icon("chevron-down", "muted"))
        self.hide()

    def set_choices(self, choices: Sequence[tuple[str, str]], current: str) -> None:
        """Choices (id, word) and the one in force; silent."""
        if tuple(choices) != self._choices:
            self._choices = tuple(choices)
            self._menu.clear()
            group = QActionGroup(self._menu)
            for key, word in self._choices:
                action = QAction(word, self._menu, checkable=True)
                action.setData(key)
                action.triggered.connect(lambda _=False, k=key: self.picked.emit(k))
                group.addAction(action)
                self._menu.addAction(action)
        for action in self._menu.actions():
            action.setChecked(action.data() == current)
        word = dict(self._choices).get(current, current)
        self.setText(self.fontMetrics().elidedText(word, Qt.TextElideMode.ElideMiddle, _MOST_WIDTH))
        self.setVisible(bool(self._choices))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.setIcon(icon("chevron-down", "muted"))
        super().changeEvent(event)

"""A quiet button that opens a list in which several things can be ticked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from fourdcb_studio.theme import icon


class StayingMenu(QMenu):
    """A menu that stays open while its entries are ticked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.activeAction()
        if action is not None and action.isCheckable() and action.isEnabled():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)


class MultiPick(QPushButton):
    """Hidden while there is nothing to choose from.

    Signals:
        picked(ids): a tuple, in the order of the choices, after a tick.
    """

    picked = Signal(object)

    def __init__(self, word: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._word = word
        self._choices: tuple[tuple[str, str], ...] = ()
        self._menu = StayingMenu(self)
        self.setMenu(self._menu)
        self.setProperty("kind", "quiet")
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow follows the word
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setIcon(icon("chevron-down", "muted"))
        self.hide()

    def set_choices(self, choices: Sequence[tuple[str, str]], chosen: Sequence[str]) -> None:
        """Choices (id, word) and the ones that are ticked; silent."""
        if tuple(choices) != self._choices:
            self._choices = tuple(choices)
            self._menu.clear()
            for key, word in self._choices:
                action = QAction(word, self._menu, checkable=True)
                action.setData(key)
                action.triggered.connect(self._tell)
                self._menu.addAction(action)
        for action in self._menu.actions():
            action.setChecked(action.data() in chosen)
        self._show_count()
        self.setVisible(bool(self._choices))

    def actions_by_id(self) -> dict[str, QAction]:
        """The entries of the list."""
        return {str(action.data()): action for action in self._menu.actions()}

    def _tell(self) -> None:
        self._show_count()
        self.picked.emit(tuple(a.data() for a in self._menu.actions() if a.isChecked()))

    def _show_count(self) -> None:
        count = sum(action.isChecked() for action in self._menu.actions())
        self.setText(f"{self._word} {count} / {len(self._choices)}")

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.setIcon(icon("chevron-down", "muted"))
        super().changeEvent(event)

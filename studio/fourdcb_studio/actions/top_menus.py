"""The menus that drop from the top line: everything, and what can be opened."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QToolButton

from fourdcb.words import chosen
from fourdcb_studio.actions.table import ActionSet
from fourdcb_studio.bench import Bench
from fourdcb_studio.session.openings import openings
from fourdcb_studio.workspace import Workspace

_OPENS = ("open_scene", "open_files", "open_library", "open_runs", "welcome")
_MOST_RECENT = 6


class TopMenus:
    """Made when they are first asked for.

    Args:
        bench: what is opened in.
        parts: where the buttons lie.
        actions: what the menus hold.
    """

    def __init__(self, bench: Bench, parts: Workspace, actions: ActionSet) -> None:
        self._bench, self._verdict, self._actions = bench, parts.verdict, actions
        self._menu: QMenu | None = None
        parts.verdict.menu_requested.connect(lambda: self._drop(self.all(), "menu"))
        parts.verdict.open_requested.connect(lambda: self._drop(self.open(), "open"))

    def all(self) -> QMenu:
        """Every action, a menu a group."""
        if self._menu is None:
            self._menu = QMenu(self._verdict)
            for menu in self._actions.menus(self._menu):
                self._menu.addMenu(menu)
        return self._menu

    def open(self) -> QMenu:
        """Ways to open something, and what was opened lately."""
        menu = QMenu(self._verdict)
        for name in _OPENS:
            menu.addAction(self._actions.action(name))
        _, recent = openings(self._bench.navigation.recent)
        if recent:
            menu.addSection(chosen().say("studio.top.recent"))
        for title, note, paths in recent[:_MOST_RECENT]:
            action = menu.addAction(title)
            action.setToolTip(note)
            action.triggered.connect(lambda _=False, paths=paths: self._bench.navigation.open_paths(paths))
        menu.setToolTipsVisible(True)
        return menu

    def _drop(self, menu: QMenu, corner: str) -> None:
        button: QToolButton = self._verdict.corner(corner)
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

"""All keys on one sheet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from fourdcb_studio.panels.command_palette import Command
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel

_COLUMNS = 3
_WIDTH = 1120
_ROW = 22


class ShortcutSheet(Overlay):
    """The commands that have a key, in columns; Escape or a click beside it closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, size=QSize(_WIDTH, 560))
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(RoleLabel("Keys", "title"))
        column.addWidget(self._scroll, 1)

    def set_commands(self, commands: Sequence[Command]) -> None:
        """Commands (id, text, shortcut); those without a key are left out."""
        keyed = [c for c in commands if c[2]]
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, GRID, 0)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(0)
        per_column = -(-len(keyed) // _COLUMNS)
        for i, (_, text, shortcut) in enumerate(keyed):
            row, column = i % max(per_column, 1), 2 * (i // max(per_column, 1))
            key = RoleLabel(_apart(shortcut), "figure")
            key.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            key.setFixedSize(104, _ROW)
            grid.addWidget(key, row, column)
            name = ElidedLabel(text)
            name.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            grid.addWidget(name, row, column + 1)
        for column in range(1, 2 * _COLUMNS, 2):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(per_column, 1)
        self.set_wanted_size(QSize(_WIDTH, per_column * _ROW + 10 * GRID))
        self._scroll.setWidget(body)

    def open(self) -> None:
        super().open()
        self.setFocus(Qt.FocusReason.PopupFocusReason)


def _apart(shortcut: str) -> str:
    """Two signs that follow each other stay two: the face would join them into one."""
    return shortcut.replace("++", "+\u200c+")

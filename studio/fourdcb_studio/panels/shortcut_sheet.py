"""All keys on one sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from fourdcb.words import tr
from fourdcb_studio.panels.command_palette import Command
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel

_COLUMNS = 3
_WIDTH = 1120
_ROW = 19
_BETWEEN = 8  # px between groups


class ShortcutSheet(Overlay):
    """The commands that have a key, by group in columns; Escape or a click beside it closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, size=QSize(_WIDTH, 560))
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(RoleLabel(tr("Keys"), "title"))
        column.addWidget(self._scroll, 1)

    def set_commands(self, commands: Sequence[Command], groups: Mapping[str, str] | None = None) -> None:
        """Commands (id, text, shortcut), and the group of each id; those without a key are left out."""
        named = groups or {}
        keyed: dict[str, list[Command]] = {}
        for command in commands:
            if command[2]:
                keyed.setdefault(named.get(command[0], ""), []).append(command)
        body = QWidget()
        line = QHBoxLayout(body)
        line.setContentsMargins(0, 0, GRID, 0)
        line.setSpacing(3 * GRID)
        columns, heights = [QVBoxLayout() for _ in range(_COLUMNS)], [0] * _COLUMNS
        for column in columns:
            column.setSpacing(_BETWEEN)
            line.addLayout(column, 1)
        for group, rows in keyed.items():
            shortest = heights.index(min(heights))
            columns[shortest].addLayout(_group(tr(group) if group else "", rows))
            heights[shortest] += (len(rows) + bool(group)) * _ROW + _BETWEEN
        for column in columns:
            column.addStretch(1)
        self.set_wanted_size(QSize(_WIDTH, max(heights) + 8 * GRID))
        self._scroll.setWidget(body)

    def open(self) -> None:
        super().open()
        self.setFocus(Qt.FocusReason.PopupFocusReason)


def _group(title: str, commands: Sequence[Command]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * GRID)
    grid.setVerticalSpacing(0)
    grid.setColumnStretch(1, 1)
    if title:
        head = RoleLabel(title, "section")
        head.setFixedHeight(_ROW)
        grid.addWidget(head, 0, 1)
    for row, (_, text, shortcut) in enumerate(commands, start=1):
        key = RoleLabel(_apart(shortcut), "muted-figure")
        key.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        key.setFixedSize(104, _ROW)
        grid.addWidget(key, row, 0)
        name = ElidedLabel(text)
        name.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        grid.addWidget(name, row, 1)
    return grid


def _apart(shortcut: str) -> str:
    """Two signs that follow each other stay two: the face would join them into one."""
    return shortcut.replace("++", "+\u200c+")

"""The head of a panel: its title and, at the right, a count or an action."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import RoleLabel


class PanelHeader(QWidget):
    """Title at the left, ``trailing`` (a count by default) at the right."""

    def __init__(self, title: str, trailing: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = RoleLabel("", "section")
        line = QHBoxLayout(self)
        line.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        line.addWidget(RoleLabel(title, "section"))
        line.addStretch(1)
        line.addWidget(trailing or self._count)
        self.setFixedHeight(4 * GRID)

    def set_count(self, count: int | None) -> None:
        """Number of things in the panel; None shows none."""
        self._count.setText("" if count is None else str(count))

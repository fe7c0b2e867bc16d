"""A column of panels at a side of the window that folds to a rail of icons where there is little room."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from fourdcb_studio.theme import GRID, icon

RAIL = 5 * GRID


class SidePanel(QWidget):
    """Sections above each other, or their icons.

    Signals:
        folded_changed(folded): the user opened or folded it.
    """

    folded_changed = Signal(bool)

    def __init__(self, side: Literal["left", "right"], *, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._open_width = width
        self._folded = False
        self._names: list[tuple[QToolButton, str]] = []
        self._rail = QWidget()
        self._rail.setFixedWidth(RAIL)
        self._icons = QVBoxLayout(self._rail)
        self._icons.setContentsMargins(4, GRID, 4, GRID)
        self._icons.setSpacing(GRID)
        self._icons.addStretch(1)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        for widget in (self._rail, self._splitter) if side == "left" else (self._splitter, self._rail):
            line.addWidget(widget)
        self.set_folded(False)

    def add_section(self, widget: QWidget, icon_name: str, tip: str, *, stretch: int = 1) -> None:
        """Put a section below the others."""
        self._splitter.addWidget(widget)
        self._splitter.setStretchFactor(self._splitter.count() - 1, stretch)
        button = QToolButton()
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "icon")
        button.setFixedSize(32, 32)
        button.setIconSize(QSize(18, 18))
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(self._toggle)
        self._icons.insertWidget(self._icons.count() - 1, button)
        self._names.append((button, icon_name))
        self._update_icons()

    def set_sizes(self, sizes: list[int]) -> None:
        """Heights of the sections [px]."""
        self._splitter.setSizes(sizes)

    def is_folded(self) -> bool:
        """Whether only the icons are shown."""
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Fold or open without a signal."""
        self._folded = folded
        self._rail.setVisible(folded)
        self._splitter.setVisible(not folded)
        self.setFixedWidth(RAIL if folded else self._open_width)

    def _toggle(self) -> None:
        self.set_folded(not self._folded)
        self.folded_changed.emit(self._folded)

    def _update_icons(self) -> None:
        for button, name in self._names:
            button.setIcon(icon(name, "muted"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._update_icons()
        super().changeEvent(event)

"""A column of panels at a side of the window that folds to a rail of icons where there is little room."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from fourdcb_studio.theme import GRID, icon

RAIL = 5 * GRID
LEAST_WIDTH, MOST_WIDTH = 220, 640
_VIEW_BAR = 6 * GRID  # stays in reach above a drawer


class SidePanel(QWidget):
    """Sections above each other, or their icons.

    Where there is room the sections stand beside the images. Where there is little they are folded to a
    rail, and opening them lays them over the neighbour without moving it.

    Signals:
        folded_changed(folded): the user opened or folded it.
    """

    folded_changed = Signal(bool)

    def __init__(self, side: Literal["left", "right"], *, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._side, self._open_width = side, width
        self._folded = self._narrow = False
        self._wish: bool | None = None  # whether the user folded it where there is room
        self._names: list[tuple[QToolButton, str]] = []
        self._sections: list[QWidget] = []
        self._rail = QWidget()
        self._rail.setFixedWidth(RAIL)
        self._icons = QVBoxLayout(self._rail)
        self._icons.setContentsMargins(4, GRID, 4, GRID)
        self._icons.setSpacing(GRID)
        self._icons.addStretch(1)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._drawer = _Drawer(self)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(0)
        self._line.addWidget(self._rail)
        self._line.addWidget(self._splitter)
        self._arrange()

    def add_section(self, widget: QWidget, icon_name: str, tip: str, *, stretch: int = 1) -> None:
        """Put a section below the others."""
        self._splitter.addWidget(widget)
        self._sections.append(widget)
        self._splitter.setStretchFactor(self._splitter.count() - 1, stretch)
        button = QToolButton()
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "icon")
        button.setFixedSize(32, 32)
        button.setIconSize(QSize(18, 18))
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(lambda: self._open_section(widget))
        self._icons.insertWidget(self._icons.count() - 1, button)
        self._names.append((button, icon_name))
        self._update_icons()

    def open_width(self) -> int:
        """Width that it takes when it is open [px]."""
        return self._open_width

    def set_open_width(self, width: int) -> None:
        """Width to take when it is open [px], held to what its rows need."""
        self._open_width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
        self._arrange()

    def sizes(self) -> tuple[int, ...]:
        """Heights of the sections [px]."""
        return tuple(self._splitter.sizes())

    def set_wish(self, folded: bool) -> None:
        """Whether it is folded where there is room, as if the user had done so."""
        self._wish = folded
        if not self._narrow:
            self.set_folded(folded)

    def wish(self) -> bool:
        """Whether the user folded it where there is room."""
        return bool(self._wish)

    def set_sizes(self, sizes: list[int]) -> None:
        """Heights of the sections [px]."""
        self._splitter.setSizes(sizes)

    def is_folded(self) -> bool:
        """Whether only the icons are shown."""
        return self._folded

    def is_over(self) -> bool:
        """Whether the sections lie over the neighbour."""
        return self._narrow and not self._folded

    def set_folded(self, folded: bool) -> None:
        """Fold or open without a signal."""
        if folded != self._folded:
            self._folded = folded
            self._arrange()

    def set_narrow(self, narrow: bool) -> None:
        """Whether the window has little room: folded then; where there is room, as the user left it."""
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for section in self._sections:
            section.show()
        self._folded = True if narrow else bool(self._wish)
        self._arrange()

    def _open_section(self, widget: QWidget) -> None:
        """The icons of a rail open their own section; a second click folds it again."""
        again = not self._folded and widget.isVisible()
        for other in self._sections:
            other.setVisible(other is widget or not self._narrow)
        if self._folded or again:
            self.toggle()
        self._mark_icons()

    def toggle(self) -> None:
        """Open or fold it, as its icons do."""
        self.set_folded(not self._folded)
        if not self._narrow:
            self._wish = self._folded
        self.folded_changed.emit(self._folded)

    def _arrange(self) -> None:
        over = self.is_over()
        focus = self.window().focusWidget()
        if self._folded and focus is not None and self._splitter.isAncestorOf(focus):
            focus.clearFocus()  # the keyboard must not go to whatever comes next
        self._rail.setVisible(self._folded or over)
        if over:
            self._drawer.hold(self._splitter, self._side, self._open_width)
        else:
            self._drawer.hide()
            self._line.insertWidget(1 if self._side == "left" else 0, self._splitter)
        self._splitter.setVisible(not self._folded)
        self.setFixedWidth(RAIL if self._folded or over else self._open_width)
        self._mark_icons()

    def _mark_icons(self) -> None:
        """The icons of the sections that lie over the neighbour look pressed."""
        for (button, _), section in zip(self._names, self._sections, strict=True):
            button.setDown(self.is_over() and not section.isHidden())

    def _update_icons(self) -> None:
        for button, name in self._names:
            button.setIcon(icon(name, "muted"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._update_icons()
        super().changeEvent(event)


class _Drawer(QFrame):
    """Lies beside a folded panel, over its neighbour; Escape folds it again."""

    def __init__(self, panel: SidePanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._host: QWidget | None = None
        self._side, self._wide = "left", 0
        self.setProperty("surface", "drawer")
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(1, 0, 1, 0)
        self.hide()

    def hold(self, content: QWidget, side: str, width: int) -> None:
        host = self._panel.parentWidget()
        if host is None:
            return
        if host is not self._host:
            self._host = host
            self.setParent(host)
            host.installEventFilter(self)
        self._side, self._wide = side, width
        self._line.addWidget(content)
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        if self._host is not None:
            x = RAIL if self._side == "left" else self._host.width() - RAIL - self._wide
            top = _VIEW_BAR
            self.setGeometry(QRect(x, top, self._wide, self._host.height() - top))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._panel.toggle()
        else:
            super().keyPressEvent(event)

"""The library in place of the bench: facets left, tiles in the middle, the chosen cases right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import GRID
from fourdcb_studio.views.library.bar import LibraryBar
from fourdcb_studio.views.library.details import LibraryDetails
from fourdcb_studio.views.library.facets import FacetList
from fourdcb_studio.views.library.grid import CaseGrid
from fourdcb_studio.widgets.hairline import hairline
from fourdcb_studio.widgets.header import PanelHeader
from fourdcb_studio.widgets.labels import RoleLabel

_FACETS_WIDTH, _DETAILS_WIDTH = 264, 320
_NARROW = 1440
_HINT = tr("Enter open · Ctrl+A all · T tag · M note · / search · Tab facets and details · Ctrl+L images")


class LibraryPage(QWidget):
    """Composes the parts of the library view and knows nothing of what they mean.

    Attributes:
        bar, facets, grid, details: the parts, to be fed and connected.
        body: what lies in the middle; messages go over it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = LibraryBar()
        self.facets = FacetList()
        self.grid = CaseGrid()
        self.details = LibraryDetails()
        self.body = QStackedWidget()
        self._words = _Words()
        self.body.addWidget(self.grid)
        self.body.addWidget(self._words)
        self._side = self._make_side()
        self.details.setFixedWidth(_DETAILS_WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(hairline())
        column.addLayout(self._make_middle(), 1)
        column.addWidget(hairline())
        hint = RoleLabel(_HINT, "note")
        hint.setContentsMargins(2 * GRID, 4, 2 * GRID, 4)
        column.addWidget(hint)
        self.facets.current_moved.connect(self._follow_facet)
        self.setTabOrder(self.grid, self.facets)

    def _make_middle(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        centre = QWidget()
        inner = QVBoxLayout(centre)
        inner.setContentsMargins(GRID, GRID // 2, 0, 0)
        inner.addWidget(self.body)
        line.addWidget(self._side)
        line.addWidget(hairline(vertical=True))
        line.addWidget(centre, 1)
        line.addWidget(hairline(vertical=True))
        line.addWidget(self.details)
        return line

    def _make_side(self) -> QWidget:
        side = QWidget()
        side.setProperty("surface", "panel")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        side.setFixedWidth(_FACETS_WIDTH)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self.facets)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, GRID // 2, 0, 0)
        column.setSpacing(0)
        column.addWidget(PanelHeader(tr("Narrow down")))
        column.addWidget(self._scroll, 1)
        return side

    def show_grid(self) -> None:
        """The tiles."""
        self.body.setCurrentWidget(self.grid)

    def show_words(self, title: str, detail: str = "") -> None:
        """Words in place of the tiles."""
        self._words.set_words(title, detail)
        self.body.setCurrentWidget(self._words)

    def words(self) -> str:
        """The words in place of the tiles, "" while these are shown."""
        return "" if self.body.currentWidget() is self.grid else self._words.text()

    def focus_grid(self) -> None:
        """The keyboard goes to the tiles."""
        self.grid.setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow_facet(self, top: int, bottom: int) -> None:
        self._scroll.ensureVisible(0, (top + bottom) // 2, 0, (bottom - top))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.focus_grid()

    def minimumSizeHint(self) -> QSize:
        return QSize(960, 600)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < _NARROW
        self._side.setFixedWidth(216 if narrow else _FACETS_WIDTH)
        self.details.setFixedWidth(272 if narrow else _DETAILS_WIDTH)


class _Words(QWidget):
    """A title and a sentence in the middle."""

    def __init__(self) -> None:
        super().__init__()
        self._title, self._detail = RoleLabel("", "title"), RoleLabel("", "note")
        self._detail.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(6 * GRID, 0, 6 * GRID, 0)
        column.setSpacing(GRID)
        column.addStretch(2)
        for label in (self._title, self._detail):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        column.addStretch(3)

    def set_words(self, title: str, detail: str) -> None:
        self._title.setText(title)
        self._detail.setText(detail)

    def text(self) -> str:
        return f"{self._title.text()}\n{self._detail.text()}".strip()

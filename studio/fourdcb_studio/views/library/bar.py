"""The head of the library: its name, the search, the order, saved filters, how many cases are shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QSizePolicy, QWidget

from fourdcb.words import metric_title, tr
from fourdcb_studio.theme import GRID, icon
from fourdcb_studio.views.library.words import SORT_TITLES
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel


class LibraryBar(QWidget):
    """One row above the grid.

    Signals:
        back_requested(): return to the bench.
        searched(text): words were typed.
        sort_chosen(sort): another order.
        filter_used(name), filter_saved(name), filter_deleted(name): saved filters.
        cleared(): no filter any more.
        left(down): Escape or Down in the search box; the keyboard goes to the grid.
    """

    back_requested = Signal()
    searched = Signal(str)
    sort_chosen = Signal(str)
    filter_used = Signal(str)
    filter_saved = Signal(str)
    filter_deleted = Signal(str)
    cleared = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._back = QPushButton(tr("Back"))
        self._back.setToolTip(tr("Back to the images (Ctrl+L)"))
        self._back.clicked.connect(self.back_requested)
        self._name = RoleLabel(tr("Library"), "title")
        self._path = ElidedLabel("", "note", elide=Qt.TextElideMode.ElideMiddle)
        self._count = RoleLabel("", "muted-figure")
        self._search = QLineEdit()
        self._search.setPlaceholderText(tr("Search titles, findings, tags, notes …  /"))
        self._search.setAccessibleName(tr("Search cases"))
        self._search.setClearButtonEnabled(True)
        self._search.setMinimumWidth(160)
        self._search.setMaximumWidth(380)
        self._search.textChanged.connect(self.searched)
        self._search.installEventFilter(self)
        self._sort = QPushButton()
        self._sort.setAccessibleName(tr("Order of the cases"))
        self._sort.setToolTip(tr("Order of the cases"))
        self._orders = QMenu(self._sort)
        self._sort.setMenu(self._orders)
        self._titles: dict[str, str] = {}
        self._filters = QPushButton(tr("Filters"))
        self._filters.setToolTip(tr("Saved filters"))
        self._menu = QMenu(self._filters)
        self._filters.setMenu(self._menu)
        self._clear = QPushButton(tr("Clear"))
        self._clear.setToolTip(tr("Show all cases (Escape)"))
        self._clear.clicked.connect(self.cleared)
        for button in (self._filters, self._sort):  # the arrow follows the word
            button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        for button in (self._back, self._filters, self._clear):
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._sort.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._sort.setMinimumWidth(136)  # the usual orders change nothing beside it
        self._arrange()
        self.set_sorts((), "severity")
        self.set_filters((), active=False)
        self._tint()

    def _arrange(self) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        line.setSpacing(GRID)
        line.addWidget(self._back)
        line.addSpacing(GRID)
        line.addWidget(self._name)
        line.addWidget(self._path)
        line.addWidget(self._count)
        line.addStretch(1)
        line.addWidget(self._search, 2)
        for widget in (self._clear, self._filters, self._sort):
            line.addWidget(widget)
        self.setFixedHeight(6 * GRID)

    # -- content -------------------------------------------------------------------------------------
    def set_library(self, name: str, path: str) -> None:
        """What is open."""
        self._name.setText(name)
        self._path.setText(path)

    def set_back(self, text: str, *, enabled: bool) -> None:
        """What stands on the bench, to return to."""
        self._back.setText(text)
        self._back.setVisible(enabled)

    def set_count(self, shown: int, total: int, chosen: int) -> None:
        """``128 of 1,000 · 3 chosen``."""
        words = (
            tr("{total:,} cases", total=total)
            if shown == total
            else tr("{shown:,} of {total:,}", shown=shown, total=total)
        )
        self._count.setText(
            words + (tr(" · {chosen:,} chosen", chosen=chosen) if chosen > 1 else "") if total else ""
        )

    def set_text(self, text: str) -> None:
        """The words that are searched, without a signal."""
        if text != self._search.text():
            self._search.blockSignals(True)
            self._search.setText(text)
            self._search.blockSignals(False)

    def set_sorts(self, metrics: Sequence[str], current: str) -> None:
        """The orders: those that every library has, then by metric."""
        titles = {**SORT_TITLES, **{name: metric_title(name) for name in metrics}}
        if titles != self._titles:
            self._titles = titles
            self._orders.clear()
            for key, title in titles.items():
                if key in ("geometry", *metrics[:1]):
                    self._orders.addSeparator()
                action = self._orders.addAction(title, partial(self.sort_chosen.emit, key))
                action.setObjectName(key)
                action.setCheckable(True)
        for action in self._orders.actions():
            action.setChecked(action.objectName() == current)
        self._sort.setText(titles.get(current, current))

    def set_filters(self, names: Sequence[str], *, active: bool) -> None:
        """Saved filters by name, and whether a filter is in force that could be saved."""
        self._menu.clear()
        for name in names:
            self._menu.addAction(name, partial(self.filter_used.emit, name))
        if not names:
            self._menu.addAction(tr("No filter is saved yet")).setEnabled(False)
        self._menu.addSeparator()
        save = self._menu.addAction(tr("Save this filter …"), self._ask_name)
        save.setEnabled(active)
        if names:
            forget = self._menu.addMenu(tr("Delete"))
            for name in names:
                forget.addAction(name, partial(self.filter_deleted.emit, name))
        self._clear.setEnabled(active)

    def focus_search(self) -> None:
        """The keyboard goes to the search box."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def _ask_name(self) -> None:
        from PySide6.QtWidgets import QInputDialog

        name, accepted = QInputDialog.getText(self, tr("Save filter"), tr("Name of the filter"))
        if accepted and name.strip():
            self.filter_saved.emit(name)

    # -- events --------------------------------------------------------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() in (
            Qt.Key.Key_Escape,
            Qt.Key.Key_Down,
            Qt.Key.Key_Return,
        ):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                if event.key() == Qt.Key.Key_Escape and self._search.text():
                    self._search.clear()
                else:
                    self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._tint()
        super().changeEvent(event)

    def _tint(self) -> None:
        self._back.setIcon(icon("chevron-left"))
        self._filters.setIcon(icon("chevron-down", "muted"))
        self._sort.setIcon(icon("chevron-down", "muted"))

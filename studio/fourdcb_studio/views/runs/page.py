"""Evaluation runs in place of the bench: what they are called, how the table is narrowed, the table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from fourdcb.words import metric_title, tr
from fourdcb_studio.session.run_table import VERDICTS, RunTable
from fourdcb_studio.theme import GRID, icon
from fourdcb_studio.views.runs.table import RunsTable
from fourdcb_studio.views.runs.table_model import described
from fourdcb_studio.widgets.empty_note import EmptyNote
from fourdcb_studio.widgets.hairline import hairline
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel
from fourdcb_studio.widgets.segmented import Segmented


class RunsPage(QWidget):
    """Composes the view; knows what cells are, not what opening them means.

    Attributes:
        table: the table.
        body: what lies in the middle; messages go over it.

    Signals:
        back_requested(): return to the bench.
        searched(text), narrowed(str), measure_chosen(str): the table should show something else.
    """

    back_requested = Signal()
    searched = Signal(str)
    narrowed = Signal(str)
    measure_chosen = Signal(str)

    def __init__(self, state: RunTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.table = RunsTable(state)
        self._empty = EmptyNote("")
        self.body = QStackedWidget()
        self.body.addWidget(self.table)
        self.body.addWidget(self._empty)
        self._foot = ElidedLabel("", "note")
        self._compare = QPushButton(tr("Side by side"))
        self._compare.setToolTip(tr("The two selected answers to one sample, side by side (C)"))
        self._compare.clicked.connect(self.table.compared)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._make_bar())
        column.addWidget(hairline())
        column.addWidget(self.body, 1)
        column.addWidget(hairline())
        column.addWidget(self._make_foot())
        self.table.chosen.connect(self._show_chosen)
        self.table.search_requested.connect(self.focus_search)
        self.setFocusProxy(self.table)
        self.refresh()

    # -- content -------------------------------------------------------------------------------------
    def set_place(self, name: str, path: str) -> None:
        """What is open."""
        self._name.setText(name)
        self._path.setText(path)

    def set_back(self, text: str, *, enabled: bool) -> None:
        """What stands on the bench, to return to."""
        self._back.setText(text)
        self._back.setVisible(enabled)

    def refresh(self) -> None:
        """Show what the table's state holds now."""
        state = self._state
        shown, total = len(state.shown), state.total
        said = tr("{shown:,} of {total:,}", shown=shown, total=total)
        self._count.setText(tr("{total:,} samples", total=total) if shown == total else said)
        self._set_measures(state.measures())
        self.table.refresh()
        self.body.setCurrentWidget(self.table if state.runs else self._empty)
        self._show_chosen()

    def show_words(self, title: str, detail: str = "") -> None:
        """Words in place of the table."""
        self._empty.set_words(title, detail)
        self.body.setCurrentWidget(self._empty)

    def clear_wishes(self) -> None:
        """No words and no narrowing in the controls, as when everything is shown."""
        self._search.clear()
        self._narrow.set_current("all")

    def focus_search(self) -> None:
        """The keyboard goes to the search box."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def foot(self) -> str:
        """What is said below the table."""
        return self._foot.text()

    def _set_measures(self, measures: Sequence[str]) -> None:
        known = [self._measure.itemData(k) for k in range(self._measure.count())]
        wanted = [VERDICTS, *measures]
        if known != wanted:
            self._measure.blockSignals(True)
            self._measure.clear()
            for name in wanted:
                self._measure.addItem(tr("Verdict") if name == VERDICTS else metric_title(name), name)
            self._measure.blockSignals(False)
        self._measure.setCurrentIndex(wanted.index(self._state.measure))

    def _show_chosen(self) -> None:
        cells = self.table.selected()
        samples = {sample for sample, _ in cells}
        self._compare.setEnabled(len(cells) == 2 and len(samples) == 1)
        if len(cells) == 1:
            sample, column = cells[0]
            cell = self._state.cell(sample, column)
            self._foot.setText(f"{sample} · {self._state.runs[column].model} · {described(cell)}")
        else:
            self._foot.setText(
                tr("Enter opens an answer at its failing frame · Ctrl+click two of one sample, then C")
            )

    # -- making --------------------------------------------------------------------------------------
    def _make_bar(self) -> QWidget:
        self._back = QPushButton(tr("Back"))
        self._back.setToolTip(tr("Back to the images (Ctrl+L)"))
        self._back.clicked.connect(self.back_requested)
        self._name = RoleLabel("", "title")
        self._path = ElidedLabel("", "note", elide=Qt.TextElideMode.ElideMiddle)
        self._count = RoleLabel("", "muted-figure")
        self._search = QLineEdit()
        self._search.setPlaceholderText(tr("Search samples and reasons …  /"))
        self._search.setAccessibleName(tr("Search samples"))
        self._search.setClearButtonEnabled(True)
        self._search.setMinimumWidth(140)
        self._search.setMaximumWidth(320)
        self._search.textChanged.connect(self.searched)
        self._search.installEventFilter(self)
        self._narrow = Segmented(
            (
                ("all", tr("All"), tr("Every sample")),
                ("not_passed", tr("Not passed"), tr("Samples that some model does not pass")),
                ("differ", tr("Verdicts differ"), tr("Samples on which the models' verdicts differ")),
                ("unanswered", tr("No answer"), tr("Samples that some model has not answered")),
            )
        )
        self._narrow.chosen.connect(self.narrowed)
        self._measure = QComboBox()
        self._measure.setAccessibleName(tr("What the cells show"))
        self._measure.setToolTip(tr("What the cells show"))
        self._measure.setMinimumWidth(150)
        self._measure.activated.connect(
            lambda row: self.measure_chosen.emit(str(self._measure.itemData(row)))
        )
        bar = QWidget()
        bar.setFixedHeight(6 * GRID)
        line = QHBoxLayout(bar)
        line.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        line.setSpacing(GRID)
        for widget in (self._back, self._name, self._path, self._count):
            line.addWidget(widget)
        line.addStretch(1)
        line.addWidget(self._search, 2)
        line.addWidget(self._narrow)
        line.addWidget(self._measure)
        self._tint()
        return bar

    def _make_foot(self) -> QWidget:
        foot = QWidget()
        foot.setFixedHeight(5 * GRID)
        line = QHBoxLayout(foot)
        line.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        line.addWidget(self._foot)
        line.addStretch(1)
        line.addWidget(self._compare)
        return foot

    # -- events --------------------------------------------------------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        keys = (Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return)
        if isinstance(event, QKeyEvent) and event.key() in keys:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                if event.key() == Qt.Key.Key_Escape and self._search.text():
                    self._search.clear()
                else:
                    self.table.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._tint()
        super().changeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(960, 600)

    def _tint(self) -> None:
        self._back.setIcon(icon("chevron-left"))

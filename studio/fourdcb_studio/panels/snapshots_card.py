"""Snapshots by name, which of them is *before*, and all figures before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from fourdcb.metrics.result import Axis
from fourdcb.words import axis_title, chosen
from fourdcb_studio.panels.before_after import Change, Figure
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel

_SIZE = QSize(920, 600)
_LIST_WIDTH = 240
_SIGNS: dict[Change, str] = {"better": "▲", "worse": "▼", "same": "=", "unknown": ""}
_ID = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class SnapshotsCard(Overlay):
    """A list on the left, a table on the right.

    Signals:
        chosen(id): this is *before* from now on; ``saved`` for the script as it is on disk.
        taken(): keep the present values.
        returned(id): return to a snapshot.
        renamed(id, name): give it another name.
        dropped(id): forget it.
    """

    chosen = Signal(str)
    taken = Signal()
    returned = Signal(str)
    renamed = Signal(str, str)
    dropped = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, size=_SIZE)
        self._words = chosen()
        self._list = QListWidget()
        self._list.setAccessibleName(self._words.say("studio.snapshots.list"))
        self._list.currentItemChanged.connect(lambda now, _: self._on_pick(now))
        self._name = QLineEdit()
        self._name.setPlaceholderText(self._words.say("studio.snapshots.name"))
        self._name.setAccessibleName(self._words.say("studio.snapshots.name"))
        self._name.editingFinished.connect(self._on_name)
        self._take = self._button("take", self.taken.emit)
        self._return = self._button("return", lambda: self.returned.emit(self.current()))
        self._drop = self._button("drop", lambda: self.dropped.emit(self.current()))
        self._heads = ElidedLabel("", "note")
        self._lines: list[str] = []
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lay_out()

    def set_snapshots(self, rows: Sequence[tuple[str, str]], current: str) -> None:
        """Snapshots (id, name), the saved script first, and the one that is *before*. Silent."""
        blocked = self._list.blockSignals(True)
        self._list.clear()
        for key, name in rows:
            item = QListWidgetItem(name)
            item.setData(_ID, key)
            self._list.addItem(item)
            if key == current:
                self._list.setCurrentItem(item)
        self._list.blockSignals(blocked)
        self._show_current()

    def set_figures(self, told: str, axes: Iterable[tuple[Axis, tuple[Figure, ...]]]) -> None:
        """The table, under a sentence that says what it compares."""
        self._heads.setText(told)
        self._lines = [told]
        place = self._scroll.verticalScrollBar().value()
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 2 * GRID, 0)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        row = self._add_titles(grid)
        for axis, figures in axes:
            head = RoleLabel(axis_title(axis), "section")
            head.setContentsMargins(0, GRID, 0, 2)
            grid.addWidget(head, row, 0, 1, 5)
            row += 1
            for figure in figures:
                self._add(grid, row, figure)
                row += 1
        grid.setRowStretch(row, 1)
        self._scroll.setWidget(body)
        self._scroll.verticalScrollBar().setValue(place)

    def current(self) -> str:
        """The one that is *before*."""
        item = self._list.currentItem()
        return str(item.data(_ID)) if item is not None else "saved"

    def names(self) -> list[str]:
        """What the list says."""
        return [self._list.item(k).text() for k in range(self._list.count())]

    def text(self) -> str:
        """All that the table says, line by line."""
        return "\n".join(self._lines)

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(GRID)
        left.addWidget(RoleLabel(self._words.say("studio.snapshots.before"), "section"))
        left.addWidget(self._list, 1)
        for widget in (self._name, self._take, self._return, self._drop):
            left.addWidget(widget)
        self._list.setFixedWidth(_LIST_WIDTH)
        right = QVBoxLayout()
        right.setSpacing(GRID)
        right.addWidget(self._heads)
        right.addWidget(self._scroll, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._button("close", self.dismiss))
        right.addLayout(foot)
        middle = QHBoxLayout()
        middle.setSpacing(3 * GRID)
        middle.addLayout(left)
        middle.addLayout(right, 1)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(RoleLabel(self._words.say("studio.snapshots.title"), "title"))
        column.addLayout(middle, 1)

    def _button(self, key: str, does: object) -> QPushButton:
        button = QPushButton(self._words.say(f"studio.snapshots.{key}"))
        button.clicked.connect(does)
        return button

    def _add_titles(self, grid: QGridLayout) -> int:
        for column, key in enumerate(("before", "after", "threshold"), start=1):
            grid.addWidget(
                RoleLabel(self._words.say(f"studio.snapshots.{key}"), "section"), 0, column, _RIGHT
            )
        return 1

    def _add(self, grid: QGridLayout, row: int, figure: Figure) -> None:
        sign = RoleLabel(_SIGNS[figure.change], "note")
        if figure.change != "unknown":
            sign.setToolTip(self._words.say(f"studio.snapshots.{figure.change}"))
        grid.addWidget(RoleLabel(figure.title), row, 0)
        for column, text, passed in (
            (1, figure.before, figure.passed_before),
            (2, figure.after, figure.passed),
        ):
            label = RoleLabel(text, "figure")
            label.setProperty("state", {True: "ok", False: "bad", None: ""}[passed])
            grid.addWidget(label, row, column, _RIGHT)
        grid.addWidget(RoleLabel(figure.limit, "muted-figure"), row, 3, _RIGHT)
        grid.addWidget(sign, row, 4)
        word = "" if figure.change == "unknown" else self._words.say(f"studio.snapshots.{figure.change}")
        self._lines.append(" | ".join((figure.title, figure.before, figure.after, figure.limit, word)))

    def _show_current(self) -> None:
        item, named = self._list.currentItem(), self.current() != "saved"
        self._name.setText(item.text() if item is not None and named else "")
        for widget in (self._name, self._drop):
            widget.setEnabled(named)

    def _on_pick(self, item: QListWidgetItem | None) -> None:
        self._show_current()
        if item is not None:
            self.chosen.emit(str(item.data(_ID)))

    def _on_name(self) -> None:
        name = self._name.text().strip()
        if name and self.current() not in ("saved", name):
            self.renamed.emit(self.current(), name)

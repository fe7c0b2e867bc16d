"""The parameters of one thing of the world by group, with chips to pick the thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from fourdcb.words import tr
from fourdcb.world import Parameter
from fourdcb_studio.theme import GRID, tokens
from fourdcb_studio.widgets.empty_note import EmptyNote
from fourdcb_studio.widgets.flow_layout import FlowLayout
from fourdcb_studio.widgets.header import PanelHeader
from fourdcb_studio.widgets.labels import RoleLabel
from fourdcb_studio.widgets.list_row import reserve_scroll_bar
from fourdcb_studio.widgets.marks import paint_mark
from fourdcb_studio.widgets.parameter_slider import DOT_WIDTH, EDIT_INSET, ParameterRow
from fourdcb_studio.widgets.sensitivity_strip import StripLegend

_CHIP_MOST = 150  # px of a name: the narrowest panel holds it
_CHIPS_HEIGHT = 4 * 32 + 16  # px: four rows of chips and a half
_Strip = tuple[NDArray[np.float64] | None, bool, NDArray[np.float64] | None]
"""Errors, whether they are stale, the values that were tried."""
GROUP_ORDER = ("contact", "mass", "start", "shape", "surface", "light", "camera")
"""Groups from the most telling one down; others follow in script order."""


class ParametersPanel(QWidget):
    """Sliders for everything that a script says in numbers.

    Signals:
        changing(path, value): on each move of a slider.
        committed(path, value): on release or enter.
        reset_requested(path), reset_all_requested().
        owner_chosen(name): another thing was picked.
        taken(path, value): a value was taken from a strip; ``committed`` follows.
    """

    taken = Signal(str, float)

    changing = Signal(str, float)
    committed = Signal(str, float)
    reset_requested = Signal(str)
    reset_all_requested = Signal()
    owner_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parameters: tuple[Parameter, ...] = ()
        self._file_values: Mapping[str, float] = {}
        self._changed: AbstractSet[str] = frozenset()
        self._owner = ""
        self._rows: dict[str, ParameterRow] = {}
        self._strips: dict[str, _Strip] = {}
        self._legend = StripLegend()
        self._legend.setContentsMargins(2 * GRID, 0, GRID, 4)
        self._legend.hide()
        self._notes: dict[str, str] = {}
        self._reset = QPushButton("")
        self._reset.setProperty("kind", "link")
        self._reset.setToolTip(tr("Set all parameters back to the file's values"))
        self._reset.clicked.connect(self.reset_all_requested)
        self._owners = OwnerChips()
        self._group: QButtonGroup | None = None
        self._shown_owners: tuple[tuple[str, bool], ...] = ()
        self._owner_chips: list[OwnerChip] = []
        self._empty = EmptyNote(tr("No parameters"), tr("Open a script to move its values."))
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        reserve_scroll_bar(self._scroll)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(PanelHeader(tr("Parameters"), self._reset))
        column.addWidget(self._owners)
        column.addWidget(self._legend)
        column.addWidget(self._empty)
        column.addWidget(self._scroll, 1)
        self._show_all()

    def set_parameters(
        self,
        parameters: Sequence[Parameter],
        file_values: Mapping[str, float],
        changed: AbstractSet[str],
    ) -> None:
        """Show these values. Rows are kept while the paths stay the same, so that it is cheap on each edit.

        Args:
            file_values: value in the script file by path, for the tick and the reset.
            changed: paths that differ from the file.
        """
        before = [p.path for p in self._parameters]
        self._parameters = tuple(parameters)
        self._file_values, self._changed = file_values, changed
        owners = self._owner_names()
        if self._owner not in owners:
            self._owner = owners[0] if owners else ""
        if [p.path for p in self._parameters] != before:
            self._show_all()
        else:
            self._refresh()

    def set_empty(self, title: str, detail: str) -> None:
        """Words for when there are no parameters."""
        self._empty.set_words(title, detail)

    def owner(self) -> str:
        """Name of the thing whose parameters are shown."""
        return self._owner

    def select_owner(self, name: str) -> None:
        """Show the parameters of a thing without a signal; an unknown name is ignored."""
        if name in self._owner_names() and name != self._owner:
            self._owner = name
            self._show_all()
            for chip in self._owner_chips:
                if chip.isChecked():
                    self._owners.ensureWidgetVisible(chip, 0, GRID)

    def reveal(self, path: str) -> None:
        """Show the row of a parameter and give it the keyboard. Raises KeyError for an unknown path."""
        found = {p.path: p for p in self._parameters}
        self.select_owner(found[path].owner)
        row = self._rows[path]
        self._scroll.ensureWidgetVisible(row, 0, 4 * GRID)
        row.slider().setFocus(Qt.FocusReason.OtherFocusReason)

    def set_strip(
        self,
        path: str,
        errors: NDArray[np.float64] | None,
        *,
        stale: bool = False,
        values: NDArray[np.float64] | None = None,
    ) -> None:
        """Sensitivity strip of a parameter; see :meth:`ParameterRow.set_strip`."""
        self._strips[path] = (errors, stale, values)
        if path in self._rows:
            self._rows[path].set_strip(errors, stale=stale, values=values)
        self._show_legend()

    def _show_legend(self) -> None:
        shown = (self._strips.get(path) for path in self._rows)
        self._legend.setVisible(any(strip is not None and strip[0] is not None for strip in shown))

    def set_note(self, path: str, text: str) -> None:
        """Plain words under a parameter; empty hides them."""
        self._notes[path] = text
        if path in self._rows:
            self._rows[path].set_note(text)

    def row(self, path: str) -> ParameterRow:
        """The row of a parameter that is shown. Raises KeyError."""
        return self._rows[path]

    def visible_paths(self) -> tuple[str, ...]:
        """Paths of the rows that are shown, from top to bottom."""
        return tuple(self._rows)

    def _owner_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(p.owner for p in self._parameters))

    def _show_all(self) -> None:
        self._rows = {}
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(2 * GRID - DOT_WIDTH, 0, GRID - EDIT_INSET, 2 * GRID)
        column.setSpacing(2)
        group = None
        for parameter in self._shown():
            if parameter.group != group:
                group = parameter.group
                column.addSpacing(GRID if self._rows else 0)
                title = RoleLabel(tr(group), "section")
                title.setContentsMargins(DOT_WIDTH, 4, 0, 4)
                column.addWidget(title)
            column.addWidget(self._make_row(parameter))
        column.addStretch(1)
        self._scroll.setWidget(body)
        self._empty.setVisible(not self._parameters)
        self._scroll.setVisible(bool(self._parameters))
        self._refresh()
        self._show_legend()
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Rows are made late; the keyboard must reach them where they stand, after the chips."""
        chips = self._group.buttons() if self._group is not None else []
        stops: list[QWidget] = [self._reset, *chips]
        for row in self._rows.values():
            stops += [row.edit(), row.slider()]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def _shown(self) -> list[Parameter]:
        own = [p for p in self._parameters if p.owner == self._owner]
        order = {g: i for i, g in enumerate(dict.fromkeys([*GROUP_ORDER, *(p.group for p in own)]))}
        return sorted(own, key=lambda p: order[p.group])

    def _make_row(self, parameter: Parameter) -> ParameterRow:
        row = ParameterRow(parameter)
        row.changing.connect(self.changing)
        row.committed.connect(self.committed)
        row.taken.connect(self.taken)
        row.reset_requested.connect(self.reset_requested)
        self._rows[parameter.path] = row
        if parameter.path in self._strips:
            errors, stale, values = self._strips[parameter.path]
            row.set_strip(errors, stale=stale, values=values)
        row.set_note(self._notes.get(parameter.path, ""))
        return row

    def _refresh(self) -> None:
        for parameter in self._parameters:
            if parameter.path in self._rows:
                self._rows[parameter.path].set_parameter(
                    parameter,
                    file_value=self._file_values.get(parameter.path, parameter.value),
                    changed=parameter.path in self._changed,
                )
        count = len(self._changed)
        self._reset.setText(tr("{count} changed · reset", count=count) if count else "")
        self._reset.setEnabled(count > 0)
        self._show_owners()

    def _show_owners(self) -> None:
        owners = tuple((n, any(c.startswith(n + ".") for c in self._changed)) for n in self._owner_names())
        names = [name for name, _ in owners]
        if self._group is not None and names == [name for name, _ in self._shown_owners]:
            for chip, (name, changed) in zip(self._owner_chips, owners, strict=True):
                chip.setChecked(name == self._owner)
                chip.set_changed(changed)
            self._shown_owners = owners
            return
        self._shown_owners = owners
        self._owner_chips = []
        self._group = QButtonGroup(self)
        for name, changed in owners:
            chip = OwnerChip(name, changed=changed)
            chip.setProperty("kind", "chip")
            chip.setProperty("owner", name)
            chip.setCheckable(True)
            chip.setChecked(name == self._owner)
            chip.clicked.connect(lambda _=False, n=name: self._choose(n))
            self._group.addButton(chip)
            self._owner_chips.append(chip)
        self._owners.set_chips(self._owner_chips)
        self._owners.setVisible(bool(owners))

    def _choose(self, name: str) -> None:
        self.select_owner(name)
        self.owner_chosen.emit(name)


class OwnerChips(QScrollArea):
    """Chips that wrap like words; many of them scroll, so that the sliders keep the panel."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        reserve_scroll_bar(self)
        body = QWidget()
        self._flow = FlowLayout(body)
        self._flow.setContentsMargins(2 * GRID, 0, GRID, GRID)
        self.setWidget(body)

    def set_chips(self, chips: Sequence[QWidget]) -> None:
        """Show these in place of the former ones."""
        self._flow.clear()
        for chip in chips:
            self._flow.addWidget(chip)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        asked = self._flow.heightForWidth(self.viewport().width())
        # Half a row more than whole ones says that there is more below.
        self.setFixedHeight(asked if asked <= _CHIPS_HEIGHT else _CHIPS_HEIGHT)


class OwnerChip(QPushButton):
    """Picks a thing of the world; a dot beside its name says that some of its values differ from the file."""

    def __init__(self, name: str, *, changed: bool) -> None:
        super().__init__()
        shown = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, _CHIP_MOST)
        self.setText(shown)
        self.setToolTip(name if shown != name else "")
        self._name, self._changed = name, not changed
        self.set_changed(changed)

    def set_changed(self, changed: bool) -> None:
        """Show the dot or none."""
        if changed != self._changed:
            self._changed = changed
            self.setAccessibleName(tr("{name}, changed", name=self._name) if changed else self._name)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._changed:  # in the margin: the first edit moves no chip
            at = QPointF(self.width() - 6.5, self.height() / 2)
            paint_mark(QPainter(self), "circle", at, 4.5, tokens().color("accent"))

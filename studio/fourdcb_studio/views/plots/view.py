"""Plots beside the images: curves of several quantities and objects, or heatmaps of all errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from fourdcb.words import chosen
from fourdcb_studio.session.messages import Role
from fourdcb_studio.theme import GRID, icon
from fourdcb_studio.views.plots.data import PlotsData
from fourdcb_studio.widgets.labels import ElidedLabel
from fourdcb_studio.widgets.multi_pick import MultiPick
from fourdcb_studio.widgets.segmented import Segmented

if TYPE_CHECKING:
    from fourdcb_studio.views.plots.heatmaps import HeatmapStack
    from fourdcb_studio.views.plots.stack import CurveStack

Page = Literal["curves", "maps"]
PLOTTED_ROLES: tuple[Role, ...] = ("candidate", "reference", "before")
FORMATS = ("png", "svg", "csv")


class PlotsView(QWidget):
    """Pickers over the plots. The plots themselves are made when they are first seen.

    Signals:
        seek_requested(frame), span_changed(first, last), object_selected(name).
        chosen_changed(): other quantities, objects, roles or another page are wanted.
        export_requested(format): ``png``, ``svg`` or ``csv``.
        dock_requested(): to lie under the images, or to leave that place.
        shown(): it came into sight.
    """

    seek_requested = Signal(int)
    span_changed = Signal(float, float)
    object_selected = Signal(str)
    chosen_changed = Signal()
    export_requested = Signal(str)
    dock_requested = Signal()
    shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantities: tuple[str, ...] = ("height", "speed", "position_error")
        self.objects: tuple[str, ...] = ()
        self.roles: tuple[Role, ...] = ("candidate", "reference")
        self._curves: CurveStack | None = None
        self._maps: HeatmapStack | None = None
        self._data = PlotsData()
        self._frame, self._selected = 0, ""
        self._span: tuple[float, float] | None = None
        self._pages = QStackedWidget()
        self._note = ElidedLabel("", "note")
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages.addWidget(self._note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._make_controls())
        column.addWidget(self._pages, 1)
        self.setMinimumHeight(140)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # -- what is wanted ------------------------------------------------------------------------------
    @property
    def page(self) -> Page:
        """Curves or heatmaps."""
        return "maps" if self._kind.current() == "maps" else "curves"

    def set_page(self, page: Page) -> None:
        """Show curves or heatmaps."""
        self._kind.set_current(page)
        self._turn()

    def choose(
        self,
        *,
        quantities: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        roles: Sequence[Role] | None = None,
    ) -> None:
        """Plot these; what is not given stays."""
        if quantities is not None:
            self.quantities = tuple(quantities)
        if objects is not None:
            self.objects = tuple(objects)
        if roles is not None:
            self.roles = tuple(r for r in PLOTTED_ROLES if r in roles)
        self.chosen_changed.emit()

    def set_choices(
        self,
        quantities: Sequence[tuple[str, str]],
        objects: Sequence[str],
        *,
        own_objects: Sequence[str],
        roles: Sequence[Role],
    ) -> None:
        """What can be plotted now, and which objects are; silent."""
        self._quantity_pick.set_choices(quantities, self.quantities)
        self._object_pick.set_choices([(name, name) for name in objects], own_objects)
        for role, chip in self._chips.items():
            chip.setVisible(role in roles)
            chip.setChecked(role in self.roles)

    # -- what is shown -------------------------------------------------------------------------------
    def set_data(self, data: PlotsData, *, empty: str = "") -> None:
        """Curves and maps; ``empty`` says why there are none."""
        self._data = data
        self._note.setText(empty)
        self._show()

    def set_frame(self, frame: int) -> None:
        """The playhead."""
        self._frame = frame
        stack = self.shown_stack()
        if stack is not None:
            stack.set_frame(frame)

    def set_selected(self, name: str) -> None:
        """The object that is selected everywhere."""
        self._selected = name
        if self._maps is not None:
            self._maps.set_selected(name)

    def set_span(self, first: float, last: float) -> None:
        """The frames that are shown, from … to; silent."""
        self._span = (first, last)
        for stack in (self._curves, self._maps):
            if stack is not None:
                stack.set_span(first, last)

    def set_docked(self, docked: bool) -> None:
        """Whether it lies under the images."""
        key = "undock" if docked else "dock"
        self._dock.setText(chosen().say(f"studio.plots.{key}"))
        self._dock.setToolTip(chosen().say(f"studio.plots.{key}_about"))

    def shown_stack(self) -> CurveStack | HeatmapStack | None:
        """The plots in sight, None where there is nothing to plot."""
        current = self._pages.currentWidget()
        return self._curves if current is self._curves else self._maps if current is self._maps else None

    def shown_data(self) -> PlotsData:
        """What is plotted."""
        return self._data

    def sizeHint(self) -> QSize:
        return QSize(860, 430)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            for stack in (self._curves, self._maps):
                if stack is not None:
                    stack.refresh_theme()
            self._export.setIcon(icon("chevron-down", "muted"))
            self._show()
        super().changeEvent(event)

    # -- inside --------------------------------------------------------------------------------------
    def _make_controls(self) -> QHBoxLayout:
        say = chosen().say
        self._kind = Segmented(
            (
                ("curves", say("studio.plots.curves"), say("studio.plots.curves_about")),
                ("maps", say("studio.plots.maps"), say("studio.plots.maps_about")),
            ),
            height=26,
        )
        self._kind.chosen.connect(lambda _: self._turn())
        self._quantity_pick = MultiPick(say("studio.plots.quantities"), say("studio.plots.quantities_about"))
        self._quantity_pick.picked.connect(lambda ids: self.choose(quantities=ids))
        self._object_pick = MultiPick(say("studio.plots.bodies"), say("studio.plots.bodies_about"))
        self._object_pick.picked.connect(lambda ids: self.choose(objects=ids))
        self._chips: dict[Role, QPushButton] = {}
        line = QHBoxLayout()
        line.setSpacing(4)
        for widget in (self._kind, self._quantity_pick, self._object_pick):
            line.addWidget(widget)
        line.addSpacing(GRID)
        for role in PLOTTED_ROLES:
            chip = QPushButton(say(f"studio.plots.{role}"))
            chip.setProperty("kind", "chip")
            chip.setCheckable(True)
            chip.setToolTip(say(f"studio.plots.{role}_about"))
            chip.clicked.connect(lambda _=False: self._choose_roles())
            self._chips[role] = chip
            line.addWidget(chip)
        line.addStretch(1)
        self._fit = self._quiet("fit", self._show_all)
        self._export = self._quiet("export", None)
        menu = QMenu(self._export)
        for kind in FORMATS:
            menu.addAction(kind.upper()).triggered.connect(
                lambda _=False, k=kind: self.export_requested.emit(k)
            )
        self._export.setMenu(menu)
        self._export.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._export.setIcon(icon("chevron-down", "muted"))
        self._dock = self._quiet("dock", self.dock_requested.emit)
        for button in (self._fit, self._export, self._dock):
            line.addWidget(button)
        return line

    def _quiet(self, key: str, act: object) -> QPushButton:
        button = QPushButton(chosen().say(f"studio.plots.{key}"))
        button.setToolTip(chosen().say(f"studio.plots.{key}_about"))
        button.setProperty("kind", "quiet")
        if act is not None:
            button.clicked.connect(act)
        return button

    def _choose_roles(self) -> None:
        self.choose(roles=[role for role, chip in self._chips.items() if chip.isChecked()])

    def _turn(self) -> None:
        self._show()
        self.chosen_changed.emit()

    def _show_all(self) -> None:
        last = self._data.n_frames - 0.5
        self.set_span(-0.5, last)
        self.span_changed.emit(-0.5, last)

    def _show(self) -> None:
        maps = self.page == "maps"
        for widget in (self._quantity_pick, self._object_pick):
            widget.setEnabled(not maps)
        for chip in self._chips.values():
            chip.setEnabled(not maps)
        if not self.isVisible():
            return
        if not (self._data.maps if maps else self._data.panels):
            self._pages.setCurrentWidget(self._note)
            return
        stack = self._map_stack() if maps else self._curve_stack()
        self._pages.setCurrentWidget(stack)
        stack.set_data(self._data)
        stack.set_frame(self._frame)
        if self._span is not None:
            stack.set_span(*self._span)

    def _curve_stack(self) -> CurveStack:
        if self._curves is None:
            from fourdcb_studio.views.plots.stack import CurveStack

            self._curves = CurveStack()
            self._attach(self._curves)
        return self._curves

    def _map_stack(self) -> HeatmapStack:
        if self._maps is None:
            from fourdcb_studio.views.plots.heatmaps import HeatmapStack

            self._maps = HeatmapStack()
            self._maps.object_selected.connect(self.object_selected)
            self._maps.set_selected(self._selected)
            self._attach(self._maps)
        return self._maps

    def _attach(self, stack: CurveStack | HeatmapStack) -> None:
        self._pages.addWidget(stack)
        stack.seek_requested.connect(self.seek_requested)
        stack.span_changed.connect(self._keep_span)

    def _keep_span(self, first: float, last: float) -> None:
        self._span = (first, last)
        self.span_changed.emit(first, last)

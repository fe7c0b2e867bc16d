"""All parts of the window in their places; at small sizes the side panels fold to icons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from fourdcb.words import tr
from fourdcb_studio.panels.cases import CasesPanel
from fourdcb_studio.panels.findings import FindingsPanel
from fourdcb_studio.panels.message_bar import MessageBar
from fourdcb_studio.panels.parameters import ParametersPanel
from fourdcb_studio.panels.side_panel import SidePanel
from fourdcb_studio.panels.status_bar import StatusBar
from fourdcb_studio.panels.verdict_bar import VerdictBar
from fourdcb_studio.panels.welcome import WelcomePage
from fourdcb_studio.session.openings import Opening
from fourdcb_studio.session.preferences import Layout
from fourdcb_studio.theme import GRID
from fourdcb_studio.views.compare.difference_controls import DifferenceControls
from fourdcb_studio.views.compare.inspector import Inspector
from fourdcb_studio.views.compare.pixel_readout import PixelReadout
from fourdcb_studio.views.compare.view import CompareView
from fourdcb_studio.views.compare.view_bar import ViewBar
from fourdcb_studio.views.plots.view import PlotsView
from fourdcb_studio.views.script.script_view import ScriptView
from fourdcb_studio.views.space.view import SpaceView
from fourdcb_studio.views.time.panel import TimePanel
from fourdcb_studio.views.time.transport import Transport
from fourdcb_studio.widgets.edge_handle import EdgeHandle
from fourdcb_studio.widgets.hairline import hairline

_LEFT_WIDTH = 264
_RIGHT_WIDTH = 320
_FOLD_BELOW = 1440
_LOW = 840
_IMAGES_KEEP = 420  # px of the window that a high time panel leaves


class Workspace(QWidget):
    """Composes the parts and knows nothing of what they mean.

    Attributes:
        verdict, messages, findings, cases, view_bar, images, pixels, parameters, transport, time, status:
            the parts, to be fed and connected.
        space, plots, script, welcome: what may stand in the middle instead of the images.
        middle: stack of images, space, plots, script and welcome; the plots may lie under it instead.
        left, right: the side panels.
        pages: stack of all of these and whatever may cover them, such as the library.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "background")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.verdict = VerdictBar()
        self.findings = FindingsPanel()
        self.cases = CasesPanel()
        self.view_bar = ViewBar()
        self.images, self.difference = CompareView(), DifferenceControls()
        self.middle = QStackedWidget()
        self.space = SpaceView()
        self.plots, self.script = PlotsView(), ScriptView()
        self.welcome = WelcomePage()
        for page in (self.images, self.space, self.plots, self.script, self.welcome):
            self.middle.addWidget(page)
        self.messages = MessageBar(self.middle)  # over the images: news moves nothing
        self.middle.currentChanged.connect(lambda: self.messages.raise_())
        self.view_bar.view_chosen.connect(self.show_view)
        self.pixels, self.inspector = PixelReadout(), Inspector()
        self.parameters = ParametersPanel()
        self.transport = Transport()
        self.time = TimePanel()
        self.status = StatusBar()
        self.left = SidePanel("left", width=_LEFT_WIDTH)
        self.left.add_section(self.findings, "list", tr("Findings"), stretch=1)
        self.left.add_section(self.cases, "images", tr("Cases"), stretch=1)
        self.right = SidePanel("right", width=_RIGHT_WIDTH)
        self.right.add_section(self.parameters, "sliders-horizontal", tr("Parameters"))
        self._differs = False
        self._time_height: int | None = None  # as the user dragged it
        self._plots_height: int | None = None
        self._split = self._make_split()
        bench = QWidget()
        self.pages = QStackedWidget()
        self.pages.addWidget(bench)
        outer, column = QVBoxLayout(self), QVBoxLayout(bench)
        outer.addWidget(self.pages)
        for layout in (outer, column):
            layout.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.verdict, hairline()):
            column.addWidget(widget)
        column.addWidget(self._split, 1)
        column.addWidget(hairline())
        column.addWidget(self.status)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.window().focusWidget() is None:
            self.images.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_view(self, view: str) -> None:
        """Put ``images``, ``space``, ``plots``, ``script`` or ``welcome`` in the middle.

        Raises:
            KeyError: for another word.
        """
        pages: dict[str, QWidget] = {
            "images": self.images, "space": self.space, "plots": self.plots, "script": self.script,
            "welcome": self.welcome,
        }  # fmt: skip
        if view == "plots" and self.plots_are_docked():
            self.dock_plots(False)
        self.middle.setCurrentWidget(pages[view])
        self._show_dock(view)
        if view == "plots":
            self.plots.setFocus(Qt.FocusReason.OtherFocusReason)
        self.view_bar.set_modes_enabled(view == "images")
        self.difference.setVisible(self._differs and view == "images")
        for part in (self.pixels, self._bottom):  # nothing is open: nothing has a pixel or a time
            part.setVisible(view != "welcome")
        if view != "welcome":
            self.view_bar.set_view(view)
            self.pixels.set_view(view)

    def plots_are_docked(self) -> bool:
        """Whether the plots lie under the images."""
        return self.middle.indexOf(self.plots) < 0

    def dock_plots(self, docked: bool) -> None:
        """Put the plots under the images, or among the views in the middle."""
        if docked == self.plots_are_docked():
            return
        if docked:
            looked_at = self.shown_view() == "plots"
            self.middle.removeWidget(self.plots)
            self._stage.addWidget(self.plots)
            self._stage.setStretchFactor(0, 1)  # a larger window gives to the images
            self._stage.setStretchFactor(1, 0)
            self._put_plots_height()
            if looked_at:
                self.show_view("images")
        else:
            self.middle.insertWidget(2, self.plots)
        self.plots.set_docked(docked)
        self._show_dock(self.shown_view())

    def _put_plots_height(self) -> None:
        whole = max(self._stage.height(), 2)
        height = whole // 2 if self._plots_height is None else min(self._plots_height, whole - 1)
        self._stage.setSizes([whole - height, height])

    def _keep_plots_height(self) -> None:
        if self.plots_are_docked() and self._stage.sizes()[1]:  # a hidden part has no height
            self._plots_height = self._stage.sizes()[1]

    def _show_dock(self, view: str) -> None:
        """Docked plots lie under the images and the 3D view only."""
        if self.plots_are_docked():
            self.plots.setVisible(view in ("images", "space"))
            self._put_plots_height()

    def show_difference_controls(self, wanted: bool) -> None:
        """Whether a difference is looked at, so that its controls mean something."""
        self._differs = wanted
        self.difference.setVisible(wanted and self.shown_view() == "images")

    def shown_view(self) -> str:
        """What stands in the middle."""
        pages: dict[QWidget | None, str] = {
            self.images: "images", self.space: "space", self.plots: "plots", self.script: "script",
            self.welcome: "welcome",
        }  # fmt: skip
        return pages[self.middle.currentWidget()]

    def set_openings(self, bundled: Sequence[Opening], recent: Sequence[Opening]) -> None:
        """What the welcome page offers."""
        self.welcome.set_openings(bundled, recent)

    def show_finding(self, index: int) -> None:
        """Mark a finding in the list."""
        self.findings.set_current(index)

    def show_parameter(self, path: str) -> None:
        """Bring a parameter's slider into sight, out of a folded panel too."""
        if self.right.is_folded() and not self.right.is_over():
            self.right.toggle()
        self.parameters.reveal(path)

    def show_owner(self, name: str) -> None:
        """Bring the parameters of a thing into sight."""
        self.parameters.select_owner(name)

    def layout_state(self) -> Layout:
        """Which panels are shown and how large they are."""
        sizes = () if self.left.is_folded() else self.left.sizes()
        return Layout(
            left_folded=self.left.wish(),
            right_folded=self.right.wish(),
            left_width=self.left.open_width(),
            right_width=self.right.open_width(),
            left_sizes=sizes if any(sizes) else (),
            time_height=self._time_height,
            inspector=not self.inspector.isHidden(),
            plots_docked=self.plots_are_docked(),
            plots_height=self._plots_height,
        )

    def set_layout(self, layout: Layout) -> None:
        """Arrange the panels so; what there is no room for stays folded."""
        self.left.set_wish(layout.left_folded)
        self.right.set_wish(layout.right_folded)
        self.left.set_open_width(layout.left_width)
        self.right.set_open_width(layout.right_width)
        self.left.set_sizes(list(layout.left_sizes or (1000, 1000)))
        self._time_height = layout.time_height
        self.inspector.setVisible(layout.inspector)
        self._put_time_height()
        self._plots_height = layout.plots_height
        if layout.plots_docked == self.plots_are_docked():
            self._put_plots_height()
        self.dock_plots(layout.plots_docked)

    def set_time_height(self, height: int) -> None:
        """Height of transport and time panel together [px]."""
        self._split.setSizes([max(self._split.height() - height, 0), height])

    def sizeHint(self) -> QSize:
        return QSize(1600, 1000)

    def minimumSizeHint(self) -> QSize:
        return QSize(960, 600)

    def _make_split(self) -> QSplitter:
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        split.addWidget(self._make_upper())
        self._bottom = self._make_bottom()
        split.addWidget(self._bottom)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 0)
        split.splitterMoved.connect(self._keep_time_height)
        return split

    def _make_upper(self) -> QWidget:
        upper = QWidget()
        line = QHBoxLayout(upper)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(12, GRID, 12, 4)
        column.setSpacing(GRID)
        column.addWidget(self.view_bar)
        column.addWidget(self.difference)
        self.difference.hide()
        self._looking = QVBoxLayout()
        self._looking.setSpacing(GRID)
        self._stage = QSplitter(Qt.Orientation.Vertical)
        self._stage.setHandleWidth(4)
        self._stage.setChildrenCollapsible(False)
        self._stage.addWidget(self.middle)
        self._stage.splitterMoved.connect(self._keep_plots_height)
        self._looking.addWidget(self._stage, 1)
        self._looking.addWidget(self.inspector)
        column.addLayout(self._looking, 1)
        column.addWidget(self.pixels)
        for widget in (self.left, self._edge(self.left, "left", _LEFT_WIDTH)):
            line.addWidget(widget)
        line.addWidget(centre, 1)
        for widget in (self._edge(self.right, "right", _RIGHT_WIDTH), self.right):
            line.addWidget(widget)
        return upper

    def _edge(self, panel: SidePanel, side: Literal["left", "right"], usual: int) -> EdgeHandle:
        edge = EdgeHandle(side)
        edge.dragged.connect(lambda px: panel.set_open_width(panel.open_width() + px))
        edge.reset_requested.connect(lambda: panel.set_open_width(usual))
        return edge

    def _make_bottom(self) -> QWidget:
        bottom = QWidget()
        bottom.setProperty("surface", "panel")
        bottom.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(bottom)
        column.setContentsMargins(0, 0, 0, GRID)
        column.setSpacing(0)
        column.addWidget(self.transport)
        column.addWidget(self.time, 1)
        return bottom

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size() == event.oldSize():
            return
        for panel in (self.left, self.right):
            panel.set_narrow(self.width() < _FOLD_BELOW)
        low = self.height() < _LOW
        self._looking.setDirection(
            QBoxLayout.Direction.LeftToRight if low else QBoxLayout.Direction.TopToBottom
        )
        self.inspector.set_beside(low)
        self._put_time_height()

    def _keep_time_height(self) -> None:
        self._time_height = self._split.sizes()[1]

    def _put_time_height(self) -> None:
        """As the user dragged it, else as much as the rows need, or the fewest of them in a low window."""
        low = self.height() < _LOW
        time_height = self.time.minimumSizeHint().height() if low else self.time.sizeHint().height()
        usual = self.transport.sizeHint().height() + time_height + GRID
        wished = usual if self._time_height is None else min(self._time_height, self.height() - _IMAGES_KEEP)
        self.set_time_height(wished)

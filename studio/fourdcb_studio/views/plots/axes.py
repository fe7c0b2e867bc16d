"""Plots in the Studio's dress: one frame axis that all share, axes with units, one playhead."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal

from fourdcb_studio.theme import mono_font, tokens

AXIS_WIDTH = 62
"""Of the value axes [px], so that the frames of all plots lie over each other."""


class HeadLine(pg.LabelItem):
    """The line over a plot; its words do not widen the plot's column."""

    def updateMin(self) -> None:
        super().updateMin()
        for set_width in (self.setMinimumWidth, self.setPreferredWidth):
            set_width(0)


class SharedTime(pg.GraphicsLayoutWidget):
    """Plots over one frame axis; frame k is the interval k ± 0.5.

    Signals:
        seek_requested(frame): a click, or a drag of the playhead.
        span_changed(first, last): the user zoomed or moved the axis.
        hovered(frame): under the mouse, −1 when it leaves.
    """

    seek_requested = Signal(int)
    span_changed = Signal(float, float)
    hovered = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.plots: list[Any] = []
        self._heads: list[Any] = []
        self._n_frames = 1
        self._frame = 0
        self._span = (-0.5, 0.5)
        self.ci.layout.setContentsMargins(0, 2, 8, 2)
        self.ci.layout.setVerticalSpacing(2)
        self.setFrameShape(self.Shape.NoFrame)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.scene().sigMouseMoved.connect(self._moved)
        self.refresh_theme()

    def refresh_theme(self) -> None:
        """The colours in force."""
        self.setBackground(tokens().color("background"))

    def make_plot(self, row: int, column: int = 0, *, left: Any = None) -> Any:
        """A plot at a place of the layout, linked in time with the others."""
        plot = self.addPlot(row=row, col=column, axisItems=None if left is None else {"left": left})
        plot.hideButtons()
        plot.setMenuEnabled(False)
        theme = tokens()
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            axis.setPen(theme.color("line"))
            axis.setTextPen(theme.color("muted"))
            axis.setStyle(tickFont=mono_font(10), tickLength=-4, hideOverlappingLabels=True)
        plot.getAxis("left").setWidth(AXIS_WIDTH)
        plot.getAxis("bottom").setHeight(16)
        view = plot.getViewBox()
        view.setMouseEnabled(x=True, y=False)
        view.setLimits(xMin=-0.5, xMax=self._n_frames - 0.5, minXRange=min(4.0, float(self._n_frames)))
        head = pg.InfiniteLine(self._frame, movable=True, pen=pg.mkPen(theme.color("playhead"), width=1.4))
        head.setZValue(50)
        head.sigDragged.connect(lambda line: self.seek_requested.emit(self._held(line.value())))
        plot.addItem(head, ignoreBounds=True)
        view.setXRange(*self._span, padding=0)
        # Not pyqtgraph's links: they line views up on screen, which plots beside each other are not.
        view.sigRangeChangedManually.connect(lambda _, v=view: self._ranged(v))
        self.ci.layout.setColumnStretchFactor(column, 100)
        self.plots.append(plot)
        self._heads.append(head)
        return plot

    def forget_plots(self) -> None:
        """Remove them all."""
        self.plots, self._heads = [], []
        self.clear()

    def set_frames(self, n_frames: int) -> None:
        """Length of the clip; another one is shown whole."""
        if n_frames == self._n_frames:
            return
        self._n_frames = n_frames
        for plot in self.plots:
            limits = {"xMin": -0.5, "xMax": n_frames - 0.5, "minXRange": min(4.0, float(n_frames))}
            plot.getViewBox().setLimits(**limits)
        self.set_span(-0.5, n_frames - 0.5)

    def set_frame(self, frame: int) -> None:
        """The playhead."""
        self._frame = frame
        for head in self._heads:
            if not head.moving:
                head.setValue(frame)

    def span(self) -> tuple[float, float]:
        """The frames that are shown, from … to."""
        return self._span

    def set_span(self, first: float, last: float) -> None:
        """Show these frames; silent."""
        self._span = (first, last)
        for plot in self.plots:
            plot.getViewBox().setXRange(first, last, padding=0)

    def frame_at(self, at: QPointF) -> tuple[int, int] | None:
        """(frame, number of the plot) at a point of the scene, None outside the plots."""
        for number, plot in enumerate(self.plots):
            view = plot.getViewBox()
            if view.sceneBoundingRect().contains(at):
                return self._held(view.mapSceneToView(at).x()), number
        return None

    def _held(self, x: float) -> int:
        return min(max(round(x), 0), self._n_frames - 1)

    def _ranged(self, view: Any) -> None:
        (first, last), _ = view.viewRange()
        self.set_span(first, last)
        self.span_changed.emit(first, last)

    def _clicked(self, event: Any) -> None:
        found = self.frame_at(event.scenePos())
        if found is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.set_span(-0.5, self._n_frames - 0.5)
            self.span_changed.emit(*self._span)
        else:
            self.clicked(*found, event.scenePos())

    def clicked(self, frame: int, plot: int, at: QPointF) -> None:
        """A plot was clicked."""
        self.seek_requested.emit(frame)

    def _moved(self, at: QPointF) -> None:
        found = self.frame_at(at)
        self.hovered.emit(-1 if found is None else found[0])

    def leaveEvent(self, event: Any) -> None:
        self.hovered.emit(-1)
        super().leaveEvent(event)

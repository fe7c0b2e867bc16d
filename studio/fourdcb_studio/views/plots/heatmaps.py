"""Object × frame heatmaps of the errors, each with its colour bar; a click seeks and selects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QFontMetricsF

from fourdcb.words import chosen
from fourdcb_studio.theme import Lut, magnitude_colors, mono_font, signed_colors, tokens
from fourdcb_studio.views.plots.axes import HeadLine, SharedTime
from fourdcb_studio.views.plots.data import HeatMap, PlotsData
from fourdcb_studio.views.plots.time_marks import TimeMarks
from fourdcb_studio.views.time.values import figure, signed_text

_BAR = 76
NOTHING = 1e-6
"""Errors below this, in the unit of their map, are numerical noise."""
_NAME = 14  # letters of an object's name beside its row


class HeatmapStack(SharedTime):
    """A map for each kind of error: position along each axis, rotation, velocity, energy.

    Signals:
        object_selected(name): a row was clicked (a seek comes with it).
    """

    object_selected = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._data = PlotsData()
        self._built: tuple[Any, ...] = ()
        self._images: list[Any] = []
        self._bars: list[tuple[Any, Any]] = []
        self._titles: list[Any] = []
        self._marks: list[TimeMarks] = []
        self._hover: tuple[int, int, int] | None = None
        self._selected = ""
        self.scene().sigMouseMoved.connect(self._look_under)

    def set_data(self, data: PlotsData) -> None:
        """Other maps."""
        self._data = data
        self.set_frames(data.n_frames)
        made_of = tuple((m.id, m.names) for m in data.maps)
        if made_of != self._built:
            self._built = made_of
            self._build()
        for i, shown in enumerate(data.maps):
            colors = map_colors(shown, shown.values)
            rgba = np.zeros((*shown.values.shape, 4), dtype=np.uint8)
            rgba[..., :3] = colors
            rgba[..., 3] = np.where(np.isfinite(shown.values), 255, 0)
            self._images[i].setImage(rgba, autoLevels=False, levels=(0, 255))
            self._images[i].setRect(-0.5, -0.5, shown.values.shape[1], shown.values.shape[0])
            self._marks[i].set_marks(data.horizon, (), None)
            self._show_bar(shown, *self._bars[i])
        self._show_titles()

    def set_selected(self, name: str) -> None:
        """The object whose value stands over each map."""
        self._selected = name
        self._show_titles()

    def set_frame(self, frame: int) -> None:
        super().set_frame(frame)
        if self._hover is None:
            self._show_titles()

    def refresh_theme(self) -> None:
        super().refresh_theme()
        self._built = ()

    def clicked(self, frame: int, plot: int, at: QPointF) -> None:
        name = self._row_at(plot, at)
        if name is not None:
            self.object_selected.emit(self._data.maps[plot].names[name])
        self.seek_requested.emit(frame)

    def value_under(self, plot: int, row: int, frame: int) -> str:
        """Object, frame and error in words."""
        shown = self._data.maps[plot]
        value = shown.values[row, frame] if frame < shown.values.shape[1] else np.nan
        if not np.isfinite(value):
            return f"{shown.names[row]}  {frame}  —"
        value = 0.0 if abs(value) < NOTHING else value
        told = signed_text(float(value), 2) if shown.signed else figure(float(value))
        return f"{shown.names[row]}  {frame} · {frame / self._data.fps:.3f} s  {told} {shown.unit}"

    def _build(self) -> None:
        self.forget_plots()
        self._images, self._bars, self._titles, self._marks, self._hover = [], [], [], [], None
        metrics = QFontMetricsF(mono_font(10))
        names = [_short(name) for shown in self._data.maps for name in shown.names]
        names_width = 14 + max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        half = (len(self._data.maps) + 1) // 2
        for i, shown in enumerate(self._data.maps):
            row, column = 2 * (i % half), 2 * (i // half)
            title = HeadLine(justify="left")
            self.addItem(title, row=row, col=column, colspan=2)
            left = pg.AxisItem("left")
            left.setTicks([[(k, _short(name)) for k, name in enumerate(shown.names)]])
            plot = self.make_plot(row + 1, column, left=left)
            plot.getAxis("left").setWidth(names_width)
            last = i % half == half - 1
            plot.getAxis("bottom").setStyle(showValues=last)
            plot.getAxis("bottom").setHeight(18 if last else 4)
            plot.getViewBox().invertY(True)
            plot.getViewBox().setYRange(-0.5, len(shown.names) - 0.5, padding=0)
            plot.getViewBox().setBackgroundColor(tokens().color("panel"))
            image = pg.ImageItem(axisOrder="row-major")
            plot.addItem(image)
            marks = TimeMarks()
            marks.setZValue(10)
            plot.addItem(marks, ignoreBounds=True)
            self._bars.append(self._make_bar(row + 1, column + 1, below=18 if last else 4))
            self._images.append(image)
            self._titles.append(title)
            self._marks.append(marks)

    def _make_bar(self, row: int, column: int, *, below: int) -> tuple[Any, Any]:
        bar = self.addPlot(row=row, col=column)
        bar.setFixedWidth(_BAR)
        bar.hideButtons()
        bar.setMenuEnabled(False)
        bar.setMouseEnabled(x=False, y=False)
        bar.hideAxis("left")
        foot = bar.getAxis("bottom")
        foot.setStyle(showValues=False, tickLength=0)
        foot.setPen(tokens().color("background"))
        foot.setHeight(below)
        bar.showAxis("right")
        axis = bar.getAxis("right")
        axis.setPen(tokens().color("line"))
        axis.setTextPen(tokens().color("muted"))
        axis.setStyle(tickFont=mono_font(10), tickLength=-3)
        axis.setWidth(_BAR - 16)
        image = pg.ImageItem(axisOrder="row-major")
        bar.addItem(image)
        return bar, image

    def _show_bar(self, shown: HeatMap, bar: Any, image: Any) -> None:
        low = -shown.limit if shown.signed else 0.0
        colors = map_colors(shown, np.linspace(low, shown.limit, 128))
        image.setImage(colors[:, None, :], autoLevels=False, levels=(0, 255))
        image.setRect(0, low, 1, shown.limit - low)
        bar.getViewBox().setRange(xRange=(0, 1), yRange=(low, shown.limit), padding=0)
        ends = ((low, _end(low)), (shown.limit, _end(shown.limit)))
        bar.getAxis("right").setTicks([[*ends, *([(0.0, "0")] if shown.signed else [])]])

    def _look_under(self, at: QPointF) -> None:
        found = self.frame_at(at)
        row = None if found is None else self._row_at(found[1], at)
        self._hover = None if found is None or row is None else (found[1], row, found[0])
        self._show_titles()

    def _row_at(self, plot: int, at: QPointF) -> int | None:
        row = round(self.plots[plot].getViewBox().mapSceneToView(at).y())
        return row if 0 <= row < len(self._data.maps[plot].names) else None

    def _show_titles(self) -> None:
        theme = tokens()
        for i, (shown, title) in enumerate(zip(self._data.maps, self._titles, strict=True)):
            under = self._hover
            if under is not None and under[0] == i:
                told = self.value_under(i, under[1], under[2])
            elif self._selected in shown.names:
                told = self.value_under(i, shown.names.index(self._selected), self._frame)
            else:
                told = chosen().say("studio.plots.objects", count=len(shown.names))
            title.setText(
                f"<span style='color:{theme.text}'><b>{shown.label}</b> [{shown.unit}]</span>"
                f"<span style='color:{theme.muted}'>&nbsp;&nbsp;{told}</span>",
                size="9pt",
            )


def map_colors(shown: HeatMap, values: Any) -> Lut:
    """The colours of values of a map, as the strips of the time panel have them."""
    if shown.signed:
        return signed_colors(values, shown.limit, shown.within)
    return magnitude_colors(np.abs(values), shown.limit, shown.within)


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _end(value: float) -> str:
    return f"{value:+g}".replace("-", "−").replace("+0", "0") if value else "0"

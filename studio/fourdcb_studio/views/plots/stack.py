"""Curves: a plot a quantity, one over the other, with the values at the playhead or under the mouse."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from fourdcb.words import chosen
from fourdcb_studio.session.messages import Role
from fourdcb_studio.theme import tokens
from fourdcb_studio.theme.series import series_color
from fourdcb_studio.views.plots.axes import HeadLine, SharedTime
from fourdcb_studio.views.plots.data import Panel, PlotsData, Series
from fourdcb_studio.views.plots.time_marks import TimeMarks
from fourdcb_studio.views.time.values import figure

_MOST_OBJECTS = 6  # in the line over a plot
_LEAST_HEIGHT = 104  # px of a plot with its line: more of them stand beside each other
_MOST_COLUMNS = 3
_NOTHING = 1e-9  # smaller values are numerical noise of what is at rest
_ROLES: tuple[Role, ...] = ("candidate", "reference", "before")


class CurveStack(SharedTime):
    """The curves of the chosen quantities."""

    def __init__(self) -> None:
        super().__init__()
        self._data = PlotsData()
        self._built: tuple[Any, ...] = ()
        self._curves: dict[tuple[str, str, Role], Any] = {}
        self._marks: list[TimeMarks] = []
        self._titles: list[Any] = []
        self._cross: list[Any] = []
        self._hover = -1
        self._columns = 1
        self.hovered.connect(self._show_hover)

    def set_data(self, data: PlotsData) -> None:
        """Other curves; plots are made anew only when other ones are wanted."""
        self._data = data
        self.set_frames(data.n_frames)
        self._columns = self._fitting_columns()
        curves = tuple((p.id, tuple((s.object, s.role, s.hue) for s in p.series)) for p in data.panels)
        made_of = (self._columns, curves)
        if made_of != self._built:
            self._built = made_of
            self._build()
        for panel, marks in zip(data.panels, self._marks, strict=True):
            threshold = None
            if panel.threshold is not None:
                words = chosen().say("studio.plots.threshold", value=f"{panel.threshold:g} {panel.unit}")
                threshold = (panel.threshold, words)
            marks.set_marks(data.horizon, data.events, threshold)
            for series in panel.series:
                self._curves[panel.id, series.object, series.role].setData(
                    np.arange(len(series.values)), series.values, connect="finite"
                )
        self._fit_values()
        self._show_values()

    def set_frame(self, frame: int) -> None:
        super().set_frame(frame)
        if self._hover < 0:
            self._show_values()

    def refresh_theme(self) -> None:
        super().refresh_theme()
        self._built = ()

    def _build(self) -> None:
        self.forget_plots()
        self._curves, self._marks, self._titles, self._cross = {}, [], [], []
        theme = tokens()
        for i, panel in enumerate(self._data.panels):
            title = HeadLine(justify="left")
            row, column = divmod(i, self._columns)
            self.addItem(title, row=2 * row, col=column)
            plot = self.make_plot(2 * row + 1, column)
            plot.showGrid(x=True, y=True, alpha=0.12)
            last = i + self._columns >= len(self._data.panels)
            plot.getAxis("bottom").setStyle(showValues=last)
            plot.getAxis("bottom").setHeight(18 if last else 4)
            plot.getViewBox().setAutoVisible(y=True)
            marks = TimeMarks()
            plot.addItem(marks, ignoreBounds=True)
            cross = pg.InfiniteLine(0, pen=pg.mkPen(theme.color("muted"), width=1))
            cross.hide()
            plot.addItem(cross, ignoreBounds=True)
            for role in reversed(_ROLES):  # the candidate over the others
                for series in (s for s in panel.series if s.role == role):
                    curve = plot.plot(pen=series_pen(series), antialias=True)
                    self._curves[panel.id, series.object, role] = curve
            self._marks.append(marks)
            self._titles.append(title)
            self._cross.append(cross)

    def _fit_values(self) -> None:
        """Room for all finite values and the threshold near them; noise about a level stays a level."""
        for panel, plot in zip(self._data.panels, self.plots, strict=True):
            found = [s.values[np.isfinite(s.values)] for s in panel.series]
            values = np.concatenate([np.empty(0), *found])
            low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
            near = panel.threshold is not None and low - (high - low) <= panel.threshold <= high + (
                high - low
            )
            if panel.threshold is not None and (near or panel.id.endswith("_error")):
                low, high = min(low, panel.threshold), max(high, panel.threshold)
            spare = max(0.02 * max(abs(low), abs(high)) - (high - low), 0.0) / 2 + 0.06 * (high - low)
            spare = spare or 0.5
            plot.getViewBox().setYRange(low - spare, high + spare, padding=0)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_columns") and self._fitting_columns() != self._columns:
            self.set_data(self._data)

    def _fitting_columns(self) -> int:
        """Plots beside each other, so that none is too low to be read."""
        count = len(self._data.panels)
        rows = max(self.height() // _LEAST_HEIGHT, 1)
        return min(-(-count // rows), _MOST_COLUMNS, max(count, 1))

    def _show_hover(self, frame: int) -> None:
        self._hover = frame
        for cross in self._cross:
            cross.setVisible(frame >= 0)
            cross.setValue(max(frame, 0))
        self._show_values()

    def _show_values(self) -> None:
        frame = self._hover if self._hover >= 0 else self._frame
        for i, (panel, title) in enumerate(zip(self._data.panels, self._titles, strict=True)):
            title.setText(self._words(panel, frame, timed=i == 0), size="9pt")

    def _words(self, panel: Panel, frame: int, *, timed: bool) -> str:
        """The line over a plot: quantity, unit, the frame, and every object's values."""
        theme = tokens()
        unit = f" [{escape(panel.unit)}]" if panel.unit else ""
        words = f"<span style='color:{theme.text}'><b>{escape(panel.label)}</b>{unit}</span>"
        when = f"{frame} · {frame / self._data.fps:.3f} s" if timed else ""
        roles = [role for role in _ROLES if any(s.role == role for s in panel.series)]
        told = "&nbsp;&nbsp;".join(filter(None, (when, " / ".join(role_word(role) for role in roles))))
        words += f"<span style='color:{theme.muted}'>&nbsp;&nbsp;{told}&nbsp;&nbsp;</span>"
        objects = list(dict.fromkeys(s.object for s in panel.series))
        for name in objects[:_MOST_OBJECTS]:
            own = [s for s in panel.series if s.object == name]
            values = " / ".join(_value(s, frame) for s in own)
            color = series_color(own[0].hue) if name else theme.text
            words += f"<span style='color:{color}'>&nbsp; {escape(name)} {values}</span>"
        if len(objects) > _MOST_OBJECTS:
            words += f"<span style='color:{theme.muted}'>&nbsp; +{len(objects) - _MOST_OBJECTS}</span>"
        return words


def _value(series: Series, frame: int) -> str:
    value = float(series.values[frame]) if frame < len(series.values) else math.nan
    if not math.isfinite(value):
        return "—"
    return figure(0.0 if abs(value) < _NOTHING else value)


def role_word(role: Role) -> str:
    """What a role is called in the plots."""
    return chosen().say(f"studio.plots.{role}")


def series_pen(series: Series) -> QPen:
    """The colour tells the object, the line the role: solid replay, dashed original, dotted before."""
    color = tokens().color("text") if not series.object else None
    pen = QPen(color or series_color(series.hue))
    pen.setCosmetic(True)
    pen.setWidthF(1.8 if series.role == "candidate" else 1.4)
    if series.role == "reference":
        muted = pen.color()
        muted.setAlphaF(0.75)
        pen.setColor(muted)
        pen.setDashPattern([5, 3])
    elif series.role == "before":
        pen.setDashPattern([1.2, 2.4])
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    return pen

"""The painted part of the time panel. What stays is cached; a seek repaints two slivers and the figures."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import mono_font, tokens
from fourdcb_studio.views.time.data import Limits, TimelineData, runs
from fourdcb_studio.views.time.layout import (
    COMPACT_HEIGHT,
    FULL_HEIGHT,
    LABEL_WIDTH,
    Row,
    TimeAxis,
    held_span,
    layout_rows,
    row_at,
    time_axis,
)
from fourdcb_studio.views.time.paint import (
    paint_marks_at,
    paint_playhead,
    paint_read_out,
    paint_static,
    words_top,
)
from fourdcb_studio.views.time.values import curve_values, read_out, row_value

_HIT = 8.0
_SLIVER = 8
_READY = (("muted", 0), ("accent", 1), ("ok", 2))


class TimeCanvas(QWidget):
    """Rows, playhead and the figures at the playhead; arrow keys step, Home and End jump.

    Signals:
        seek_requested(frame), finding_activated(index), object_selected(name).
        rows_changed(): other rows are shown after a resize.
        span_changed(): the user zoomed or moved what is seen of the clip.
    """

    seek_requested = Signal(int)
    finding_activated = Signal(int)
    object_selected = Signal(str)
    rows_changed = Signal()
    span_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data = TimelineData()
        self._limits: Limits = self._data.limits()
        self._position = 0
        self._ready: tuple[list[tuple[int, int]], ...] = ([], [], [])
        self._cache: QPixmap | None = None
        self._rows: tuple[Row, ...] = layout_rows(FULL_HEIGHT, self._data)
        self._mouse: QPointF | None = None
        self._dragging = False
        self._span: tuple[float, float] | None = None  # of frames that are seen; None is the clip
        self._pan: float | None = None  # where the middle button holds the axis [px]
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(COMPACT_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(tr("Time"))

    def sizeHint(self) -> QSize:
        return QSize(1280, FULL_HEIGHT + 16)

    def rows(self) -> tuple[Row, ...]:
        """The rows that are shown."""
        return self._rows

    def axis(self) -> TimeAxis:
        """The map between frames and px."""
        return time_axis(self.width(), self._data.n_frames, self._span)

    def span(self) -> tuple[float, float]:
        """What is seen, from the start of one frame to the end of another."""
        return self._span or (0.0, float(self._data.n_frames))

    def set_span(self, first: float, last: float) -> None:
        """See these frames, held inside the clip; silent."""
        span = held_span(first, last, self._data.n_frames)
        if span != self._span:
            self._span = span
            self._cache = None
            self.update()

    def position(self) -> int:
        """Frame of the playhead."""
        return self._position

    def set_data(self, data: TimelineData) -> None:
        """Paint other data."""
        if data.n_frames != self._data.n_frames:
            self._span = None
        self._data = data
        self._limits = data.limits()
        self._position = min(self._position, data.n_frames - 1)
        self._arrange()

    def set_position(self, frame: int) -> None:
        """Move the playhead, held inside the clip."""
        frame = min(max(frame, 0), self._data.n_frames - 1)
        if frame == self._position:
            return
        axis = self.axis()
        for at in (self._position, frame):
            self.update(QRect(int(axis.x(at)) - _SLIVER, 0, 2 * _SLIVER + 1, self.height()))
        self.update(QRect(int(axis.right), 0, self.width(), self.height()))
        self._position = frame
        first, last = self.span()
        if self._span is not None and not first <= frame <= last - 1:  # turn the page, the frame at its start
            shown = last - first
            start = frame - 0.1 * shown if frame > first else frame + 1 - 0.9 * shown
            self._look(start, start + shown)

    def set_ready(
        self, decoded: NDArray[np.bool_], rendered: NDArray[np.bool_], judged: NDArray[np.bool_]
    ) -> None:
        """Which frames are decoded, rendered and judged."""
        ready = (runs(decoded), runs(rendered), runs(judged))
        if ready != self._ready:
            self._ready = ready
            top = int(self._rows[-1].top)
            self.update(QRect(0, top, self.width(), self.height() - top))

    def _arrange(self) -> None:
        before = [r.kind for r in self._rows]
        self._rows = layout_rows(self.height(), self._data)
        self._cache = None
        self.update()
        if before != [r.kind for r in self._rows]:
            self.rows_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange):
            self._cache = None
            self.update()
        super().changeEvent(event)

    # Mouse and keys

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        steps = (turn.y() or turn.x()) / 120
        axis = self.axis()
        first, last = self.span()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            at = (event.position().x() - axis.left) / axis.cell + axis.first
            scale = 0.8**steps
            self._look(at + scale * (first - at), at + scale * (last - at))
        elif self._span is not None:
            move = -0.15 * steps * (last - first)
            self._look(first + move, last + move)
        else:
            event.ignore()
            return
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = row_at(self._rows, event.position().y())
        if row is not None and row.kind == "ruler" and self._span is not None:
            self._look(0.0, float(self._data.n_frames))
        else:
            super().mouseDoubleClickEvent(event)

    def _look(self, first: float, last: float) -> None:
        self.set_span(first, last)
        self.span_changed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton and self._span is not None:
            self._pan = event.position().x()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position()
        row = row_at(self._rows, at.y())
        if at.x() < LABEL_WIDTH:
            if row is not None and row.kind in ("x", "y", "z") and row.object:
                self.object_selected.emit(row.object)
            return
        finding = self._finding_at(at)
        if finding is not None:
            self.finding_activated.emit(finding)
            self.seek_requested.emit(self._data.findings[finding].frame)
        elif self.axis().contains(at.x()):
            self._dragging = True
            self._seek(at.x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pan is not None:
            move = (self._pan - event.position().x()) / self.axis().cell
            self._pan = event.position().x()
            first, last = self.span()
            self._look(first + move, last + move)
        if self._dragging:
            self._seek(event.position().x())
        self._mouse = event.position()
        self._update_card()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging, self._pan = False, None

    def leaveEvent(self, event: QEvent) -> None:
        self._mouse = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self._data.n_frames - 1
        step = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        targets = {
            Qt.Key.Key_Left: self._position - step,
            Qt.Key.Key_Right: self._position + step,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        target = targets.get(Qt.Key(event.key()))
        if target is None:
            super().keyPressEvent(event)
        else:
            self.seek_requested.emit(min(max(target, 0), last))

    def _seek(self, x: float) -> None:
        self.seek_requested.emit(self.axis().frame(x))

    def _finding_at(self, at: QPointF) -> int | None:
        row = row_at(self._rows, at.y())
        if row is None or row.kind != "findings":
            return None
        axis = self.axis()
        gaps = [(abs(axis.x(f.frame) - at.x()), i) for i, f in enumerate(self._data.findings)]
        gap, index = min(gaps, default=(math.inf, -1))
        return index if gap <= _HIT else None

    def _update_card(self) -> None:
        # The card is small and moves with the mouse; the rows under it come from the cache.
        self.update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        cache = self._static_layer()
        ratio = cache.devicePixelRatioF()
        rect = event.rect()
        source = QRectF(rect.x() * ratio, rect.y() * ratio, rect.width() * ratio, rect.height() * ratio)
        painter.drawPixmap(QRectF(rect), cache, source)
        axis = self.axis()
        if event.rect().bottom() >= self._rows[-1].top:
            self._paint_ready(painter, axis)
        if event.rect().right() >= axis.right:
            self._paint_values(painter, axis)
        if self._data.n_frames > 1 and axis.left <= axis.x(self._position) <= axis.right:
            paint_playhead(painter, round(axis.x(self._position)), self._rows[-1].bottom)
            paint_marks_at(painter, self._data, self._rows, axis, self._position)
        self._paint_card(painter, axis)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(tokens().color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(axis.left, 0, axis.width - 1, self._rows[-1].bottom - 1))

    def _static_layer(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        size = QSize(round(self.width() * ratio), round(self.height() * ratio))
        if self._cache is None or self._cache.size() != size:
            cache = QPixmap(size)
            cache.setDevicePixelRatio(ratio)
            cache.fill(tokens().color("panel"))
            painter = QPainter(cache)
            paint_static(painter, self._data, self._rows, self.axis())
            painter.end()
            self._cache = cache
        return self._cache

    def _paint_ready(self, painter: QPainter, axis: TimeAxis) -> None:
        row = self._rows[-1]
        theme = tokens()
        for role, i in _READY:
            y = row.top + 1 + 3 * i
            painter.fillRect(QRectF(axis.left, y, axis.width, 2), theme.color("track", 0.5))
            for start, stop in self._ready[i]:
                left, right = max(axis.edge(start), axis.left), min(axis.edge(stop), axis.right)
                if right > left:
                    painter.fillRect(QRectF(left, y, right - left, 2), theme.color(role))

    def _paint_values(self, painter: QPainter, axis: TimeAxis) -> None:
        theme = tokens()
        painter.setFont(mono_font())
        x = axis.right + 12
        for row in self._rows:
            lines: list[tuple[str, bool]] = []
            if row.kind == "ruler":
                lines = (
                    [(tr("at {position}", position=self._position), True)] if self._data.n_frames > 1 else []
                )
            elif row.kind == "curve":
                lines = curve_values(self._data, self._position)
            elif row.kind == "ready":
                lines = [(self._ready_text(), True)] if self._data.n_frames > 1 else []
            else:
                value = row_value(self._data, row, self._position, self._limits)
                lines = [value] if value is not None else []
            height = 16.0 if row.kind == "curve" else max(row.height, 16.0)
            for i, (text, quiet) in enumerate(lines):
                painter.setPen(theme.color("muted" if quiet else "text"))
                top = row.top + 2 + 15 * i if row.kind == "curve" else words_top(row)
                box = QRectF(x, top, self.width() - x, height)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _ready_text(self) -> str:
        done = sum(stop - start for start, stop in self._ready[1])
        return f"{done} / {self._data.n_frames}"

    def _paint_card(self, painter: QPainter, axis: TimeAxis) -> None:
        at = self._mouse
        if at is None or not axis.contains(at.x()):
            return
        row = row_at(self._rows, at.y())
        if row is None:
            return
        frame = axis.frame(at.x())
        x = round(axis.x(frame)) + 0.5
        painter.setPen(tokens().color("muted", 0.6))
        painter.drawLine(QPointF(x, 0), QPointF(x, self._rows[-1].bottom))
        bounds = QRectF(axis.left, 0, axis.width, self.height())
        paint_read_out(painter, QPointF(x, at.y()), bounds, read_out(self._data, row, frame, self._limits))

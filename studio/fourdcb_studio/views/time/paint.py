"""Painting of the time panel's layers: what stays (cached), and the values, bars and playhead over it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from fourdcb.words import tr
from fourdcb_studio.theme import (
    Lut,
    magnitude_colors,
    mono_font,
    note_font,
    signed_colors,
    tokens,
)
from fourdcb_studio.views.time.data import Curve, TimelineData, Track, binned, tick_step
from fourdcb_studio.views.time.layout import LABEL_WIDTH, Row, TimeAxis
from fourdcb_studio.widgets.marks import CONTACT_MARKS, SEVERITY_MARKS, paint_mark

_LABEL_GAP = 12
_WORDS = 16.0  # px that words need
_LEAST_SPAN = 0.02  # of the greatest value
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def paint_static(painter: QPainter, data: TimelineData, rows: tuple[Row, ...], axis: TimeAxis) -> None:
    """Everything but the playhead, the values beside it and the readiness."""
    theme = tokens()
    well = QRectF(axis.left, 0, axis.width, rows[-1].bottom)
    painter.fillRect(well, theme.color("background"))
    for row in rows:
        _paint_label(painter, row, data)
    painter.save()
    painter.setClipRect(well)
    step = tick_step(data.n_frames, axis.n_frames * axis.cell)
    painter.setPen(QPen(theme.color("line"), 1))
    for frame in _ticks(axis, step):
        x = round(axis.x(frame)) + 0.5
        painter.drawLine(QPointF(x, 0), QPointF(x, well.bottom()))
    for row in rows:
        _paint_row(painter, row, data, axis, step)
    _paint_horizon(painter, data, rows, axis)
    _paint_departure(painter, data, rows, axis)
    _paint_loop(painter, data, rows[0], axis)
    _paint_overview(painter, rows[0], axis)
    painter.restore()


def _ticks(axis: TimeAxis, step: int) -> range:
    """The labelled frames in sight."""
    if axis.n_frames <= 1:
        return range(0)
    start = int(axis.first) // step * step
    return range(start, min(axis.n_frames, axis.frame(axis.right) + 1), step)


def _paint_overview(painter: QPainter, ruler: Row, axis: TimeAxis) -> None:
    """Over the ruler, while only a part is seen: which part of the clip that is."""
    if not axis.zoomed or axis.shown is None:
        return
    theme = tokens()
    painter.fillRect(QRectF(axis.left, ruler.top, axis.width, 3), theme.color("track"))
    part = axis.width / axis.n_frames
    box = QRectF(axis.left + axis.first * part, ruler.top, max(axis.shown * part, 6.0), 3)
    painter.fillRect(box, theme.color("muted"))


def words_top(row: Row) -> float:
    """Where words beside a row begin, so that those of the low last row keep their descenders."""
    return min(row.top, row.bottom - _WORDS)


def _paint_label(painter: QPainter, row: Row, data: TimelineData) -> None:
    painter.setFont(note_font())
    painter.setPen(tokens().color("muted"))
    box = QRectF(8, words_top(row), LABEL_WIDTH - _LABEL_GAP - 8, max(row.height, _WORDS))
    if row.kind == "curve":
        _paint_curve_key(painter, box, row, data.curve)
        return
    text = painter.fontMetrics().elidedText(row.label, Qt.TextElideMode.ElideLeft, int(box.width()))
    painter.drawText(box, int(_RIGHT), text)


def _paint_curve_key(painter: QPainter, box: QRectF, row: Row, curve: Curve | None) -> None:
    theme = tokens()
    metrics = painter.fontMetrics()
    painter.drawText(
        QRectF(box.left(), row.top + 2, box.width(), 16),
        int(_RIGHT),
        metrics.elidedText(row.label, Qt.TextElideMode.ElideMiddle, int(box.width())),
    )
    if curve is None or curve.reference is None:  # one line needs no key
        return
    keys = (
        (tr("replay"), curve.candidate, _candidate_pen()),
        (tr("original"), curve.reference, _reference_pen()),
    )
    y = row.top + 18
    for word, values, pen in keys:
        if values is None or y + 14 > row.bottom:
            continue
        painter.setPen(theme.color("muted"))
        painter.drawText(QRectF(box.left(), y, box.width(), 14), int(_RIGHT), word)
        end = box.right() - metrics.horizontalAdvance(word) - 6
        painter.setPen(pen)
        painter.drawLine(QPointF(end - 16, y + 7.5), QPointF(end, y + 7.5))
        y += 15


def _candidate_pen() -> QPen:
    return QPen(tokens().color("accent"), 1.8)


def _reference_pen() -> QPen:
    pen = QPen(tokens().color("muted"), 1.6)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern([4, 2.5])
    return pen


def _paint_row(painter: QPainter, row: Row, data: TimelineData, axis: TimeAxis, step: int) -> None:
    if row.kind == "ruler":
        _paint_ruler(painter, row, axis, step)
    elif row.kind in ("findings", "contacts"):
        _paint_marks(painter, row, data, axis, range(data.n_frames))
    elif row.kind == "curve":
        _paint_curve(painter, row, data, axis)
    elif row.kind != "ready":
        _paint_strip(painter, row, data, axis)


def _paint_marks(painter: QPainter, row: Row, data: TimelineData, axis: TimeAxis, frames: range) -> None:
    """Marks of the findings or contacts of some frames."""
    theme = tokens()
    if row.kind == "findings":
        for finding in data.findings:
            if finding.frame in frames:
                mark, role = SEVERITY_MARKS.get(finding.severity, ("ring", "accent"))
                paint_mark(painter, mark, QPointF(axis.x(finding.frame), row.middle), 10, theme.color(role))
        return
    for contact in data.telling_contacts(frames):
        mark, role = CONTACT_MARKS.get(contact.kind, ("dot", "muted"))
        paint_mark(painter, mark, QPointF(axis.x(contact.frame), row.middle), 9, theme.color(role))


def paint_marks_at(
    painter: QPainter, data: TimelineData, rows: tuple[Row, ...], axis: TimeAxis, frame: int
) -> None:
    """The marks of one frame over the playhead, which would cut them in two."""
    for row in rows:
        if row.kind in ("findings", "contacts"):
            _paint_marks(painter, row, data, axis, range(frame, frame + 1))


def _paint_ruler(painter: QPainter, row: Row, axis: TimeAxis, step: int) -> None:
    painter.setFont(mono_font(11))
    painter.setPen(tokens().color("muted"))
    metrics = QFontMetricsF(mono_font(11))
    for frame in _ticks(axis, step):
        x = axis.x(frame) + 5
        width = metrics.horizontalAdvance(str(frame))
        if x + width < axis.right:
            painter.drawText(QRectF(x, row.top, width + 2, row.height), int(_LEFT), str(frame))


def _paint_strip(painter: QPainter, row: Row, data: TimelineData, axis: TimeAxis) -> None:
    inset = 3.0 if row.height >= 20 else 1.0
    tracks = data.errors.get(row.object)
    if tracks is None:
        painter.fillRect(axis.span(row, inset), tokens().color("panel", 0.6))
        if row.kind == "y":
            painter.setFont(note_font())
            painter.setPen(tokens().color("muted"))
            painter.drawText(axis.span(row), Qt.AlignmentFlag.AlignCenter, data.note)
        return
    limits, within = data.limits(), data.within()
    box = axis.whole(row, inset)
    columns = int(box.width() * painter.device().devicePixelRatioF())
    if row.kind in ("x", "y", "z"):
        values = binned(tracks.xyz[:, "xyz".index(row.kind)], columns)
        colors = signed_colors(values, limits.position, within.position)
    else:
        turns = row.kind == "rotation"
        values = binned(tracks.rotation if turns else tracks.energy, columns)
        limit = limits.rotation if turns else limits.energy
        neutral = within.rotation if turns else within.energy
        colors = magnitude_colors(np.abs(values), limit, neutral)
    part = min(1.0, len(tracks.rotation) / axis.n_frames)
    box.setWidth(box.width() * part)
    painter.drawImage(box, _strip_image(colors, values))


def _strip_image(colors: Lut, values: Track) -> QImage:
    """One pixel a value, transparent where nothing was measured."""
    rgba = np.zeros((1, len(values), 4), dtype=np.uint8)
    rgba[0, :, :3] = colors
    rgba[0, :, 3] = np.where(np.isfinite(values), 255, 0)
    width = len(values)
    return QImage(rgba.data, width, 1, 4 * width, QImage.Format.Format_RGBA8888).copy()


def _paint_curve(painter: QPainter, row: Row, data: TimelineData, axis: TimeAxis) -> None:
    curve = data.curve
    if curve is None:
        return
    bounds = curve_bounds(curve)
    if bounds is None:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(axis.span(row))
    _paint_value_axis(painter, curve, bounds, row, axis)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for values, pen in ((curve.reference, _reference_pen()), (curve.candidate, _candidate_pen())):
        if values is not None and len(values) == len(curve.times):
            painter.setPen(pen)
            painter.drawPath(_curve_path(curve.times * data.fps, values, bounds, row, axis))
    painter.restore()


def curve_bounds(curve: Curve) -> tuple[float, float] | None:
    """Least and greatest finite value of both tracks."""
    tracks = [t for t in (curve.candidate, curve.reference) if t is not None]
    values = np.concatenate([np.empty(0), *tracks])
    values = values[np.isfinite(values)]
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    # What hardly changes is drawn as a level line: its noise must not look like a motion.
    least = max(_LEAST_SPAN * max(abs(low), abs(high)), 1e-9)
    spare = max(least - (high - low), 0.0) / 2
    return low - spare, high + spare


def _paint_value_axis(
    painter: QPainter, curve: Curve, bounds: tuple[float, float], row: Row, axis: TimeAxis
) -> None:
    """Round values as faint lines, with their figures at the left end of the plot."""
    theme = tokens()
    painter.setFont(mono_font(10))
    for value in value_ticks(*bounds, most=max(int(row.height / 28), 2)):
        y = round(_curve_y(value, bounds, row)) + 0.5
        painter.setPen(QPen(theme.color("line", 0.8), 1))
        painter.drawLine(QPointF(axis.left, y), QPointF(axis.right, y))
        words = f"{value:g} {curve.unit}".rstrip().replace("-", "−")
        top = min(max(y - 14, row.top), row.bottom - 14)
        painter.setPen(theme.color("muted"))
        painter.drawText(QRectF(axis.left + 4, top, 120, 14), int(_LEFT), words)


def value_ticks(low: float, high: float, *, most: int) -> list[float]:
    """Round values between two others, at most ``most`` of them, steps of 1, 2 or 5 times a power of ten."""
    span = high - low
    if not span > 0:
        return []
    decade = 10.0 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 5, 10, 20, 50):
        step = factor * decade
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [round(k * step, 12) for k in range(first, last + 1)]
    return []


def _curve_y(value: float, bounds: tuple[float, float], row: Row) -> float:
    low, high = bounds
    return row.top + 6 + (row.height - 12) * (1 - (value - low) / (high - low))


def _curve_path(
    frames: Track, values: Track, bounds: tuple[float, float], row: Row, axis: TimeAxis
) -> QPainterPath:
    path = QPainterPath()
    pen_up = True
    for frame, value in zip(frames.tolist(), values.tolist(), strict=True):
        if not np.isfinite(value):
            pen_up = True
            continue
        point = QPointF(axis.x(frame), _curve_y(value, bounds, row))
        if pen_up:
            path.moveTo(point)
        else:
            path.lineTo(point)
        pen_up = False
    return path


def _paint_horizon(painter: QPainter, data: TimelineData, rows: tuple[Row, ...], axis: TimeAxis) -> None:
    if data.horizon is None or data.horizon >= data.n_frames:
        return
    x = max(axis.edge(max(data.horizon, 0)), axis.left - 2)
    box = QRectF(x, rows[0].bottom, axis.right - x, rows[-1].bottom - rows[0].bottom)
    painter.fillRect(box, tokens().color("text", 0.05))
    painter.fillRect(box, QBrush(tokens().color("text", 0.10), Qt.BrushStyle.BDiagPattern))
    painter.setPen(QPen(tokens().color("muted"), 1, Qt.PenStyle.DotLine))
    painter.drawLine(QPointF(round(x) + 0.5, box.top()), QPointF(round(x) + 0.5, box.bottom()))


def _paint_departure(painter: QPainter, data: TimelineData, rows: tuple[Row, ...], axis: TimeAxis) -> None:
    if data.departure is None:
        return
    x = round(axis.edge(data.departure)) + 0.5
    painter.setPen(QPen(tokens().color("warning"), 1.4, Qt.PenStyle.DashLine))
    painter.drawLine(QPointF(x, rows[0].bottom), QPointF(x, rows[-1].bottom))
    paint_mark(painter, "triangle", QPointF(x, rows[0].bottom - 6), 9, tokens().color("warning"))


def _paint_loop(painter: QPainter, data: TimelineData, ruler: Row, axis: TimeAxis) -> None:
    start, end = data.loop
    if start is None and end is None:
        return
    left = axis.left if start is None else axis.x(start) - axis.cell / 2
    right = axis.right if end is None else axis.x(end) + axis.cell / 2
    accent = tokens().color("accent")
    painter.fillRect(QRectF(left, ruler.bottom - 3, right - left, 3), tokens().color("accent", 0.45))
    for x, given in ((left, start), (right - 2, end)):
        if given is not None:
            painter.fillRect(QRectF(x, ruler.top + 3, 2, ruler.height - 3), accent)


def paint_playhead(painter: QPainter, x: float, height: float) -> None:
    """The line of the present, with a cap in the ruler."""
    theme = tokens()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    color = theme.color("playhead")
    halo = QColor(theme.background)
    halo.setAlphaF(0.65)
    painter.fillRect(QRectF(x - 2, 0, 4, height), halo)
    painter.fillRect(QRectF(x - 1, 0, 2, height), color)
    cap = QPainterPath()
    cap.moveTo(x - 5, 0)
    cap.lineTo(x + 5, 0)
    cap.lineTo(x + 5, 4)
    cap.lineTo(x, 9)
    cap.lineTo(x - 5, 4)
    cap.closeSubpath()
    painter.fillPath(cap, color)


def paint_read_out(painter: QPainter, at: QPointF, bounds: QRectF, lines: list[str]) -> None:
    """A small card near the mouse, held inside ``bounds``."""
    theme = tokens()
    painter.setFont(mono_font(11))
    metrics = QFontMetricsF(mono_font(11))
    width = max(metrics.horizontalAdvance(line) for line in lines) + 16
    height = 16.0 * len(lines) + 8
    x = at.x() + 12 if at.x() + 12 + width <= bounds.right() else at.x() - 12 - width
    y = min(max(at.y() - height / 2, bounds.top() + 2), bounds.bottom() - height - 2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("line"), 1))
    painter.setBrush(theme.color("raised"))
    painter.drawRoundedRect(QRectF(x, y, width, height), 4, 4)
    for i, line in enumerate(lines):
        painter.setPen(theme.color("text" if i else "muted"))
        painter.drawText(QRectF(x + 8, y + 4 + 16 * i, width - 8, 16), int(_LEFT), line)

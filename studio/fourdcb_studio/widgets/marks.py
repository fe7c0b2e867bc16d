"""The small shapes that tell state and kind without relying on colour."""

from __future__ import annotations

import math
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

Mark = Literal["circle", "ring", "triangle", "diamond", "square", "dot", "cross", "check", "dash"]

SEVERITY_MARKS: dict[str, tuple[Mark, str]] = {
    "error": ("circle", "bad"),
    "warning": ("triangle", "warning"),
    "info": ("ring", "accent"),
}
"""Shape and colour role by severity of a finding."""

CONTACT_MARKS: dict[str, tuple[Mark, str]] = {
    "bounce": ("diamond", "text"),
    "touch": ("square", "muted"),
    "slide": ("dot", "muted"),
}
"""Shape and colour role by kind of a contact event."""

STATE_MARKS: dict[bool | None, tuple[Mark, str]] = {
    True: ("check", "ok"),
    False: ("cross", "bad"),
    None: ("dash", "muted"),
}
"""Shape and colour role of passed, failed and not measured."""


def paint_mark(painter: QPainter, mark: Mark, centre: QPointF, size: float, color: QColor) -> None:
    """Paint ``mark`` about ``centre``, ``size`` px high."""
    r = size / 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(centre)
    if mark in ("cross", "check", "dash", "ring", "square"):
        pen = QPen(color, max(1.3, size / 7))
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(_outline(mark, r))
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPath(_solid(mark, r))
    painter.restore()


def _outline(mark: Mark, r: float) -> QPainterPath:
    path = QPainterPath()
    if mark == "ring":
        path.addEllipse(QPointF(0, 0), r * 0.8, r * 0.8)
    elif mark == "square":
        path.addRect(QRectF(-r * 0.75, -r * 0.75, r * 1.5, r * 1.5))
    elif mark == "cross":
        a = r * 0.62
        path.moveTo(-a, -a)
        path.lineTo(a, a)
        path.moveTo(a, -a)
        path.lineTo(-a, a)
    elif mark == "check":
        path.moveTo(-r * 0.75, r * 0.05)
        path.lineTo(-r * 0.2, r * 0.6)
        path.lineTo(r * 0.8, -r * 0.6)
    else:
        path.moveTo(-r * 0.7, 0)
        path.lineTo(r * 0.7, 0)
    return path


def _solid(mark: Mark, r: float) -> QPainterPath:
    path = QPainterPath()
    if mark == "circle":
        path.addEllipse(QPointF(0, 0), r, r)
    elif mark == "dot":
        path.addEllipse(QPointF(0, 0), r * 0.6, r * 0.6)
    elif mark == "triangle":
        h = r * 1.05
        half = h * math.sqrt(3) / 2 * 1.05
        path.addPolygon(QPolygonF([QPointF(0, -h), QPointF(half, h * 0.8), QPointF(-half, h * 0.8)]))
        path.closeSubpath()
    else:
        a = r * 1.1
        path.addPolygon(QPolygonF([QPointF(0, -a), QPointF(a, 0), QPointF(0, a), QPointF(-a, 0)]))
        path.closeSubpath()
    return path

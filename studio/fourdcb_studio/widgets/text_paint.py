"""Wrapping of text into a few lines for widgets that paint themselves."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextLayout


def wrapped(text: str, font: QFont, width: float, most: int) -> list[str]:
    """``text`` in at most ``most`` lines of ``width`` px; the last one ends in … where more would follow."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    starts: list[tuple[int, int]] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 8.0))
        starts.append((line.textStart(), line.textLength()))
    layout.endLayout()
    lines = [text[start : start + length].rstrip() for start, length in starts[:most]]
    if len(starts) > most:
        rest = text[starts[most - 1][0] :]
        lines[-1] = QFontMetricsF(font).elidedText(rest, Qt.TextElideMode.ElideRight, width)
    return lines or [""]


def paint_lines(painter: QPainter, lines: Sequence[str], font: QFont, at: QPointF, height: float) -> float:
    """Paint lines downwards from ``at``, ``height`` px each; returns the bottom."""
    painter.setFont(font)
    for i, line in enumerate(lines):
        box = QRectF(at.x(), at.y() + i * height, 4096, height)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, line)
    return at.y() + len(lines) * height

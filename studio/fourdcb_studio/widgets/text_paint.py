"""Wrapping of text into a few lines for widgets that paint themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import east_asian_width

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextLayout, QTextOption


def short_words(text: str, most: int = 24) -> str:
    """The text with its longest words cut in their middle, such as names of bodies; blanks stay as they are.

    Args:
        most: columns of a word; a Chinese sign takes two.
    """
    return re.sub(r"\S+", lambda word: _shortened(word[0], most), text)


def _shortened(word: str, most: int) -> str:
    columns = [2 if east_asian_width(sign) in "WF" else 1 for sign in word]
    if sum(columns) <= most:
        return word
    head, used = 0, 0
    while used + columns[head] <= most // 2:
        used += columns[head]
        head += 1
    tail = len(word)
    while used + columns[tail - 1] < most:
        tail -= 1
        used += columns[tail]
    return f"{word[:head]}…{word[tail:]}"


def wrapped(text: str, font: QFont, width: float, most: int) -> list[str]:
    """``text`` in at most ``most`` lines of ``width`` px; the last one ends in … where more would follow."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)  # a long name has no blanks
    layout.setTextOption(option)
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

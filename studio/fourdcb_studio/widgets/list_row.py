"""What the rows of lists have in common: their ground, and the room beside them."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QStyle

from fourdcb_studio.theme import tokens


def reserve_scroll_bar(area: QAbstractScrollArea) -> None:
    """Keep the bar's room, so that rows keep their width; its handle is seen only where there is more."""
    bar = area.verticalScrollBar()
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    bar.rangeChanged.connect(lambda low, high: bar.setEnabled(high > low))
    bar.setEnabled(bar.maximum() > bar.minimum())


def paint_ground(painter: QPainter, box: QRectF, state: QStyle.StateFlag) -> str:
    """Paint the row's ground and return the colour role of the surface."""
    theme = tokens()
    surface = "panel"
    if state & QStyle.StateFlag.State_Selected:
        surface = "selected"
    elif state & QStyle.StateFlag.State_MouseOver:
        surface = "hover"
    if surface != "panel":
        painter.fillRect(box, theme.color(surface))
    if surface == "selected":
        painter.fillRect(QRectF(box.left(), box.top(), 2, box.height()), theme.color("accent"))
    if state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(QPen(theme.color("accent"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    return surface

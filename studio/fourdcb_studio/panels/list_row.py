"""The ground of a list's row: selected, under the mouse, with the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle

from fourdcb_studio.theme import tokens


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

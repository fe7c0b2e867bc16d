"""What lies over the 3D view, flat: names, the selected body's outline, the world's axes, notes."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from fourdcb.arrays import F64
from fourdcb.words import chosen
from fourdcb_studio.theme import note_font, tokens
from fourdcb_studio.views.space.layers import Placed, SpaceState
from fourdcb_studio.views.space.paint import Stage, grid_step, paint_axes


def paint_overlay(painter: QPainter, state: SpaceState, stage: Stage, *, note: str) -> None:
    """Paint it; ``note`` stands at the upper left, after the selected body's name."""
    theme = tokens()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_axes(painter, state.eye, QPointF(48, stage.height - 48))
    painter.setFont(note_font())
    painter.setPen(theme.color("muted"))
    right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    step = chosen().say("studio.space.step", step=grid_step(0.6 * state.eye.distance))
    painter.drawText(QRectF(0, stage.height - 28, stage.width - 12, 20), right, step)
    placed = state.ghosts() | state.solid()
    if "names" in state.layers:
        taken: list[QRectF] = []
        for one in placed.values():
            _paint_name(painter, one, stage, taken)
    if state.selected in placed:
        _outline(painter, placed[state.selected], stage)
    painter.setFont(note_font())
    painter.setPen(theme.color("text"))
    painter.drawText(QRectF(12, 8, stage.width - 24, 20), int(Qt.AlignmentFlag.AlignVCenter), state.selected)
    if note:
        painter.setPen(theme.color("muted"))
        painter.drawText(QRectF(12, 8, stage.width - 24, 20), right, note)


def _corners(placed: Placed, stage: Stage) -> F64 | None:
    """Where a body's vertices lie on the screen [px], shape (V, 2); None behind the eye."""
    body, position, rotation = placed
    local = stage.eye.eye_points(body.solid.vertices @ rotation.T + position)
    if (local[:, 2] <= stage.eye.near()).any():
        return None
    return stage.screen(local)


def _outline(painter: QPainter, placed: Placed, stage: Stage) -> None:
    points = _corners(placed, stage)
    if points is None:
        return
    low, high = points.min(axis=0) - 4, points.max(axis=0) + 4
    painter.setPen(QPen(tokens().color("accent"), 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(*low.tolist(), *(high - low).tolist()), 4, 4)


def _paint_name(painter: QPainter, placed: Placed, stage: Stage, taken: list[QRectF]) -> None:
    """Over the body, higher where another name is; the place is added to ``taken``."""
    points = _corners(placed, stage)
    if points is None:
        return
    name, metrics = placed[0].name, painter.fontMetrics()
    middle, top = float(np.mean(points[:, 0])), float(points[:, 1].min())
    width = metrics.horizontalAdvance(name) + 10
    box = QRectF(middle - width / 2, top - 22, width, 18)
    while any(box.intersects(other) for other in taken):
        box.translate(0, -20)
    taken.append(box)
    ground = QColor(tokens().panel)
    ground.setAlphaF(0.82)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(tokens().color("text"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)

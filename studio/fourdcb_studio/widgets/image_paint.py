"""Painting of one image in its cell: crisp when zoomed in, smooth when out, with label, badge, message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from fourdcb_studio.theme import GRID, note_font, text_font, tokens
from fourdcb_studio.widgets.marks import paint_mark

MessageKind = Literal["empty", "loading", "error"]
BadgeRole = Literal["plain", "warning", "bad"]
CRISP_FROM = 3.0
"""Widget px per image px from which single pixels are shown as squares."""


@dataclass(frozen=True, slots=True)
class Message:
    """Words in the place of an image: a title and what it means or what to do."""

    kind: MessageKind
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Badge:
    """A word at the upper right of an image, such as ``full · fresh``."""

    text: str
    role: BadgeRole = "plain"


def qimage(rgb: NDArray[np.uint8]) -> QImage:
    """A QImage that owns its pixels. Raises ValueError unless uint8, shape (H, W, 3)."""
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.size == 0:
        raise ValueError(f"an image must be uint8 of shape (H, W, 3), got {rgb.dtype} {rgb.shape}")
    height, width, _ = rgb.shape
    data = np.ascontiguousarray(rgb)
    view = QImage(data.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return view.convertToFormat(QImage.Format.Format_RGB32)


def paint_image(painter: QPainter, image: QImage, target: QRectF, clip: QRectF) -> None:
    """Paint ``image`` over ``target``, shown only inside ``clip``."""
    shown = target.intersected(clip)
    if shown.isEmpty():
        return
    scale = target.width() / image.width()
    painter.save()
    painter.setClipRect(clip)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < CRISP_FROM)
    painter.drawImage(target, image)
    painter.restore()


def round_corners(painter: QPainter, shown: QRectF, surround: QColor, radius: float = GRID) -> None:
    """Cover the corners of ``shown`` so that it looks rounded; smoother than clipping to a path."""
    corners = QPainterPath()
    corners.addRect(shown.adjusted(-0.5, -0.5, 0.5, 0.5))
    inside = QPainterPath()
    inside.addRoundedRect(shown, radius, radius)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(surround)
    painter.drawPath(corners.subtracted(inside))
    painter.restore()


def paint_label(painter: QPainter, shown: QRectF, text: str, *, right: bool = False) -> None:
    """The name of an image in its upper left corner (or right), readable on any picture."""
    if not text:
        return
    font = note_font(weight=QFont.Weight.DemiBold)
    metrics = QFontMetricsF(font)
    width = metrics.horizontalAdvance(text) + 2 * GRID
    x = shown.right() - GRID - width if right else shown.left() + GRID
    box = QRectF(x, shown.top() + GRID, width, 22)
    _chip(painter, box, QColor(12, 14, 18, 165))
    painter.setFont(font)
    painter.setPen(QColor("#ffffff"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def paint_badge(painter: QPainter, shown: QRectF, badge: Badge | None) -> None:
    """The badge in the upper right corner of an image."""
    if badge is None or not badge.text:
        return
    metrics = QFontMetricsF(note_font())
    width = metrics.horizontalAdvance(badge.text) + 2 * GRID
    box = QRectF(shown.right() - width - GRID, shown.top() + GRID, width, 22)
    ink = {"plain": "#e6e9ef", "warning": "#f2b84b", "bad": "#ff8a80"}[badge.role]
    _chip(painter, box, QColor(12, 14, 18, 190))
    painter.setFont(note_font())
    painter.setPen(QColor(ink))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, badge.text)


def _chip(painter: QPainter, box: QRectF, fill: QColor) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawRoundedRect(box, 4, 4)


def paint_message(painter: QPainter, cell: QRectF, message: Message) -> None:
    """A quiet card with words, where there is no image."""
    theme = tokens()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme.color("line"))
    painter.setBrush(theme.color("panel"))
    painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), GRID, GRID)
    _paint_message_sign(painter, QPointF(cell.center().x(), cell.center().y() - 34), message.kind)
    inner = cell.adjusted(2 * GRID, 0, -2 * GRID, 0)
    title = QRectF(inner.left(), cell.center().y() - 14, inner.width(), 20)
    painter.setFont(text_font(weight=QFont.Weight.DemiBold))
    painter.setPen(theme.color("bad" if message.kind == "error" else "text"))
    painter.drawText(title, Qt.AlignmentFlag.AlignCenter, message.title)
    painter.setFont(note_font())
    painter.setPen(theme.color("muted"))
    below = QRectF(inner.left(), title.bottom() + 4, inner.width(), cell.bottom() - title.bottom() - 12)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    painter.drawText(below, int(flags), message.detail)


def _paint_message_sign(painter: QPainter, centre: QPointF, kind: MessageKind) -> None:
    theme = tokens()
    if kind == "error":
        paint_mark(painter, "cross", centre, 18, theme.color("bad"))
    elif kind == "loading":
        for i in range(3):
            offset = QPointF((i - 1) * 12, 0)
            paint_mark(painter, "circle", centre + offset, 6, theme.color("muted", 1.0 - 0.25 * i))
    else:
        paint_mark(painter, "dash", centre, 18, theme.color("muted"))


def paint_edge(painter: QPainter, start: QPointF, end: QPointF) -> None:
    """The line between two images that are wiped over each other."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for color, width in ((QColor(0, 0, 0, 110), 3.5), (QColor("#ffffff"), 1.5)):
        painter.setPen(QPen(color, width))
        painter.drawLine(start, end)


def paint_grip(painter: QPainter, at: QPointF) -> None:
    """The dot on a wipe's edge."""
    painter.setPen(QPen(QColor(0, 0, 0, 110), 1))
    painter.setBrush(QColor("#ffffff"))
    painter.drawEllipse(at, 5, 5)


def paint_pixel_mark(painter: QPainter, target: QRectF, scale: float, pixel: tuple[int, int]) -> None:
    """A frame about a pixel of the image that lies over ``target``, seen at any zoom."""
    box = QRectF(target.x() + pixel[0] * scale, target.y() + pixel[1] * scale, scale, scale)
    grow = max(0.0, 5 - scale / 2)
    box.adjust(-grow, -grow, grow, grow)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(0, 0, 0, 150), 3))
    painter.drawRect(box)
    painter.setPen(QPen(QColor("#ffffff"), 1))
    painter.drawRect(box)

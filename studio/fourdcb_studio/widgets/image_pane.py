"""One image with a label and a badge, fitted into the widget; for thumbnails, dialogs and exports."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb_studio.theme import tokens
from fourdcb_studio.widgets.image_paint import (
    Badge,
    Message,
    paint_badge,
    paint_image,
    paint_label,
    paint_message,
    qimage,
    round_corners,
)
from fourdcb_studio.widgets.image_transform import ViewTransform


class ImagePane(QWidget):
    """Shows one uint8 image, or words in its place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image: QImage | None = None
        self._label = ""
        self._badge: Badge | None = None
        self._message = Message("empty", "No image")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def set_image(self, rgb: NDArray[np.uint8] | None, label: str = "", badge: str = "") -> None:
        """Show ``rgb``, uint8, shape (H, W, 3), or the message when None."""
        self._image = None if rgb is None else qimage(rgb)
        self._label = label
        self._badge = Badge(badge) if badge else None
        self.update()

    def set_message(self, message: Message) -> None:
        """Words that stand in the place of a missing image."""
        self._message = message
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(256, 256)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        cell = QRectF(self.rect())
        if self._image is None:
            paint_message(painter, cell, self._message)
            return
        target = ViewTransform().target(cell, self._image.width(), self._image.height())
        paint_image(painter, self._image, target, cell)
        round_corners(painter, target, tokens().color("background"))
        paint_label(painter, target, self._label)
        paint_badge(painter, target, self._badge)

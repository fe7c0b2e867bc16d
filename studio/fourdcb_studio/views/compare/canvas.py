"""Paints images beside or over each other, or their difference; a subclass sets what is painted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import tokens
from fourdcb_studio.views.compare.difference import color_difference, laid_over, map_colors
from fourdcb_studio.views.compare.difference_bar import paint_difference_bar
from fourdcb_studio.views.compare.edges import edge_image
from fourdcb_studio.views.compare.layout import LABELS, MESSAGES, Cell, Source, cells, label_of
from fourdcb_studio.views.compare.look import CompareLook
from fourdcb_studio.views.compare.outline import paint_outline
from fourdcb_studio.widgets.image_paint import (
    Badge,
    Message,
    paint_badge,
    paint_edge,
    paint_grip,
    paint_image,
    paint_label,
    paint_message,
    paint_pixel_mark,
    qimage,
    round_corners,
)
from fourdcb_studio.widgets.image_transform import ViewTransform


class CompareCanvas(QWidget):
    """Images, names, badges, outlines and the look, painted in the look's cells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arrays: dict[Source, NDArray[np.uint8] | None] = dict.fromkeys(LABELS)
        self._images: dict[Source, QImage | None] = dict.fromkeys(LABELS)
        self._badges: dict[Source, Badge] = {}
        self._messages: dict[Source, Message] = dict(MESSAGES)
        self._outlines: dict[Source, QPainterPath | None] = {}
        self._bold: dict[Source, QPainterPath | None] = {}
        self._look = CompareLook()
        self._own_difference = True
        self._error_map: NDArray[np.floating] | None = None
        self._edges: QImage | None = None
        self._edges_of: NDArray[np.uint8] | None = None  # whose edges they are
        self._blink_second = False
        self._pixel: tuple[int, int] = (-1, -1)

    def _size(self) -> tuple[int, int]:
        for source in ("reference", "candidate", "before"):
            image = self._images[source]
            if image is not None:
                return image.width(), image.height()
        return 256, 256

    def _cells(self) -> tuple[Cell, ...]:
        width, height = self._size()
        return cells(self._look.mode, QRectF(self.rect()), width / height)

    def _toned(self, rgb: NDArray[np.uint8] | None) -> QImage | None:
        return None if rgb is None else qimage(self._look.tone.apply(rgb))

    def _difference_image(self) -> QImage | None:
        image = self._images["difference"]
        reference, candidate = self._arrays["reference"], self._arrays["candidate"]
        if image is not None or not self._own_difference or reference is None or candidate is None:
            return image
        if reference.shape != candidate.shape:
            return None
        look = self._look
        measured = self._error_map
        if look.measure == "color":
            measured = color_difference(reference, candidate, signed=look.is_signed)
        if measured is None or measured.shape != reference.shape[:2]:
            return None
        colors = map_colors(measured, look.limit, signed=look.is_signed)
        if look.base != "none":
            base = look.tone.apply(reference if look.base == "reference" else candidate)
            colors = laid_over(base, colors, measured, limit=look.limit, opacity=look.opacity)
        image = self._images["difference"] = qimage(colors)
        return image

    # Painting

    def _shown(self, cell: QRectF) -> QRectF:
        return self._look.view.target(cell, *self._size()).intersected(cell)

    def _image(self, source: Source) -> QImage | None:
        return self._difference_image() if source == "difference" else self._images[source]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), tokens().color("background"))
        for cell in self._cells():
            if cell.rect.intersects(QRectF(event.rect())):
                self._paint_cell(painter, cell)

    def _paint_cell(self, painter: QPainter, cell: Cell) -> None:
        sources = cell.sources
        if self._look.mode == "blink":
            sources = (sources[1] if self._blink_second else sources[0],)
        if self._look.held and sources != ("difference",):
            sources = ("reference",)
        if len(sources) == 2:
            self._paint_wipe(painter, cell.rect, sources)
            return
        self._paint_one(painter, cell.rect, sources[0], cell.rect)
        self._paint_corners(painter, cell.rect, sources[0])
        if self._image(sources[0]) is not None:
            shown = self._shown(cell.rect)
            self._paint_outlines(painter, cell.rect)
            paint_label(painter, shown, self._label(sources[0]))
            paint_badge(painter, shown, self._badges.get(sources[0]))
            if sources[0] == "difference":
                paint_difference_bar(painter, shown, ends=_ends(self._look), signed=self._look.is_signed)
            self._paint_pixel_mark(painter, cell.rect)

    def _paint_one(self, painter: QPainter, cell: QRectF, source: Source, clip: QRectF) -> None:
        image = self._image(source)
        if image is None:
            painter.save()
            painter.setClipRect(clip)
            paint_message(painter, cell, self._messages[source])
            painter.restore()
            return
        target = self._look.view.target(cell, *self._size())
        # Another shape than the original's keeps its proportions inside the same frame.
        aspect = image.width() / image.height()
        if abs(aspect - target.width() / target.height()) > 1e-3:
            target = ViewTransform().target(target, image.width(), image.height())
        paint_image(painter, image, target, clip)
        original = self._arrays["reference"]
        if self._look.edges and source in ("candidate", "before") and original is not None:
            if self._edges_of is not original:
                self._edges, self._edges_of = edge_image(original), original
            assert self._edges is not None
            paint_image(painter, self._edges, self._look.view.target(cell, *self._size()), clip)

    def _paint_corners(self, painter: QPainter, cell: QRectF, source: Source) -> None:
        if self._image(source) is not None:
            round_corners(painter, self._shown(cell), tokens().color("background"))

    def _paint_wipe(self, painter: QPainter, cell: QRectF, sources: tuple[Source, ...]) -> None:
        shown = self._shown(cell)
        edge = shown.left() + self._look.wipe * shown.width()
        left, right = QRectF(cell), QRectF(cell)
        left.setRight(edge)
        right.setLeft(edge)
        middle = shown.top() + self._look.wipe_y * shown.height() if self._wipes_three(sources) else None
        self._paint_one(painter, cell, sources[0], left)
        if middle is not None:
            lower = QRectF(right)
            lower.setTop(middle)
            right.setBottom(middle)
            self._paint_one(painter, cell, "before", lower)
        self._paint_one(painter, cell, sources[1], right)
        if any(self._image(s) is not None for s in sources):
            round_corners(painter, shown, tokens().color("background"))
        self._paint_outlines(painter, cell)
        paint_label(painter, shown, self._label(sources[0]))
        if middle is None:
            paint_label(painter, shown, self._label(sources[1]), right=True)
        else:
            paint_label(painter, shown, tr("After"), right=True)
            under = QRectF(edge, middle, shown.right() - edge, shown.bottom() - middle)
            paint_label(painter, under, LABELS["before"], right=True)
            paint_edge(painter, QPointF(edge, middle), QPointF(shown.right() - 1, middle))
        paint_edge(painter, QPointF(edge, shown.top()), QPointF(edge, shown.bottom()))
        paint_grip(painter, QPointF(edge, shown.center().y() if middle is None else middle))

    def _wipes_three(self, sources: tuple[Source, ...]) -> bool:
        """Original at the left, the replay after the edit above the one before it at the right."""
        return sources == ("reference", "candidate") and self._images["before"] is not None

    def _label(self, source: Source) -> str:
        usual = label_of(source, self._look.mode)
        return self._look.names.get(source, usual) if usual == LABELS[source] else usual

    def _paint_outlines(self, painter: QPainter, cell: QRectF) -> None:
        target = self._look.view.target(cell, *self._size())
        for source, original in (("reference", True), ("candidate", False)):
            for paths, bold in ((self._outlines, False), (self._bold, True)):
                path = paths.get(source)  # type: ignore[call-overload]
                if path is None:
                    continue
                paint_outline(
                    painter, path, target, self._size()[0], self._shown(cell), original=original, bold=bold
                )

    def _paint_pixel_mark(self, painter: QPainter, cell: QRectF) -> None:
        if self._pixel[0] >= 0:
            width, height = self._size()
            target = self._look.view.target(cell, width, height)
            paint_pixel_mark(painter, target, target.width() / width, self._pixel)


def _ends(look: CompareLook) -> tuple[str, str]:
    """Words at the ends of the difference's bar."""
    limit = f"{look.limit:.3g}"
    if look.measure == "color":
        return (f"−{look.limit:.0f}", f"+{look.limit:.0f}") if look.signed else ("0", f"{look.limit:.0f}")
    return "0", f"{limit} px" if look.measure == "flow" else limit

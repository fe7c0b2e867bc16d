"""Original, replay, the replay before the edit and their difference, in one view with locked pan and zoom."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QHideEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb_studio.theme import tokens
from fourdcb_studio.widgets.compare_layout import (
    LABELS,
    Cell,
    CompareMode,
    Source,
    cells,
    is_wipe,
    label_of,
)
from fourdcb_studio.widgets.difference import difference_picture
from fourdcb_studio.widgets.difference_bar import paint_difference_bar
from fourdcb_studio.widgets.image_paint import (
    Badge,
    BadgeRole,
    Message,
    paint_badge,
    paint_edge,
    paint_grip,
    paint_image,
    paint_label,
    paint_message,
    qimage,
    round_corners,
)
from fourdcb_studio.widgets.image_pane import ImagePane as ImagePane
from fourdcb_studio.widgets.image_transform import ViewTransform
from fourdcb_studio.widgets.outline import outline_path, paint_outline

_BLINK_MS = 500
_MESSAGES: dict[Source, Message] = {
    "reference": Message("empty", "No original", "Open a video, or a scene folder that holds one."),
    "candidate": Message("empty", "No replay", "Open a candidate script to replay it."),
    "before": Message("empty", "Nothing to compare with yet", "Save the script or take a snapshot."),
    "difference": Message("empty", "No difference", "It needs the original and the replay in one size."),
}


class CompareView(QWidget):
    """Paints the images of one moment in one of six modes.

    Wheel zooms at the mouse, drag pans, double click fits. In the wipe modes the edge follows the mouse.

    Signals:
        hovered(x, y): image pixel of the original (or of what there is) under the mouse, (-1, -1) outside.
        wipe_moved(x): place of the edge, 0 … 1 of the image shown.
        zoom_changed(scale): widget px per image px.
    """

    hovered = Signal(int, int)
    wipe_moved = Signal(float)
    zoom_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arrays: dict[Source, NDArray[np.uint8] | None] = dict.fromkeys(LABELS)
        self._images: dict[Source, QImage | None] = dict.fromkeys(LABELS)
        self._badges: dict[Source, Badge] = {}
        self._messages: dict[Source, Message] = dict(_MESSAGES)
        self._names: dict[Source, str] = {}
        self._outlines: dict[Source, QPainterPath | None] = {}
        self._mode: CompareMode = "side"
        self._view = ViewTransform()
        self._wipe, self._wipe_y = 0.5, 0.5
        self._gain = 4.0
        self._signed = True
        self._own_difference = True
        self._blink_second = False
        self._held = False
        self._pixel: tuple[int, int] = (-1, -1)
        self._drag: QPointF | None = None
        self._blink = QTimer(self)
        self._blink.setInterval(_BLINK_MS)
        self._blink.timeout.connect(self._toggle_blink)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)
        self.setAccessibleName("Images")

    # What is shown

    def set_sources(
        self,
        reference: NDArray[np.uint8] | None = None,
        candidate: NDArray[np.uint8] | None = None,
        before: NDArray[np.uint8] | None = None,
        difference: NDArray[np.uint8] | None = None,
    ) -> None:
        """The images of this moment, each uint8, shape (H, W, 3), or None.

        Without ``difference`` it is made here from original and replay, with gain and sign.
        """
        self._own_difference = difference is None
        given: dict[Source, NDArray[np.uint8] | None] = {
            "reference": reference,
            "candidate": candidate,
            "before": before,
            "difference": difference,
        }
        for source, rgb in given.items():
            if rgb is not self._arrays[source] or (source == "difference" and self._own_difference):
                self._arrays[source] = rgb
                self._images[source] = None if rgb is None else qimage(rgb)
        self.update()

    def set_mode(self, mode: CompareMode) -> None:
        """Switch the mode; zoom and place stay."""
        self._mode = mode
        self._blink_second = False
        self._run_blink()
        self.zoom_changed.emit(self.scale())
        self.update()

    def mode(self) -> CompareMode:
        """The mode in force."""
        return self._mode

    def set_wipe(self, x: float) -> None:
        """Place of the wipe's edge, 0 … 1, without a signal."""
        self._wipe = min(max(x, 0.0), 1.0)
        self.update()

    def set_gain(self, gain: float) -> None:
        """How much the difference is amplified. Raises ValueError unless above 0."""
        if not gain > 0:
            raise ValueError(f"gain must be above 0, got {gain}")
        self._gain = gain
        self._forget_difference()

    def set_signed(self, signed: bool) -> None:
        """Signed (brighter or darker) or absolute difference."""
        self._signed = signed
        self._forget_difference()

    def set_badge(self, source: Source, text: str, role: BadgeRole = "plain") -> None:
        """The word at the upper right of a source, such as ``full · fresh``; empty removes it."""
        self._badges[source] = Badge(text, role)
        self.update()

    def set_message(self, source: Source, message: Message | None) -> None:
        """Words in the place of a missing image; None restores the usual ones."""
        self._messages[source] = message or _MESSAGES[source]
        self.update()

    def set_names(self, names: Mapping[Source, str]) -> None:
        """What the sources are called instead of their usual names."""
        self._names = dict(names)
        self.update()

    def set_outline(self, source: Source, instances: NDArray[np.int16] | None) -> None:
        """Outlines of a source's bodies over all images, from the body under each pixel, shape (H, W)."""
        self._outlines[source] = None if instances is None else outline_path(instances)
        self.update()

    def hold_reference(self, held: bool) -> None:
        """While held, the original stands in the replay's place."""
        self._held = held
        self.update()

    # The view

    def scale(self) -> float:
        """Widget px per image px."""
        cell = self._cells()[0]
        return self._view.scale_in(cell.rect, *self._size())

    def fit(self) -> None:
        """Show whole images."""
        self._set_view(ViewTransform())

    def actual_size(self) -> None:
        """One image px per widget px, about the present centre."""
        self._set_view(ViewTransform(1.0, self._view.centre))

    def zoom_by(self, factor: float) -> None:
        """Zoom about the middle."""
        cell = self._cells()[0].rect
        self._set_view(self._view.zoomed(factor, cell.center(), cell, *self._size()))

    def view(self) -> ViewTransform:
        """Zoom and centre."""
        return self._view

    def cell_rects(self) -> tuple[QRectF, ...]:
        """Where the images lie [px]."""
        return tuple(c.rect for c in self._cells())

    def sizeHint(self) -> QSize:
        return QSize(860, 430)

    def _set_view(self, view: ViewTransform) -> None:
        self._view = view
        self.zoom_changed.emit(self.scale())
        self.update()

    def _size(self) -> tuple[int, int]:
        for source in ("reference", "candidate", "before"):
            image = self._images[source]
            if image is not None:
                return image.width(), image.height()
        return 256, 256

    def _cells(self) -> tuple[Cell, ...]:
        width, height = self._size()
        return cells(self._mode, QRectF(self.rect()), width / height)

    def _cell_at(self, at: QPointF) -> Cell | None:
        return next((c for c in self._cells() if c.rect.contains(at)), None)

    # Difference and blink

    def _forget_difference(self) -> None:
        if self._own_difference:
            self._images["difference"] = None
        self.update()

    def _difference_image(self) -> QImage | None:
        image = self._images["difference"]
        reference, candidate = self._arrays["reference"], self._arrays["candidate"]
        if image is not None or not self._own_difference or reference is None or candidate is None:
            return image
        if reference.shape != candidate.shape:
            return None
        image = qimage(difference_picture(reference, candidate, gain=self._gain, signed=self._signed))
        self._images["difference"] = image
        return image

    def _toggle_blink(self) -> None:
        self._blink_second = not self._blink_second
        self.update()

    def _run_blink(self) -> None:
        if self._mode == "blink" and self.isVisible():
            self._blink.start()
        else:
            self._blink.stop()

    def showEvent(self, event: QShowEvent) -> None:
        self._run_blink()

    def hideEvent(self, event: QHideEvent) -> None:
        self._blink.stop()

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._drag = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._drag is not None:
            step = at - self._drag
            self._drag = at
            cell = self._cells()[0].rect
            self._set_view(self._view.panned(step.x(), step.y(), cell, *self._size()))
        elif is_wipe(self._mode):
            self._follow_wipe(at)
        self._set_pixel(self._pixel_at(at))

    def wheelEvent(self, event: QWheelEvent) -> None:
        cell = self._cell_at(event.position())
        if cell is None:
            return
        factor = 1.2 ** (event.angleDelta().y() / 120)
        self._set_view(self._view.zoomed(factor, event.position(), cell.rect, *self._size()))
        event.accept()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._set_pixel(self._pixel_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._set_pixel((-1, -1))

    def _follow_wipe(self, at: QPointF) -> None:
        shown = self._shown(self._cells()[0].rect)
        if shown.width() <= 0:
            return
        self._wipe_y = min(max((at.y() - shown.top()) / max(shown.height(), 1.0), 0.0), 1.0)
        self.set_wipe((at.x() - shown.left()) / shown.width())
        self.wipe_moved.emit(self._wipe)

    def _pixel_at(self, at: QPointF) -> tuple[int, int]:
        cell = self._cell_at(at)
        if cell is None:
            return -1, -1
        width, height = self._size()
        x, y = self._view.image_point(at, cell.rect, width, height)
        return (int(x), int(y)) if 0 <= x < width and 0 <= y < height else (-1, -1)

    def _set_pixel(self, pixel: tuple[int, int]) -> None:
        if pixel != self._pixel:
            self._pixel = pixel
            self.hovered.emit(*pixel)
            self.update()

    # Painting

    def _shown(self, cell: QRectF) -> QRectF:
        return self._view.target(cell, *self._size()).intersected(cell)

    def _image(self, source: Source) -> QImage | None:
        return self._difference_image() if source == "difference" else self._images[source]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens().color("background"))
        for cell in self._cells():
            self._paint_cell(painter, cell)

    def _paint_cell(self, painter: QPainter, cell: Cell) -> None:
        sources = cell.sources
        if self._mode == "blink":
            sources = (sources[1] if self._blink_second else sources[0],)
        if self._held and sources != ("difference",):
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
                paint_difference_bar(painter, shown, limit=255 / self._gain, signed=self._signed)
            self._paint_pixel_mark(painter, cell.rect)

    def _paint_one(self, painter: QPainter, cell: QRectF, source: Source, clip: QRectF) -> None:
        image = self._image(source)
        if image is None:
            painter.save()
            painter.setClipRect(clip)
            paint_message(painter, cell, self._messages[source])
            painter.restore()
            return
        target = self._view.target(cell, *self._size())
        # Another shape than the original's keeps its proportions inside the same frame.
        aspect = image.width() / image.height()
        if abs(aspect - target.width() / target.height()) > 1e-3:
            target = ViewTransform().target(target, image.width(), image.height())
        paint_image(painter, image, target, clip)

    def _paint_corners(self, painter: QPainter, cell: QRectF, source: Source) -> None:
        if self._image(source) is not None:
            round_corners(painter, self._shown(cell), tokens().color("background"))

    def _paint_wipe(self, painter: QPainter, cell: QRectF, sources: tuple[Source, ...]) -> None:
        shown = self._shown(cell)
        edge = shown.left() + self._wipe * shown.width()
        left, right = QRectF(cell), QRectF(cell)
        left.setRight(edge)
        right.setLeft(edge)
        middle = shown.top() + self._wipe_y * shown.height() if self._wipes_three(sources) else None
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
            paint_label(painter, shown, "After", right=True)
            under = QRectF(edge, middle, shown.right() - edge, shown.bottom() - middle)
            paint_label(painter, under, LABELS["before"], right=True)
            paint_edge(painter, QPointF(edge, middle), QPointF(shown.right() - 1, middle))
        paint_edge(painter, QPointF(edge, shown.top()), QPointF(edge, shown.bottom()))
        paint_grip(painter, QPointF(edge, shown.center().y() if middle is None else middle))

    def _wipes_three(self, sources: tuple[Source, ...]) -> bool:
        """Original at the left, the replay after the edit above the one before it at the right."""
        return sources == ("reference", "candidate") and self._images["before"] is not None

    def _label(self, source: Source) -> str:
        usual = label_of(source, self._mode)
        return self._names.get(source, usual) if usual == LABELS[source] else usual

    def _paint_outlines(self, painter: QPainter, cell: QRectF) -> None:
        target = self._view.target(cell, *self._size())
        for source, original in (("reference", True), ("candidate", False)):
            path = self._outlines.get(source)  # type: ignore[call-overload]
            if path is not None:
                paint_outline(painter, path, target, self._size()[0], self._shown(cell), original=original)

    def _paint_pixel_mark(self, painter: QPainter, cell: QRectF) -> None:
        if self._pixel[0] < 0:
            return
        width, height = self._size()
        target = self._view.target(cell, width, height)
        s = target.width() / width
        box = QRectF(target.x() + self._pixel[0] * s, target.y() + self._pixel[1] * s, s, s)
        grow = max(0.0, 5 - s / 2)
        box.adjust(-grow, -grow, grow, grow)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(0, 0, 0, 150), 3))
        painter.drawRect(box)
        painter.setPen(QPen(QColor("#ffffff"), 1))
        painter.drawRect(box)

"""Original, replay, the replay before the edit and their difference, in one view with locked pan and zoom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QHideEvent,
    QImage,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from fourdcb.words import tr
from fourdcb_studio.session.comparison import Base, Measure
from fourdcb_studio.views.compare.canvas import CompareCanvas
from fourdcb_studio.views.compare.layout import (
    MESSAGES,
    Cell,
    CompareMode,
    Source,
    is_wipe,
)
from fourdcb_studio.views.compare.look import CompareLook
from fourdcb_studio.views.compare.outline import outline_path
from fourdcb_studio.views.compare.tone import Tone
from fourdcb_studio.widgets.image_paint import (
    Badge,
    BadgeRole,
    Message,
)
from fourdcb_studio.widgets.image_transform import ViewTransform

_BLINK_MS = 500


class CompareView(CompareCanvas):
    """Paints the images of one moment in one of six modes.

    Wheel zooms at the mouse, drag pans, double click fits. In the wipe modes the edge follows the mouse.

    Signals:
        hovered(x, y): image pixel of the original (or of what there is) under the mouse, (-1, -1) outside.
        clicked(source, x, y): an image pixel was clicked, without a drag, of that source.
        wipe_moved(x): place of the edge, 0 … 1 of the image shown.
        zoom_changed(scale): widget px per image px.
    """

    hovered = Signal(int, int)
    clicked = Signal(str, int, int)
    wipe_moved = Signal(float)
    zoom_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drag: QPointF | None = None
        self._pressed: QPointF | None = None
        self._blink = QTimer(self)
        self._blink.setInterval(_BLINK_MS)
        self._blink.timeout.connect(self._toggle_blink)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)
        self.setAccessibleName(tr("Images"))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # what lies behind is not painted first

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
        size = self._size()
        for source, rgb in given.items():
            if rgb is self._arrays[source]:
                continue
            self._arrays[source] = rgb
            self._images[source] = self._toned(rgb)
            if self._own_difference:
                self._images["difference"] = None
            self._update_source(source)
        if self._size() != size:  # other proportions: every cell lies elsewhere
            self.zoom_changed.emit(self.scale())
            self.update()

    def _update_source(self, source: Source) -> None:
        """Paint again only where a source is seen: while a slider moves only the replay changes."""
        seen = {"candidate": {"candidate", "difference"}, "reference": {"reference", "difference"}}
        for cell in self._cells():
            if (
                self._look.held
                or not seen.get(source, {source}).isdisjoint(cell.sources)
                or len(cell.sources) > 1
            ):
                self.update(cell.rect.toAlignedRect())

    def look(self) -> CompareLook:
        """How the images are looked at now."""
        return self._look

    def set_look(self, look: CompareLook) -> None:
        """Look at them in this way from now on."""
        toned = look.tone != self._look.tone
        self._look = look
        if toned:
            for source in ("reference", "candidate", "before"):
                self._images[source] = self._toned(self._arrays[source])
        self._forget_difference()
        self.set_mode(look.mode)

    def set_tone(self, tone: Tone) -> None:
        """Range and channel of the pictures; the difference stays that of their values."""
        self.set_look(replace(self._look, tone=tone))

    def shown_images(self) -> list[QImage]:
        """The pictures that the mode shows, at their own pixels, from left to right."""
        sources = dict.fromkeys(source for cell in self._cells() for source in cell.sources)
        return [image for image in map(self._image, sources) if image is not None]

    def set_blink(self, second: bool) -> None:
        """Which of the two pictures that blink is shown."""
        self._blink_second = second
        self.update()

    def set_mode(self, mode: CompareMode) -> None:
        """Switch the mode; zoom and place stay."""
        self._look = replace(self._look, mode=mode)
        self._blink_second = False
        self._run_blink()
        self.zoom_changed.emit(self.scale())
        self.update()

    def mode(self) -> CompareMode:
        """The mode in force."""
        return self._look.mode

    def set_wipe(self, x: float) -> None:
        """Place of the wipe's edge, 0 … 1, without a signal."""
        self._look = replace(self._look, wipe=min(max(x, 0.0), 1.0))
        self.update()

    def set_gain(self, gain: float) -> None:
        """How much the difference is amplified. Raises ValueError unless above 0."""
        if not gain > 0:
            raise ValueError(f"gain must be above 0, got {gain}")
        self._look = replace(self._look, gain=gain)
        self._forget_difference()

    def set_signed(self, signed: bool) -> None:
        """Signed (brighter or darker) or absolute difference."""
        self._look = replace(self._look, signed=signed)
        self._forget_difference()

    def set_edges(self, shown: bool) -> None:
        """Whether the edges of the original lie over the replay."""
        if shown != self._look.edges:
            self._look = replace(self._look, edges=shown)
            self.update()

    def set_measure(self, measure: Measure, base: Base, opacity: float) -> None:
        """What the difference is of, what it lies over and how much of that it covers."""
        self._look = replace(self._look, measure=measure, base=base, opacity=opacity)
        self._forget_difference()

    def set_error_map(self, errors: NDArray[np.floating] | None) -> None:
        """The errors at each pixel, shape (H, W), for every measure but that of colours."""
        self._error_map = errors
        self._forget_difference()

    def set_badge(self, source: Source, text: str, role: BadgeRole = "plain") -> None:
        """The word at the upper right of a source, such as ``full · fresh``; empty removes it."""
        badge = Badge(text, role)
        if badge != self._badges.get(source):
            self._badges[source] = badge
            self._update_source(source)

    def set_message(self, source: Source, message: Message | None) -> None:
        """Words in the place of a missing image; None restores the usual ones."""
        message = message or MESSAGES[source]
        if message != self._messages[source]:
            self._messages[source] = message
            self._update_source(source)

    def set_names(self, names: Mapping[Source, str]) -> None:
        """What the sources are called instead of their usual names."""
        self._look = replace(self._look, names=dict(names))
        self.update()

    def set_outline(
        self, source: Source, instances: NDArray[np.int16] | None, *, selected: int | None = None
    ) -> None:
        """Outlines of a source's bodies over all images, from the body under each pixel, shape (H, W).

        Args:
            selected: the body whose outline is bolder, None for none.
        """
        self._outlines[source] = None if instances is None else outline_path(instances)
        bold = instances is not None and selected is not None
        self._bold[source] = outline_path(np.where(instances == selected, 0, -1)) if bold else None
        self.update()

    def outlined(self, source: Source) -> tuple[bool, bool]:
        """Whether outlines of a source's bodies lie over the images, and a bold one of the selected body."""
        return self._outlines.get(source) is not None, self._bold.get(source) is not None

    def hold_reference(self, held: bool) -> None:
        """While held, the original stands in the replay's place."""
        self._look = replace(self._look, held=held)
        self.update()

    # The view

    def scale(self) -> float:
        """Widget px per image px."""
        cell = self._cells()[0]
        return self._look.view.scale_in(cell.rect, *self._size())

    def fit(self) -> None:
        """Show whole images."""
        self._set_view(ViewTransform())

    def actual_size(self) -> None:
        """One image px per widget px, about the present centre."""
        self._set_view(ViewTransform(1.0, self._look.view.centre))

    def zoom_by(self, factor: float) -> None:
        """Zoom about the middle."""
        cell = self._cells()[0].rect
        self._set_view(self._look.view.zoomed(factor, cell.center(), cell, *self._size()))

    def view(self) -> ViewTransform:
        """Zoom and centre."""
        return self._look.view

    def cell_rects(self) -> tuple[QRectF, ...]:
        """Where the images lie [px]."""
        return tuple(c.rect for c in self._cells())

    def sizeHint(self) -> QSize:
        return QSize(860, 430)

    def _set_view(self, view: ViewTransform) -> None:
        self._look = replace(self._look, view=view)
        self.zoom_changed.emit(self.scale())
        self.update()

    def _cell_at(self, at: QPointF) -> Cell | None:
        return next((c for c in self._cells() if c.rect.contains(at)), None)

    # Difference and blink

    def _forget_difference(self) -> None:
        if self._own_difference:
            self._images["difference"] = None
        self.update()

    def _toggle_blink(self) -> None:
        self._blink_second = not self._blink_second
        self.update()

    def _run_blink(self) -> None:
        if self._look.mode == "blink" and self.isVisible():
            self._blink.start()
        else:
            self._blink.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.zoom_changed.emit(self.scale())

    def showEvent(self, event: QShowEvent) -> None:
        self._run_blink()

    def hideEvent(self, event: QHideEvent) -> None:
        self._blink.stop()

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._drag = event.position()
        self._pressed = event.position() if event.button() == Qt.MouseButton.LeftButton else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at, pressed = event.position(), self._pressed
        self._drag = self._pressed = None
        if pressed is None or (at - pressed).manhattanLength() >= QApplication.startDragDistance():
            return
        cell, (x, y) = self._cell_at(at), self._pixel_at(at)
        if cell is not None and x >= 0:
            source = cell.sources[0] if len(cell.sources) == 1 else "candidate"
            self.clicked.emit(source, x, y)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._drag is not None:
            step = at - self._drag
            self._drag = at
            cell = self._cells()[0].rect
            self._set_view(self._look.view.panned(step.x(), step.y(), cell, *self._size()))
        elif is_wipe(self._look.mode):
            self._follow_wipe(at)
        self._set_pixel(self._pixel_at(at))

    def wheelEvent(self, event: QWheelEvent) -> None:
        cell = self._cell_at(event.position())
        if cell is None:
            return
        factor = 1.2 ** (event.angleDelta().y() / 120)
        self._set_view(self._look.view.zoomed(factor, event.position(), cell.rect, *self._size()))
        event.accept()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._set_pixel(self._pixel_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._set_pixel((-1, -1))

    def _follow_wipe(self, at: QPointF) -> None:
        shown = self._shown(self._cells()[0].rect)
        if shown.width() <= 0:
            return
        y = min(max((at.y() - shown.top()) / max(shown.height(), 1.0), 0.0), 1.0)
        self._look = replace(self._look, wipe_y=y)
        self.set_wipe((at.x() - shown.left()) / shown.width())
        self.wipe_moved.emit(self._look.wipe)

    def _pixel_at(self, at: QPointF) -> tuple[int, int]:
        cell = self._cell_at(at)
        if cell is None:
            return -1, -1
        width, height = self._size()
        x, y = self._look.view.image_point(at, cell.rect, width, height)
        return (int(x), int(y)) if 0 <= x < width and 0 <= y < height else (-1, -1)

    def _set_pixel(self, pixel: tuple[int, int]) -> None:
        if pixel != self._pixel:
            self._pixel = pixel
            self.hovered.emit(*pixel)
            self.update()

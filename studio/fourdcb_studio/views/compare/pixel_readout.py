"""Under the images: the same pixel in all of them, depth, object, and the quality of the frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import GRID, mono_font, note_font, tokens

Rgb = Sequence[int]
_HINTS = {
    "images": tr("Move over an image to read its pixels"),
    "plots": tr("Drag to move, scroll to zoom in time, double-click for the whole clip, click to seek"),
    "space": tr("Drag to orbit, scroll to zoom, click a body to choose it"),
    "script": tr("Ctrl+Return replays the text"),
}
_KEYS = tr("N next finding  ·  Ctrl+Return apply its value  ·  Ctrl+E export report  ·  ? all keys")


@dataclass(frozen=True, slots=True)
class PixelValues:
    """What lies under the mouse; None where there is nothing to read. ``depth`` in m."""

    x: int
    y: int
    reference: Rgb | None = None
    candidate: Rgb | None = None
    depth: float | None = None
    object: str | None = None

    def parts(self, original: str = tr("original"), replay: str = tr("replay")) -> list[tuple[str, str]]:
        """(label, figures) from left to right, under the names of the images; figures keep their width."""
        parts = [("x", f"{self.x:>4}"), ("y", f"{self.y:>4}")]
        if self.reference is not None:
            parts.append((original, _rgb(self.reference)))
        if self.candidate is not None:
            parts.append((replay, _rgb(self.candidate)))
        if self.reference is not None and self.candidate is not None:
            delta = [int(b) - int(a) for a, b in zip(self.reference, self.candidate, strict=True)]
            parts.append(("Δ", " ".join(f"{d:>+4}" for d in delta).replace("-", "−")))
        if self.depth is not None:
            parts.append((tr("depth"), f"{self.depth:.3f} m"))
        if self.object:
            parts.append((tr("object"), self.object))
        return parts


class PixelReadout(QWidget):
    """One line of labelled figures; what does not fit at the right is left out, never cut."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: PixelValues | None = None
        self._quality: list[tuple[str, str]] = []
        self._names = (tr("original"), tr("replay"))
        self._hint, self._has_keys = _HINTS["images"], False
        self.setFixedHeight(3 * GRID)

    def set_pixel(self, values: PixelValues | None) -> None:
        """Show a pixel; None shows the hint."""
        self._values = values
        self.update()

    def set_key_hints(self, shown: bool) -> None:
        """Whether the line names the keys that come next while no pixel is read."""
        self._has_keys = shown
        self.update()

    def set_view(self, view: str) -> None:
        """What stands above: ``images``, ``space`` or ``script``. Raises KeyError for another word."""
        self._hint = _HINTS[view]
        self.update()

    def set_names(self, original: str, replay: str) -> None:
        """What the two images are called."""
        usual = {tr("Original"): tr("original"), tr("Replay"): tr("replay")}
        self._names = (usual.get(original, original), usual.get(replay, replay))
        self.update()

    def set_quality(self, psnr: float | None, ssim: float | None) -> None:
        """PSNR [dB] and SSIM of the frame shown; None leaves one out."""
        self._quality = [("PSNR", f"{psnr:.1f} dB")] if psnr is not None else []
        if ssim is not None:
            self._quality.append(("SSIM", f"{ssim:.3f}"))
        self.update()

    def text(self) -> str:
        """The pixel's figures as plain text, for the clipboard."""
        if self._values is None:
            return ""
        return "  ".join(f"{label} {figures.strip()}" for label, figures in self._values.parts(*self._names))

    def sizeHint(self) -> QSize:
        return QSize(480, 3 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        right = self.width() - sum(_width(p) for p in self._quality) + 2 * GRID
        x = right
        for part in self._quality:
            x = _paint_part(painter, part, x, self.height())
        if self._values is None:
            painter.setFont(note_font())
            painter.setPen(tokens().color("muted"))
            own = self._hint == _HINTS["script"]  # there Ctrl+Return means the text
            text = f"{self._hint}  ·  {_KEYS}" if self._has_keys and not own else self._hint
            fits = painter.fontMetrics().horizontalAdvance(text) <= right - 2 * GRID
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter), text if fits else self._hint)
            return
        x = 0.0
        for part in self._values.parts(*self._names):
            if x + _width(part) > right:
                break
            x = _paint_part(painter, part, x, self.height())


def _rgb(values: Rgb) -> str:
    return " ".join(f"{int(v):>3}" for v in values)


def _width(part: tuple[str, str]) -> float:
    label = QFontMetricsF(note_font()).horizontalAdvance(part[0])
    return label + QFontMetricsF(mono_font()).horizontalAdvance(part[1]) + 6 + 2 * GRID


def _paint_part(painter: QPainter, part: tuple[str, str], x: float, height: int) -> float:
    for text, font, role, gap in ((part[0], note_font(), "muted", 6), (part[1], mono_font(), "text", 16)):
        painter.setFont(font)
        painter.setPen(tokens().color(role))
        width = QFontMetricsF(font).horizontalAdvance(text)
        painter.drawText(QRectF(x, 0, width + 2, height), int(Qt.AlignmentFlag.AlignVCenter), text)
        x += width + gap
    return x

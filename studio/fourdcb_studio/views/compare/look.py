"""How the images are looked at, as one value: it goes to an export unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from fourdcb_studio.session.comparison import Base, Measure
from fourdcb_studio.theme import tokens
from fourdcb_studio.views.compare.layout import CompareMode, Source
from fourdcb_studio.views.compare.tone import Tone
from fourdcb_studio.widgets.image_transform import ViewTransform

_WIDEST: Mapping[Measure, float] = {"color": 255.0, "ssim": 1.0, "flow": 16.0}
"""Ends of the maps at a gain of 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareLook:
    """Everything that decides how given images are painted.

    Attributes:
        mode: how they are arranged.
        view: zoom and centre.
        wipe, wipe_y: place of the wipe's edges, 0 … 1 of the image shown.
        gain, signed, measure: of the difference.
        base, opacity: what it lies over, and how much of that it covers.
        held: the original stands in the replay's place.
        edges: those of the original lie over the replay.
        names: what sources are called instead of their usual names.
        tone: range and channel.
    """

    mode: CompareMode = "side"
    view: ViewTransform = ViewTransform()
    wipe: float = 0.5
    wipe_y: float = 0.5
    gain: float = 4.0
    signed: bool = True
    measure: Measure = "color"
    base: Base = "none"
    opacity: float = 0.8
    held: bool = False
    edges: bool = False
    names: Mapping[Source, str] = field(default_factory=dict)
    tone: Tone = Tone()

    @property
    def is_signed(self) -> bool:
        """Whether the difference has a sign: only that of colours has."""
        return self.signed and self.measure == "color"

    @property
    def limit(self) -> float:
        """Where the difference's map ends: 8-bit levels, 1 - similarity, px of flow."""
        return _WIDEST[self.measure] / self.gain


def picture_of(widget: QWidget, cells: tuple[QRectF, ...], ratio: float) -> QImage:
    """What ``widget`` paints in its cells, without the margins around them; even in width and height.

    Args:
        ratio: device px per widget px.
    """
    area = cells[0]
    for cell in cells[1:]:
        area = area.united(cell)
    box = area.toAlignedRect().intersected(widget.rect())
    size = _even(QSize(round(box.width() * ratio), round(box.height() * ratio)))
    image = QImage(size, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(tokens().color("background"))
    painter = QPainter(image)
    flags = QWidget.RenderFlag.DrawChildren
    widget.render(painter, QPoint(0, 0), QRegion(box), flags)
    painter.end()
    return image


def _even(size: QSize) -> QSize:
    """The next even size: what the common video formats need."""
    return QSize(size.width() + size.width() % 2, size.height() + size.height() % 2)


def beside_each_other(images: list[QImage]) -> QImage:
    """Pictures at their own pixels in a row, without names or marks."""
    width, height = sum(i.width() for i in images), max(i.height() for i in images)
    row = QImage(QSize(width, height), QImage.Format.Format_RGB32)
    row.fill(Qt.GlobalColor.black)
    painter = QPainter(row)
    x = 0
    for image in images:
        painter.drawImage(QRect(x, 0, image.width(), image.height()), image)
        x += image.width()
    painter.end()
    return row

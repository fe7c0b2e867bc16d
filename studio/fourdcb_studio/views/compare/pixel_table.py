"""The same pixel of every picture, line by line: colour, depth, body, normal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb.conventions import linear_from_srgb
from fourdcb.words import tr
from fourdcb_studio.theme import GRID, mono_font, note_font, tokens

_ROW = 20
_COLUMNS = (
    ("", 64),
    ("", 20),
    ("R", 48),
    ("G", 48),
    ("B", 48),
    (tr("depth m"), 64),
    (tr("normal"), 148),
    (tr("object"), 92),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelRow:
    """One picture's pixel; None where nothing is known.

    Attributes:
        rgb: sRGB levels 0 … 255.
        depth: along the camera's axis [m].
        normal: unit vector of the surface in the world.
        object: name of the body.
    """

    name: str
    rgb: tuple[int, int, int] | None
    depth: float | None = None
    normal: tuple[float, float, float] | None = None
    object: str = ""

    def figures(self, *, linear: bool) -> list[str]:
        """The cells after name and swatch."""
        if self.rgb is None:
            color = ["–"] * 3
        elif linear:
            color = [f"{v:.4f}" for v in linear_from_srgb(np.array(self.rgb) / 255.0)]
        else:
            color = [str(v) for v in self.rgb]
        normal = "" if self.normal is None else " ".join(f"{v:+.3f}" for v in self.normal)
        depth = "" if self.depth is None else f"{self.depth:.4f}"
        return [*color, depth, normal.replace("-", "−"), self.object]


def difference_row(first: PixelRow, second: PixelRow, *, linear: bool) -> list[str]:
    """Cells of ``second`` minus ``first``, as :meth:`PixelRow.figures` orders them."""
    if first.rgb is None or second.rgb is None:
        return [""] * 6
    a, b = np.array(first.rgb, dtype=np.float64), np.array(second.rgb, dtype=np.float64)
    delta = linear_from_srgb(b / 255) - linear_from_srgb(a / 255) if linear else b - a
    cells = [(f"{d:+.4f}" if linear else f"{d:+.0f}").replace("-", "−") for d in delta]
    depth = ""
    if first.depth is not None and second.depth is not None:
        depth = f"{second.depth - first.depth:+.4f}".replace("-", "−")
    return [*cells, depth, "", ""]


class PixelTable(QWidget):
    """Rows of figures that keep their places."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[PixelRow, ...] = ()
        self._place = ""
        self._linear = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Pixel values"))

    def set_rows(self, place: str, rows: Sequence[PixelRow]) -> None:
        """Show the pixel at ``place``; without rows a hint."""
        self._place, self._rows = place, tuple(rows)
        self.update()

    def set_linear(self, linear: bool) -> None:
        """Linear light 0 … 1 instead of sRGB levels."""
        self._linear = linear
        self.update()

    def lines(self) -> list[list[str]]:
        """What is shown: name and cells of each row, the difference last."""
        lines = [[row.name, *row.figures(linear=self._linear)] for row in self._rows]
        if len(self._rows) > 1:
            lines.append(["Δ", *difference_row(self._rows[0], self._rows[1], linear=self._linear)])
        return lines

    def sizeHint(self) -> QSize:
        return QSize(sum(width for _, width in _COLUMNS), 5 * _ROW + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), tokens()
        painter.setFont(note_font())
        painter.setPen(theme.color("muted"))
        lefts = [sum(w for _, w in _COLUMNS[:i]) for i in range(len(_COLUMNS))]
        if not self._rows:
            text = tr("Move over an image: its values, depth, body and normal stand here.")
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter), text)
            return
        for (title, width), left in zip(_COLUMNS, lefts, strict=True):
            side = (
                Qt.AlignmentFlag.AlignRight
                if title in ("R", "G", "B", "depth m")
                else Qt.AlignmentFlag.AlignLeft
            )
            gap = 0 if side == Qt.AlignmentFlag.AlignRight else GRID
            painter.drawText(
                QRectF(left + gap, 0, width - gap, _ROW), int(side | Qt.AlignmentFlag.AlignVCenter), title
            )
        painter.drawText(QRectF(0, 0, 96, _ROW), int(Qt.AlignmentFlag.AlignVCenter), self._place)
        for i, cells in enumerate(self.lines()):
            y = (i + 1) * _ROW
            row = self._rows[i] if i < len(self._rows) else None
            self._paint_row(painter, y, cells, row, lefts)

    def _paint_row(
        self, painter: QPainter, y: int, cells: list[str], row: PixelRow | None, lefts: list[int]
    ) -> None:
        theme = tokens()
        painter.setPen(theme.color("muted"))
        painter.setFont(note_font())
        painter.drawText(QRectF(0, y, 64, _ROW), int(Qt.AlignmentFlag.AlignVCenter), cells[0])
        if row is not None and row.rgb is not None:
            painter.fillRect(QRectF(lefts[1] + 4, y + 4, 12, 12), QColor(*row.rgb))
        painter.setFont(mono_font(11))
        painter.setPen(theme.color("text"))
        for column, text in enumerate(cells[1:], start=2):
            title, width = _COLUMNS[column]
            right = title in ("R", "G", "B", "depth m")
            side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            gap = 0 if right else GRID
            box = QRectF(lefts[column] + gap, y, width - gap, _ROW)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
            painter.drawText(box, int(side | Qt.AlignmentFlag.AlignVCenter), shown)

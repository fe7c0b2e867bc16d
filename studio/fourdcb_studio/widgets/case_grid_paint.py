"""Paints a case of the grid: picture, verdict, title, first finding, the four axes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from fourdcb.dataset import CaseEntry
from fourdcb_studio.theme import GRID, mono_font, note_font, text_font, tokens
from fourdcb_studio.widgets.case_grid_model import ENTRY, Index
from fourdcb_studio.widgets.image_paint import paint_image, round_corners
from fourdcb_studio.widgets.image_transform import ViewTransform
from fourdcb_studio.widgets.marks import STATE_MARKS, Mark, paint_mark
from fourdcb_studio.widgets.text_paint import paint_lines, wrapped

VERDICT_MARKS: dict[str, tuple[Mark, str]] = {
    "not_deployable": ("cross", "bad"),
    "deployable": ("check", "ok"),
    "inconclusive": ("dash", "muted"),
    "unreadable": ("triangle", "warning"),
}
"""Shape and colour role of a verdict."""
AXIS_LETTERS = {"geometry": "G", "physics": "P", "material_light": "M", "time": "T"}
_PAD = GRID
_TEXT_HEIGHT = 82  # title, two lines of the finding, axes
_LEAST_WIDTH = 216


def tile_size(width: int) -> QSize:
    """Size of a tile so that a whole number of them fills a row of ``width`` px."""
    columns = max(width // _LEAST_WIDTH, 1)
    wide = width // columns
    return QSize(wide, (wide - 4 * _PAD) // 2 + _TEXT_HEIGHT + 4 * _PAD)


class CaseTileDelegate(QStyledItemDelegate):
    """A tile a case.

    Args:
        picture: the decoded picture of a case, None when there is none yet.
        waits: whether a picture of it is still awaited.
    """

    def __init__(
        self,
        picture: Callable[[str], QImage | None],
        waits: Callable[[str], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._picture, self._waits = picture, waits
        self.opened = ""  # the case on the bench
        self.tile = tile_size(_LEAST_WIDTH)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return self.tile

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: CaseEntry = index.data(ENTRY)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRectF(option.rect).adjusted(_PAD / 2, _PAD / 2, -_PAD / 2, -_PAD / 2)
        surface = _paint_card(painter, card, option.state)
        inner = card.adjusted(_PAD, _PAD, -_PAD, -_PAD)
        image = QRectF(inner.left(), inner.top(), inner.width(), inner.height() - _TEXT_HEIGHT)
        self._paint_picture(painter, entry, image, surface)
        text = QRectF(inner.left(), image.bottom() + 4, inner.width(), inner.bottom() - image.bottom() - 4)
        _paint_words(painter, entry, text)
        _paint_axes(painter, entry, QRectF(text.left(), text.bottom() - 18, text.width(), 18))
        painter.restore()

    def _paint_picture(self, painter: QPainter, entry: CaseEntry, box: QRectF, surface: str) -> None:
        theme = tokens()
        picture = self._picture(entry.id)
        if picture is None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("background"))
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(theme.color("muted"))
            painter.setFont(note_font())
            words = "" if self._waits(entry.id) else "no picture"
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("background"))
            painter.drawRect(box)
            scale = min(box.width() / picture.width(), box.height() / picture.height())
            if abs(scale * picture.width() - box.width()) < 24:  # a hair's breadth at the sides looks wrong
                scale = max(box.width() / picture.width(), box.height() / picture.height())
            target = ViewTransform(scale).target(box, picture.width(), picture.height())
            paint_image(painter, picture, target, box)
            round_corners(painter, box, theme.color(surface), 4)
        if entry.id == self.opened:
            _paint_flag(painter, box, "open")


def _paint_card(painter: QPainter, card: QRectF, state: QStyle.StateFlag) -> str:
    theme = tokens()
    surface, edge = "panel", "line"
    if state & QStyle.StateFlag.State_Selected:
        surface, edge = "selected", "accent"
    elif state & QStyle.StateFlag.State_MouseOver:
        surface = "hover"
    width = 2.0 if edge == "accent" else 1.0
    painter.setPen(QPen(theme.color(edge), width))
    painter.setBrush(theme.color(surface))
    painter.drawRoundedRect(card.adjusted(width / 2, width / 2, -width / 2, -width / 2), GRID, GRID)
    if state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(QPen(theme.color("text"), 1.0, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(card.adjusted(3.5, 3.5, -3.5, -3.5), GRID - 3, GRID - 3)
    return surface


def _paint_flag(painter: QPainter, box: QRectF, word: str) -> None:
    font = note_font(weight=QFont.Weight.DemiBold)
    width = QFontMetricsF(font).horizontalAdvance(word) + 2 * GRID
    flag = QRectF(box.left() + 6, box.top() + 6, width, 20)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens().color("accent"))
    painter.drawRoundedRect(flag, 4, 4)
    painter.setFont(font)
    painter.setPen(tokens().color("on_accent"))
    painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, word)


def _paint_words(painter: QPainter, entry: CaseEntry, box: QRectF) -> None:
    theme = tokens()
    mark, role = VERDICT_MARKS[entry.verdict]
    paint_mark(painter, mark, QPointF(box.left() + 6, box.top() + 10), 10, theme.color(role))
    right = box.right()
    if entry.frame is not None:
        painter.setFont(mono_font())
        painter.setPen(theme.color("muted"))
        width = QFontMetricsF(mono_font()).horizontalAdvance(str(entry.frame))
        right -= width + GRID
        at = QRectF(box.right() - width, box.top(), width + 1, 20)
        painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, str(entry.frame))
    title = text_font(weight=QFont.Weight.Medium)
    painter.setFont(title)
    painter.setPen(theme.color("text"))
    left = box.left() + 18
    shown = QFontMetricsF(title).elidedText(entry.title, Qt.TextElideMode.ElideMiddle, right - left)
    painter.drawText(QRectF(left, box.top(), right - left, 20), Qt.AlignmentFlag.AlignVCenter, shown)
    painter.setPen(theme.color("muted"))
    lines = wrapped(entry.headline, note_font(), box.width(), 2)
    paint_lines(painter, lines, note_font(), QPointF(box.left(), box.top() + 21), 16)


def _paint_axes(painter: QPainter, entry: CaseEntry, row: QRectF) -> None:
    """A mark and a letter an axis at the left, the tags at the right."""
    theme = tokens()
    x, y = row.left() + 6, row.center().y()
    if entry.summary is not None:
        for axis, letter in AXIS_LETTERS.items():
            passed = entry.summary.axes[axis].passed
            mark, role = STATE_MARKS[passed]
            paint_mark(painter, mark, QPointF(x, y), 9, theme.color(role))
            painter.setFont(note_font())
            painter.setPen(theme.color("text" if passed is False else "muted"))
            painter.drawText(
                QRectF(x + 7, row.top(), 14, row.height()), Qt.AlignmentFlag.AlignVCenter, letter
            )
            x += 29
    _paint_tags(painter, entry, QRectF(x, row.top(), row.right() - x, row.height()))


def _paint_tags(painter: QPainter, entry: CaseEntry, room: QRectF) -> None:
    annotation = entry.annotation
    words = [*annotation.tags, *(["✎"] if annotation.note else [])]
    if not words:
        return
    theme, font = tokens(), note_font()
    metrics = QFontMetricsF(font)
    text = metrics.elidedText("  ".join(words), Qt.TextElideMode.ElideRight, room.width() - 12)
    width = metrics.horizontalAdvance(text) + 12
    chip = QRectF(room.right() - width, room.top(), width, room.height())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("track", 0.7))
    painter.drawRoundedRect(chip, 4, 4)
    painter.setFont(font)
    painter.setPen(theme.color("text"))
    painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)

"""Paints a case of the grid: picture, verdict, title, first finding, the four axes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from fourdcb.library import CaseEntry
from fourdcb.metrics.result import AXIS_LETTERS
from fourdcb.words import tr
from fourdcb_studio.theme import GRID, mono_font, note_font, text_font, tokens
from fourdcb_studio.views.library.grid_model import ENTRY, Index
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
_PAD = GRID
_TEXT_HEIGHT = 82  # title, two lines of the finding, axes
_LEAST_WIDTH = 216
_AXES_SIZE = QSize(122, 18)
_MOST_PARTS = 240


def tile_size(width: int) -> QSize:
    """Size of a tile so that a whole number of them fills a row of ``width`` px."""
    columns = max(width // _LEAST_WIDTH, 1)
    wide = width // columns
    return QSize(wide, (wide - 4 * _PAD) // 2 + _TEXT_HEIGHT + 4 * _PAD)


class CaseTileDelegate(QStyledItemDelegate):
    """A tile a case. What tiles have in common is drawn once: grounds, rows of axis marks, scaled pictures.

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
        self._parts = _Parts()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return self.tile

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: CaseEntry = index.data(ENTRY)
        self._parts.prepare(painter)
        card = QRectF(option.rect).adjusted(_PAD / 2, _PAD / 2, -_PAD / 2, -_PAD / 2)
        surface = _surface(option.state)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.drawPixmap(card.topLeft(), self._parts.ground(card.size().toSize(), surface, focused=focused))
        inner = card.adjusted(_PAD, _PAD, -_PAD, -_PAD)
        image = QRectF(inner.left(), inner.top(), inner.width(), inner.height() - _TEXT_HEIGHT)
        self._paint_picture(painter, entry, image, surface)
        text = QRectF(inner.left(), image.bottom() + 4, inner.width(), inner.bottom() - image.bottom() - 4)
        _paint_words(painter, entry, text)
        row = QRectF(text.left(), text.bottom() - _AXES_SIZE.height(), text.width(), _AXES_SIZE.height())
        if entry.summary is not None:
            states = tuple(entry.summary.axes[axis].passed for axis in AXIS_LETTERS)
            painter.drawPixmap(row.topLeft(), self._parts.axes(states))
        _paint_tags(painter, entry, row.adjusted(_AXES_SIZE.width(), 0, 0, 0))

    def _paint_picture(self, painter: QPainter, entry: CaseEntry, box: QRectF, surface: str) -> None:
        picture = self._picture(entry.id)
        if picture is not None:
            painter.drawPixmap(
                box.topLeft(), self._parts.picture(entry.id, picture, box.size().toSize(), surface)
            )
        else:
            theme = tokens()
            painter.fillRect(box, theme.color("background"))
            painter.setPen(theme.color("muted"))
            painter.setFont(note_font())
            words = "" if self._waits(entry.id) else tr("no picture")
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        if entry.id == self.opened:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _paint_flag(painter, box, "open")
            painter.restore()


class _Parts:
    """Drawn pieces of tiles, for one theme and one density of the screen; the oldest ones go."""

    def __init__(self) -> None:
        self._drawn: OrderedDict[object, QPixmap] = OrderedDict()
        self._made_for: tuple[str, float] = ("", 0.0)
        self._ratio = 1.0

    def prepare(self, painter: QPainter) -> None:
        """Forget what was drawn for another theme or screen."""
        self._ratio = painter.device().devicePixelRatioF()
        made_for = (tokens().name, self._ratio)
        if made_for != self._made_for:
            self._made_for = made_for
            self._drawn.clear()

    def ground(self, size: QSize, surface: str, *, focused: bool) -> QPixmap:
        """The card under a tile."""
        key = (size.width(), size.height(), surface, focused)
        return self._part(key, size, lambda p: _paint_ground(p, QRectF(0, 0, *key[:2]), surface, focused))

    def axes(self, states: tuple[bool | None, ...]) -> QPixmap:
        """A mark and a letter for each axis."""
        return self._part(states, _AXES_SIZE, lambda p: _paint_axes(p, states))

    def picture(self, case: str, image: QImage, size: QSize, surface: str) -> QPixmap:
        """A case's picture, scaled and with round corners."""
        key = (case, image.cacheKey(), size.width(), size.height(), surface)
        box = QRectF(0, 0, size.width(), size.height())
        return self._part(key, size, lambda p: _paint_picture(p, image, box, surface))

    def _part(self, key: object, size: QSize, draw: Callable[[QPainter], None]) -> QPixmap:
        found = self._drawn.get(key)
        if found is None:
            found = QPixmap(size * self._ratio)
            found.setDevicePixelRatio(self._ratio)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(painter)
            painter.end()
            self._drawn[key] = found
            while len(self._drawn) > _MOST_PARTS:
                self._drawn.popitem(last=False)
        else:
            self._drawn.move_to_end(key)
        return found


def _surface(state: QStyle.StateFlag) -> str:
    if state & QStyle.StateFlag.State_Selected:
        return "selected"
    return "hover" if state & QStyle.StateFlag.State_MouseOver else "panel"


def _paint_ground(painter: QPainter, card: QRectF, surface: str, focused: bool) -> None:
    theme = tokens()
    edge, width = ("accent", 2.0) if surface == "selected" else ("line", 1.0)
    painter.setPen(QPen(theme.color(edge), width))
    painter.setBrush(theme.color(surface))
    painter.drawRoundedRect(card.adjusted(width / 2, width / 2, -width / 2, -width / 2), GRID, GRID)
    if focused:
        painter.setPen(QPen(theme.color("accent", 0.6), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(card.adjusted(3.5, 3.5, -3.5, -3.5), GRID - 3, GRID - 3)


def _paint_picture(painter: QPainter, picture: QImage, box: QRectF, surface: str) -> None:
    painter.fillRect(box, tokens().color("background"))
    ratios = box.width() / picture.width(), box.height() / picture.height()
    # A hair's breadth at the sides looks wrong: fill, and lose as much of the picture.
    fill = abs(min(ratios) * picture.width() - box.width()) < 24
    target = ViewTransform(max(ratios) if fill else min(ratios)).target(
        box, picture.width(), picture.height()
    )
    paint_image(painter, picture, target, box)
    round_corners(painter, box, tokens().color(surface), 4)


def _paint_axes(painter: QPainter, states: tuple[bool | None, ...]) -> None:
    theme, height = tokens(), _AXES_SIZE.height()
    painter.setFont(note_font())
    for k, (letter, passed) in enumerate(zip(AXIS_LETTERS.values(), states, strict=True)):
        x = 6 + 29 * k
        mark, role = STATE_MARKS[passed]
        paint_mark(painter, mark, QPointF(x, height / 2), 9, theme.color(role))
        painter.setPen(theme.color("text" if passed is False else "muted"))
        painter.drawText(QRectF(x + 7, 0, 14, height), Qt.AlignmentFlag.AlignVCenter, letter)


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
    lines = _lines(entry.headline, box.width())
    paint_lines(painter, lines, note_font(), QPointF(box.left(), box.top() + 21), 16)


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
    painter.fillRect(chip, theme.color("track", 0.7))
    painter.setFont(font)
    painter.setPen(theme.color("text"))
    painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)


@lru_cache(maxsize=1024)
def _lines(text: str, width: float) -> list[str]:
    """The first finding in two lines."""
    return wrapped(text, note_font(), width, 2)

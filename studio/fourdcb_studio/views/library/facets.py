"""The facets of a library: every value with its count and a bar, to be switched on and off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import GRID, mono_font, note_font, section_font, text_font, tokens
from fourdcb_studio.views.library.words import FACET_TITLES, value_title
from fourdcb_studio.widgets.keys import PRESS_KEYS, STEP_KEYS, keeps
from fourdcb_studio.widgets.marks import SEVERITY_MARKS, Mark, paint_mark

_ROW, _HEAD = 26, 34
_SIDE = 2 * GRID
_SHORT = 7  # values of a facet that are shown before "more"
_LEAST = {"scene": 2, "candidate": 2, "template": 2, "object": 2}  # a single value narrows nothing down
_MARKS: dict[tuple[str, str], tuple[Mark, str]] = {
    ("verdict", "not_deployable"): ("cross", "bad"),
    ("verdict", "deployable"): ("check", "ok"),
    ("verdict", "inconclusive"): ("dash", "muted"),
    ("verdict", "unreadable"): ("triangle", "warning"),
    **{("severity", name): mark for name, mark in SEVERITY_MARKS.items()},
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: the head of a facet, one of its values, or the way to more of them."""

    facet: str
    value: str = ""
    count: int = 0
    share: float = 0.0
    on: bool = False
    kind: str = "value"


class FacetList(QWidget):
    """All facets under each other, painted; lies in a scroll area.

    Signals:
        toggled(facet, value): a value was switched.
        current_moved(top, bottom): the row with the keyboard, in px, to be scrolled into sight.
    """

    toggled = Signal(str, str)
    current_moved = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []
        self._counts: Mapping[str, Mapping[str, int]] = {}
        self._chosen: Mapping[str, frozenset[str]] = {}
        self._long: set[str] = set()
        self._hover = self._current = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Facets"))

    def set_counts(
        self, counts: Mapping[str, Mapping[str, int]], chosen: Mapping[str, frozenset[str]]
    ) -> None:
        """Show counts by facet and value, and which values are chosen."""
        self._counts, self._chosen = counts, chosen
        self._arrange()

    def rows(self) -> list[tuple[str, str, int, bool]]:
        """(facet, value, count, chosen) of every value that is shown."""
        return [(r.facet, r.value, r.count, r.on) for r in self._rows if r.kind == "value"]

    def sizeHint(self) -> QSize:
        return QSize(240, sum(_height(row) for row in self._rows) + GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    # -- rows ----------------------------------------------------------------------------------------
    def _arrange(self) -> None:
        kept = self._rows[self._current] if 0 <= self._current < len(self._rows) else None
        self._rows = []
        for facet, values in self._counts.items():
            chosen = self._chosen.get(facet, frozenset())
            if len(values) < _LEAST.get(facet, 1) and not chosen:
                continue
            if facet == "scene" and values == self._counts.get("template"):
                continue  # every scene is its own template
            self._add(facet, values, chosen)
        same = (
            i for i, r in enumerate(self._rows) if kept and (r.facet, r.value) == (kept.facet, kept.value)
        )
        self._current = next(same, -1)
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def _add(self, facet: str, values: Mapping[str, int], chosen: frozenset[str]) -> None:
        most = max(values.values(), default=0) or 1
        rows = [_Row(facet, v, n, n / most, v in chosen) for v, n in values.items()]
        self._rows.append(_Row(facet, kind="head"))
        if len(rows) > _SHORT + 1 and facet not in self._long:
            shown = [row for k, row in enumerate(rows) if k < _SHORT or row.on]
            self._rows += [*shown, _Row(facet, count=len(rows) - len(shown), kind="more")]
        else:
            self._rows += rows
            if len(rows) > _SHORT + 1:
                self._rows.append(_Row(facet, kind=tr("less")))

    def _row_at(self, y: float) -> int:
        top = 0
        for index, row in enumerate(self._rows):
            top += _height(row)
            if y < top:
                return index if row.kind != "head" else -1
        return -1

    def _top(self, index: int) -> int:
        return sum(_height(row) for row in self._rows[:index])

    def _press(self, index: int) -> None:
        row = self._rows[index]
        if row.kind == "value":
            self.toggled.emit(row.facet, row.value)
            return
        self._long ^= {row.facet}
        self._arrange()

    # -- events --------------------------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        return keeps(event, STEP_KEYS | PRESS_KEYS) or super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hover = self._row_at(event.position().y())
        if hover != self._hover:
            self._hover = hover
            self.setCursor(Qt.CursorShape.PointingHandCursor if hover >= 0 else Qt.CursorShape.ArrowCursor)
            self.setToolTip(self._rows[hover].value if hover >= 0 else "")
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._row_at(event.position().y())
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._current = index
            self._press(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        if key in steps:
            self._move(steps[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._current = -1 if key == Qt.Key.Key_Home else len(self._rows)
            self._move(1 if key == Qt.Key.Key_Home else -1)
        elif key in PRESS_KEYS and 0 <= self._current < len(self._rows):
            self._press(self._current)
        else:
            super().keyPressEvent(event)

    def _move(self, step: int) -> None:
        at = self._current
        for _ in range(abs(step)):
            further = at + (1 if step > 0 else -1)
            while 0 <= further < len(self._rows) and self._rows[further].kind == "head":
                further += 1 if step > 0 else -1
            if not 0 <= further < len(self._rows):
                break
            at = further
        if 0 <= at < len(self._rows):
            self._current = at
            self.current_moved.emit(self._top(at), self._top(at) + _ROW)
            self.update()

    # -- painting ------------------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = 0
        for index, row in enumerate(self._rows):
            box = QRectF(0, top, self.width(), _height(row))
            top += _height(row)
            if not box.intersects(QRectF(event.rect())):
                continue
            if row.kind == "head":
                _paint_head(painter, row, box, bool(self._chosen.get(row.facet)))
            else:
                self._paint_row(painter, index, row, box)

    def _paint_row(self, painter: QPainter, index: int, row: _Row, box: QRectF) -> None:
        theme = tokens()
        inside = box.adjusted(GRID, 1, -GRID, -1)
        if row.on or index == self._hover:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected" if row.on else "hover"))
            painter.drawRoundedRect(inside, 4, 4)
        if index == self._current and self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inside.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if row.kind != "value":
            painter.setFont(note_font())
            painter.setPen(theme.color("muted"))
            words = tr("{count} more …", count=row.count) if row.kind == "more" else tr("fewer")
            painter.drawText(inside.adjusted(30, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, words)
            return
        _paint_box(painter, QPointF(inside.left() + 14, inside.center().y()), on=row.on)
        _paint_value(painter, row, inside.adjusted(30, 0, -GRID, 0))


def _height(row: _Row) -> int:
    return _HEAD if row.kind == "head" else _ROW


def _paint_head(painter: QPainter, row: _Row, box: QRectF, narrowed: bool) -> None:
    painter.setFont(section_font())
    painter.setPen(tokens().color("accent" if narrowed else "muted"))
    text = FACET_TITLES[row.facet].upper()
    painter.drawText(box.adjusted(_SIDE, 8, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)


def _paint_box(painter: QPainter, centre: QPointF, *, on: bool) -> None:
    """The tick box of a value."""
    theme = tokens()
    box = QRectF(centre.x() - 6.5, centre.y() - 6.5, 13, 13)
    painter.setPen(QPen(theme.color("accent" if on else "muted"), 1.2))
    painter.setBrush(theme.color("accent") if on else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 3, 3)
    if on:
        paint_mark(painter, "check", centre, 8, theme.color("on_accent"))


def _paint_value(painter: QPainter, row: _Row, box: QRectF) -> None:
    """Its name, its count, and below both a thin bar as long as its share of the largest count."""
    theme = tokens()
    figure = f"{row.count:,}"
    width = QFontMetricsF(mono_font()).horizontalAdvance(figure)
    ink = "text" if row.count else "muted"
    painter.setFont(mono_font())
    painter.setPen(theme.color("muted"))
    at = QRectF(box.right() - width, box.top(), width + 1, box.height() - 3)
    painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, figure)
    left = box.left()
    mark = _MARKS.get((row.facet, row.value))
    if mark is not None:
        paint_mark(painter, mark[0], QPointF(left + 5, box.center().y() - 1.5), 9, theme.color(mark[1]))
        left += 16
    font = text_font(weight=QFont.Weight.Medium) if row.on else text_font()
    room = box.right() - width - GRID - left
    name = QFontMetricsF(font).elidedText(
        value_title(row.facet, row.value), Qt.TextElideMode.ElideMiddle, room
    )
    painter.setFont(font)
    painter.setPen(theme.color(ink))
    painter.drawText(QRectF(left, box.top(), room, box.height() - 3), Qt.AlignmentFlag.AlignVCenter, name)
    bar = QRectF(box.left(), box.bottom() - 3, box.width(), 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("track", 0.6))
    painter.drawRoundedRect(bar, 1, 1)
    if row.count:
        painter.setBrush(theme.color("accent", 1.0 if row.on else 0.65))
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(bar.width() * row.share, 2), 2), 1, 1)

"""A code editor: line numbers, marks at the places of diagnostics, ways to go on with what is typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from fourdcb.errors import Diagnostic
from fourdcb_studio.session.completion import Suggestion, completion
from fourdcb_studio.theme import GRID, mono_font, tokens
from fourdcb_studio.views.script.completion_list import CompletionList
from fourdcb_studio.views.script.highlighter import ScriptHighlighter
from fourdcb_studio.widgets.marks import SEVERITY_MARKS, paint_mark

_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_TAKES = (*_RETURNS, Qt.Key.Key_Tab)
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_COMPLETES_FROM = 2  # letters of a word
Side = Literal["removed", "added"]
_SIDES: Mapping[Side, tuple[str, str, str]] = {
    "removed": ("bad_fill", "bad", "−"), "added": ("ok_fill", "ok", "+")
}  # fmt: skip


class _Gutter(QWidget):
    def __init__(self, editor: CodeEdit) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_gutter(event)


class CodeEdit(QPlainTextEdit):
    """Line numbers count from 1.

    Signals:
        submitted(): Ctrl+Return.
    """

    submitted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("kind", "code")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(mono_font(13))
        self._marks: dict[int, str] = {}
        self._lit: int | None = None
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._stale = False
        self._differing: tuple[frozenset[int], Side] = (frozenset(), "added")
        self._completions = CompletionList(self.viewport())
        self._completions.taken.connect(self._take)
        self._gutter = _Gutter(self)
        self._highlighter = ScriptHighlighter(self.document())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.blockCountChanged.connect(lambda _: self._fit_gutter())
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._update_selections)
        self._fit_gutter()

    def exchange_text(self, text: str) -> None:
        """Another text, as one step that undo takes back; what is the same on both ends stays untouched."""
        old = self.toPlainText()
        head = _common(old, text)
        tail = _common(old[head:][::-1], text[head:][::-1])
        cursor = QTextCursor(self.document())
        cursor.setPosition(_utf16(old[:head]))
        cursor.setPosition(_utf16(old[: len(old) - tail]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[head : len(text) - tail])

    def set_stale(self, stale: bool) -> None:
        """Whether the diagnostics are of an older text: they are greyed then."""
        if stale != self._stale:
            self._stale = stale
            self._update_selections()
            self._gutter.update()

    def set_differing(self, lines: frozenset[int], side: Side) -> None:
        """Lines that another text has not."""
        self._differing = (lines, side)
        self._update_selections()
        self._gutter.update()

    def set_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Underline the places of diagnostics and mark their lines in the margin."""
        self._diagnostics, self._stale = tuple(diagnostics), False
        marks: Mapping[int, str] = {
            d.line: d.severity
            for d in sorted(diagnostics, key=lambda d: d.severity == "error")
            if d.line is not None
        }
        self._marks = dict(marks)
        self._update_selections()
        self._gutter.update()

    def light_line(self, line: int | None) -> None:
        """Light up a line, such as the one of the selected parameter."""
        self._lit = line
        self._update_selections()

    def jump_to(self, line: int, column: int = 1) -> None:
        """Put the cursor at a place, held inside the text, and bring it into the middle."""
        block = self.document().findBlockByNumber(min(max(line, 1), self.blockCount()) - 1)
        cursor = QTextCursor(block)
        cursor.movePosition(
            QTextCursor.MoveOperation.Right,
            QTextCursor.MoveMode.MoveAnchor,
            min(max(column, 1) - 1, max(block.length() - 1, 0)),
        )
        self.setTextCursor(cursor)
        self.centerCursor()

    def position(self) -> tuple[int, int]:
        """(line, column) of the cursor."""
        cursor = self.textCursor()
        return cursor.blockNumber() + 1, cursor.positionInBlock() + 1

    # Keys and ways to go on

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            escapes = event.key() == Qt.Key.Key_Escape and self._completions.isVisible()
            if escapes or (control and event.key() in (*_RETURNS, Qt.Key.Key_Space)):
                event.accept()  # the window's shortcut on it waits
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        key = Qt.Key(event.key())
        if control and key in _RETURNS:
            self._completions.hide()
            self.submitted.emit()
        elif control and key == Qt.Key.Key_Space:
            self.complete(from_nothing=True)
        elif self._completions.isVisible() and self._steers(key):
            return
        else:
            super().keyPressEvent(event)
            typed = event.text()
            if (typed and typed.isprintable()) or self._completions.isVisible():
                self.complete()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._completions.hide()
        super().focusOutEvent(event)

    def completions(self) -> CompletionList:
        """The list of ways to go on."""
        return self._completions

    def complete(self, *, from_nothing: bool = False) -> None:
        """Offer ways to go on with the word at the cursor.

        Args:
            from_nothing: also where nothing is begun.
        """
        cursor = self.textCursor()
        if self.isReadOnly() or cursor.hasSelection():
            self._completions.hide()
            return
        before = self.toPlainText()
        found = completion(before, _index(before, cursor.position()))
        if len(found.begun) < _COMPLETES_FROM and not from_nothing:
            self._completions.hide()
            return
        begin = QTextCursor(cursor)
        begin.setPosition(cursor.position() - _utf16(found.begun))
        place = self.cursorRect(begin)
        self._completions.offer(found.suggestions, QPoint(place.left(), place.bottom() + 4), place.height())

    def _steers(self, key: Qt.Key) -> bool:
        """Whether a key was for the list of ways to go on."""
        if key in _STEPS:
            self._completions.step(_STEPS[key])
        elif key in _TAKES:
            self._take(self._completions.current())
        elif key == Qt.Key.Key_Escape:
            self._completions.hide()
        else:
            return False
        return True

    def _take(self, suggestion: Suggestion | None) -> None:
        self._completions.hide()
        if suggestion is None:
            return
        cursor, text = self.textCursor(), self.toPlainText()
        begun = completion(text, _index(text, cursor.position())).begun
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, _utf16(begun))
        cursor.insertText(suggestion.insert)
        self.setTextCursor(cursor)

    # Margin

    def gutter_width(self) -> int:
        """Width of the margin with marks and line numbers [px]."""
        digits = max(3, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + 4 * GRID

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Paint line numbers and marks."""
        theme = tokens()
        painter = QPainter(self._gutter)
        painter.fillRect(event.rect(), theme.color("background"))
        painter.setFont(self.font())
        current = self.textCursor().blockNumber()
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            line = block.blockNumber() + 1
            painter.setPen(theme.color("text" if line == current + 1 else "muted"))
            box = QRectF(0, top, self._gutter.width() - GRID, height)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, int(right), str(line))
            if line in self._marks:
                mark, role = SEVERITY_MARKS[self._marks[line]]
                color = theme.color("muted" if self._stale else role)
                paint_mark(painter, mark, QPointF(10, top + height / 2), 9, color)
            elif line in self._differing[0]:
                _, role, sign = _SIDES[self._differing[1]]
                painter.setPen(theme.color(role))
                painter.drawText(QRectF(4, top, 12, height), int(Qt.AlignmentFlag.AlignCenter), sign)
            top += height
            block = block.next()

    def _fit_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    def _scroll_gutter(self, rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), self.gutter_width(), area.height()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_highlighter"):
            self._highlighter.refresh()
            self._update_selections()

    # Marks in the text

    def _update_selections(self) -> None:
        differing, side = self._differing
        fill = tokens().color(_SIDES[side][0])
        selections = [self._whole_line(line - 1, fill) for line in sorted(differing)]
        if self.textCursor().blockNumber() + 1 not in differing:
            selections.append(self._whole_line(self.textCursor().blockNumber(), tokens().color("raised")))
        if self._lit is not None:
            selections.append(self._whole_line(self._lit - 1, tokens().color("selected")))
        selections += [s for d in self._diagnostics if (s := self._underline(d)) is not None]
        self.setExtraSelections(selections)

    def _whole_line(self, number: int, color: QColor) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        selection.format.setBackground(color)
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        selection.cursor = QTextCursor(self.document().findBlockByNumber(number))
        return selection

    def _underline(self, diagnostic: Diagnostic) -> QTextEdit.ExtraSelection | None:
        if diagnostic.line is None or diagnostic.line > self.blockCount():
            return None
        block = self.document().findBlockByNumber(diagnostic.line - 1)
        cursor = QTextCursor(block)
        start = min((diagnostic.column or 1) - 1, max(block.length() - 2, 0))
        cursor.setPosition(block.position() + start)
        word = re.match(r"[\w.]+|.", block.text()[start:])
        length = len(word[0]) if word else 1
        end = min(block.position() + start + length, block.position() + block.length() - 1)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        role = "bad" if diagnostic.severity == "error" else "warning"
        role = "muted" if self._stale else role
        selection.format.setUnderlineColor(tokens().color(role))
        selection.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        selection.cursor = cursor
        return selection


def _utf16(text: str) -> int:
    """Length of a text as the document counts it: in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def _index(text: str, position: int) -> int:
    """Number of characters before a position of the document."""
    return len(text.encode("utf-16-le")[: 2 * position].decode("utf-16-le", errors="ignore"))


def _common(a: str, b: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))

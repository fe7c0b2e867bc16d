"""A code editor: line numbers, colours of a world script, marks at the places of diagnostics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from fourdcb.errors import Diagnostic
from fourdcb_studio.theme import GRID, mono_font, tokens
from fourdcb_studio.widgets.marks import SEVERITY_MARKS, paint_mark

_KEYWORDS = "and|as|def|elif|else|False|for|from|if|import|in|is|not|None|or|return|True|while|lambda"
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("number", re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\b")),
    ("keyword", re.compile(rf"\b(?:{_KEYWORDS})\b")),
    ("thing", re.compile(r"\b[A-Z]\w*(?=\s*\()")),
    ("argument", re.compile(r"\b[a-z_]\w*(?=\s*=(?!=))")),
    ("string", re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")),
)
_ROLES = {
    "number": "warning",
    "keyword": "axis_x",
    "thing": "accent",
    "argument": "text",
    "string": "ok",
    "comment": "muted",
}
_STRING_OR_COMMENT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|#.*")


class ScriptHighlighter(QSyntaxHighlighter):
    """Colours numbers, things, strings and comments of one line at a time."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats = _formats()

    def refresh(self) -> None:
        """Take the colours of the theme in force."""
        self._formats = _formats()
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for kind, pattern in _RULES:
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), self._formats[kind])
        for match in _STRING_OR_COMMENT.finditer(text):
            if match[0].startswith("#"):
                self.setFormat(match.start(), len(text) - match.start(), self._formats["comment"])


def _formats() -> dict[str, QTextCharFormat]:
    formats = {}
    for kind, role in _ROLES.items():
        formats[kind] = QTextCharFormat()
        formats[kind].setForeground(tokens().color(role))
    formats["thing"].setFontWeight(QFont.Weight.DemiBold)
    formats["comment"].setFontItalic(True)
    return formats


class _Gutter(QWidget):
    def __init__(self, editor: CodeEdit) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_gutter(event)


class CodeEdit(QPlainTextEdit):
    """Line numbers count from 1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("kind", "code")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(mono_font(13))
        self._marks: dict[int, str] = {}
        self._lit: int | None = None
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._gutter = _Gutter(self)
        self._highlighter = ScriptHighlighter(self.document())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.blockCountChanged.connect(lambda _: self._fit_gutter())
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._update_selections)
        self._fit_gutter()

    def set_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Underline the places of diagnostics and mark their lines in the margin."""
        self._diagnostics = tuple(diagnostics)
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
                paint_mark(painter, mark, QPointF(10, top + height / 2), 9, theme.color(role))
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
        selections = [self._whole_line(self.textCursor().blockNumber(), tokens().color("raised"))]
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
        selection.format.setUnderlineColor(tokens().color(role))
        selection.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        selection.cursor = cursor
        return selection

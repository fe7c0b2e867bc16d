"""The colours of a world script."""

from __future__ import annotations

import re

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from fourdcb_studio.theme import tokens

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

"""Script text: decoding, code blocks in Markdown, lines and columns, spans of syntax nodes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from fourdcb.errors import UserError

_NEWLINE = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+.-]*)[^`\r\n]*$")
_PYTHON = ("", "python", "py", "python3")
MAX_FILE_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Location:
    """1-based place in a script."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """A script's text with its line table.

    Attributes:
        code: the Python text.
        filename: shown in diagnostics.
        first_line: line of the file at which ``code`` begins (a code block inside Markdown).
    """

    code: str
    filename: str
    first_line: int = 1
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0, *(match.end() for match in _NEWLINE.finditer(self.code))]
        object.__setattr__(self, "_starts", starts)

    def location(self, node: ast.AST) -> Location:
        """Place of a node in the file."""
        return self.locate(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def locate(self, line: int, byte_column: int) -> Location:
        """Place of a parser position (1-based line, 0-based UTF-8 column)."""
        column = self._offset(line, byte_column) - self._starts[min(line, len(self._starts)) - 1]
        return Location(line + self.first_line - 1, column + 1)

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Start and end of a node as character offsets into ``code``."""
        end_line = node.end_lineno or node.lineno
        end_column = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def segment(self, node: ast.expr) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.code[start:end]

    def _offset(self, line: int, byte_column: int) -> int:
        start = self._starts[min(line, len(self._starts)) - 1]
        # The parser counts UTF-8 bytes; a character has at least one, so this prefix is long enough.
        prefix = self.code[start : start + byte_column].encode("utf-8", "surrogatepass")[:byte_column]
        return start + len(prefix.decode("utf-8", "ignore"))


def read_source(path: Path) -> str:
    """Text of a script file (UTF-8, a byte order mark is dropped, line ends are kept).

    Raises:
        UserError: when the file is missing, is no file, is too large or is not UTF-8.
    """
    where = str(path)
    try:
        if not path.is_file():
            raise UserError("no such script", where=where, hint="give the path of a world script (.py)")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UserError("the script is too large", where=where, got=f"{size} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise UserError("the script cannot be read", where=where, got=error.strerror or str(error)) from error
    return decode_source(data, where=where)


def decode_source(data: bytes, *, where: str) -> str:
    """Text of a script's bytes. Raises UserError when they are not UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError("the script is UTF-16", where=where, expected="UTF-8", hint="save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            "the script is not UTF-8 text",
            where=where,
            got=f"byte 0x{data[error.start]:02x} at {error.start}",
        ) from error


def extract_code(source: str) -> tuple[str, int] | None:
    """The first Python code block of a Markdown text.

    Returns:
        (code, line of the text at which it begins), or None when the text has no fence. A fence that is
        never closed runs to the end.
    """
    blocks = _fenced_blocks(source)
    if not blocks:
        return None
    chosen = next((block for block in blocks if block[0] in _PYTHON), blocks[0])
    return chosen[1], chosen[2]


def _fenced_blocks(source: str) -> list[tuple[str, str, int]]:
    blocks: list[tuple[str, str, int]] = []
    opened: tuple[str, str, int] | None = None  # fence mark, language, first code line
    body: list[str] = []
    for number, line in enumerate(source.splitlines(keepends=True), start=1):
        match = _FENCE.match(line.rstrip("\r\n"))
        if opened is None:
            if match:
                opened, body = (match["mark"], match["language"].lower(), number + 1), []
        elif match and match["mark"].startswith(opened[0]) and not match["language"]:
            blocks.append((opened[1], "".join(body), opened[2]))
            opened = None
        else:
            body.append(line)
    if opened is not None:
        blocks.append((opened[1], "".join(body), opened[2]))
    return blocks

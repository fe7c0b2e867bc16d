"""Script text: decoding, lines and columns, spans of syntax nodes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from fourdcb.errors import UserError

_NEWLINE = re.compile(r"\r\n|\r|\n")
_SCRIPT_HINT = "give the path of a world script (.py)"
BOM = "\ufeff"
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
        cuts: characters that are missing at the beginning of each line (the indent of a list); () for none.
    """

    code: str
    filename: str
    first_line: int = 1
    cuts: tuple[int, ...] = ()
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
        cut = self.cuts[line - 1] if 0 < line <= len(self.cuts) else 0
        return Location(line + self.first_line - 1, column + cut + 1)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
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
        if path.is_dir():
            raise UserError("a folder was given where a script is needed", where=where, hint=_SCRIPT_HINT)
        if not path.is_file():
            raise UserError("no such script", where=where, hint=_SCRIPT_HINT)
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

"""The world script inside a chat model's answer: code blocks in Markdown, code between lines of prose."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from fourdcb.dsl.budget import Budget
from fourdcb.dsl.grammar import why_too_large

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+.-]*)[^`\r\n]*$")
_PYTHON = ("", "python", "py", "python3")
_CODE_LINE = re.compile(
    r"""\s*(?: \#
      | (?:from|import) \s+ [\w.]+ (?: \s+ (?:import|as) \s | \s* $ )
      | def \s+ \w+ \( | (?:if|for) \s .* : \s* $
      | [\])}]
      | [\w.\[\]"']+ \s* [-+*/]? = [^=]
      | (?:World|Object|Plane|Light|DirectionalLight|PointLight|AreaLight|Camera|print|world\.\w+) \(
    )""",
    re.VERBOSE,
)
MAX_PROSE_CUTS = 12
MAX_PROSE_LENGTH = 64 * 1024


@dataclass(frozen=True, slots=True)
class Extract:
    """Code taken out of a longer text.

    Attributes:
        first_line: line of the text at which the code begins.
        note: what was done, for a warning.
    """

    code: str
    first_line: int
    note: str


def extract_code(source: str) -> Extract | None:
    """The world script in a chat model's answer, or None when the text has no fence and no prose around.

    Of several Markdown code blocks the first that makes a ``World`` is taken, else the first Python one,
    else the first. A fence that is never closed runs to the end.
    """
    blocks = _fenced_blocks(source)
    if not blocks:
        return _between_prose(source)
    python = [block for block in blocks if block[0] in _PYTHON] or blocks
    _, code, line = next((block for block in python if "World(" in block[1]), python[0])
    others = f" (one of {len(blocks)})" if len(blocks) > 1 else ""
    return Extract(code, line, f"took the code block that begins at line {line}{others}.")


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


def _between_prose(source: str) -> Extract | None:
    """Code between lines of prose without fences. A line that may be code is never left out."""
    if len(source) > MAX_PROSE_LENGTH or _parses(source):
        return None
    lines = source.splitlines(keepends=True)
    code_lines = [i for i, line in enumerate(lines) if _CODE_LINE.match(line)]
    firm = [i for i in code_lines if not lines[i].lstrip().startswith("#")]
    if not firm:
        return None
    for first in dict.fromkeys((code_lines[0], firm[0])):
        last = _end_of_code(lines, first, firm[-1])
        if last is not None:
            note = f"took lines {first + 1} to {last}; the text around them is not code."
            return Extract("".join(lines[first:last]), first + 1, note)
    return None


def _end_of_code(lines: list[str], first: int, last_firm: int) -> int | None:
    """One past the last line of the code that begins at ``first``, or None when no end makes it valid."""
    end = len(lines)
    for _ in range(MAX_PROSE_CUTS):
        if _parses("".join(lines[first:end])):
            return end
        end = next((i for i in range(end - 1, last_firm, -1) if lines[i].strip()), last_firm)
        if end <= last_firm:
            return None
    return None


def _parses(code: str) -> bool:
    if why_too_large(code, Budget()) is not None:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True

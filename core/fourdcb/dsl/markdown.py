"""Code blocks of a chat model's answer: fences in lists, quotes and fences, thoughts before answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ITEM = r"(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?"
_OPENING = re.compile(rf"(?P<indent>[ \t]*{_ITEM})(?P<mark>`{{3,}}|~{{3,}})[ \t]*(?P<info>[^`\r\n]*)$")
_CLOSING = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*$")
_LANGUAGE = re.compile(r"\{?\.?(?P<name>[\w+-]*)")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_THOUGHT = re.compile(
    r"<(?P<end>/?)(?:think|thinking|thought|thoughts|reasoning|analysis|scratchpad|plan)>", re.I
)
_ANSWER = re.compile(r"<(?P<end>/?)(?:answer|final_answer|final|output|solution|response)>", re.I)
_LONE_WORD = re.compile(r"[ \t]*(?:python3?|py)[ \t]*$", re.I)
_BLANK = re.compile(r"[^\r\n]+")
CONTAINERS = ("", "markdown", "md", "text", "txt")
MAX_BLOCKS = 400
MAX_NESTING = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the answer.

    Attributes:
        number: 1-based, in the file.
        text: with its line end, without what was cut off.
        cut: characters cut off its beginning (the indent of a list, the mark of a quote).
        rank: 0 inside thoughts, 1 in plain text, 2 inside an answer tag.
    """

    number: int
    text: str
    cut: int
    rank: int


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced code block.

    Attributes:
        language: the first word after the fence, in small letters.
        closed: whether a closing fence was found.
    """

    language: str
    lines: tuple[Line, ...]
    closed: bool

    @property
    def code(self) -> str:
        """The text between the fences."""
        return "".join(line.text for line in self.lines)

    @property
    def first_line(self) -> int:
        """Line of the file at which the code begins."""
        return self.lines[0].number

    @property
    def rank(self) -> int:
        """0 inside thoughts, 1 in plain text, 2 inside an answer tag."""
        return self.lines[0].rank


def answer_lines(source: str) -> list[Line]:
    """Lines of an answer with what they are part of.

    A thought that is never opened began with the answer (some templates open it in the prompt); one that is
    never closed runs to the end. Of several answer tags the last counts.
    """
    texts = [match.group() for match in _LINE.finditer(source) if match.group()]
    thought, answered = _inside(texts, _THOUGHT, open_start=True), _inside(texts, _ANSWER, open_start=False)
    last = max(answered, default=0)
    lines = []
    for number, text in enumerate(texts, start=1):
        rank = 0 if number in thought else 2 if last and answered.get(number) == answered[last] else 1
        lines.append(Line(number, text, 0, rank))
    return lines


def _inside(texts: list[str], tag: re.Pattern[str], *, open_start: bool) -> dict[int, int]:
    """Numbers of the lines between opening and closing tags, with the number of their pair."""
    found: dict[int, int] = {}
    pair, opened = 0, False
    for number, text in enumerate(texts, start=1):
        touched = opened
        for match in tag.finditer(text) if "<" in text else ():
            if match["end"] and not opened and not pair and open_start:
                found.update(dict.fromkeys(range(1, number), pair))
            pair += not match["end"]
            opened, touched = not match["end"], True
        if touched:
            found[number] = pair
    return found


def code_blocks(lines: list[Line], depth: int = 0) -> list[Block]:
    """Fenced blocks in order; a block of prose that holds fences gives those of its own."""
    found: list[Block] = []
    for block in _fenced(lines):
        inner = block.language in CONTAINERS and depth < MAX_NESTING and any(map(_opening, block.lines))
        found += code_blocks(list(block.lines), depth + 1) if inner else [block]
        if len(found) >= MAX_BLOCKS:
            break
    return [_dedented(block) for block in found if block.code.strip()] if depth == 0 else found


def blanked(line: Line) -> Line:
    """An empty line in its place."""
    return Line(line.number, _BLANK.sub("", line.text), 0, line.rank)


def is_fence_or_tag(line: Line) -> bool:
    """Whether a line is a code fence, a tag of thoughts or answers, or a left-over ``python``."""
    text = line.text.strip()
    tag = _THOUGHT.fullmatch(text) or _ANSWER.fullmatch(text)
    return bool(_opening(line) or tag or is_lone_word(line))


def is_lone_word(line: Line) -> bool:
    """Whether a line is the language of a fence that was lost."""
    return _LONE_WORD.match(line.text.rstrip("\r\n")) is not None


def _opening(line: Line) -> re.Match[str] | None:
    return _OPENING.match(line.text.rstrip("\r\n"))


def _fenced(lines: list[Line]) -> Iterator[Block]:
    opened: re.Match[str] | None = None
    quoted = False
    body: list[Line] = []
    for line in lines:
        if opened is not None and quoted and not _QUOTE.match(line.text):
            yield _block(opened, body, closed=True)
            opened = None
        inner = _unquoted(line) if opened is None or quoted else line
        start = _opening(inner)
        if opened is None:
            if start:
                opened, quoted, body = start, inner is not line, []
        elif _closes(inner, opened):
            yield _block(opened, body, closed=True)
            opened = None
        elif start and start["info"] and start["mark"][0] * 3 == opened["mark"]:
            yield _block(opened, body, closed=False)  # the fence before was never closed
            opened, body = start, []
        else:
            body.append(inner)
    if opened is not None:
        yield _block(opened, body, closed=False)


def _unquoted(line: Line) -> Line:
    match = _QUOTE.match(line.text)
    if not match:
        return line
    return Line(line.number, line.text[match.end() :], line.cut + match.end(), line.rank)


def _closes(line: Line, opened: re.Match[str]) -> bool:
    match = _CLOSING.match(line.text.rstrip("\r\n"))
    return match is not None and match["mark"].startswith(opened["mark"])


def _block(opened: re.Match[str], body: list[Line], *, closed: bool) -> Block:
    language = _LANGUAGE.match(opened["info"])
    width = len(opened["indent"])
    lines = tuple(_without(line, min(width, _indent(line.text))) for line in body)
    return Block(language["name"].lower() if language else "", lines, closed)


def _dedented(block: Block) -> Block:
    """Without a lost fence's ``python`` and without what indents all of its lines."""
    lines = list(block.lines)
    first = next(i for i, line in enumerate(lines) if line.text.strip())
    if is_lone_word(lines[first]) and any(line.text.strip() for line in lines[first + 1 :]):
        lines[first] = blanked(lines[first])
    full = [line.text for line in lines if line.text.strip()]
    shared = full[0][: _indent(full[0])]
    while not all(text.startswith(shared) for text in full):
        shared = shared[:-1]
    return Block(
        block.language,
        tuple(_without(line, len(shared)) if line.text.startswith(shared) else line for line in lines),
        block.closed,
    )


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _without(line: Line, width: int) -> Line:
    return Line(line.number, line.text[width:], line.cut + width, line.rank) if width else line

"""The world script inside a chat model's answer: code blocks in Markdown, code between lines of prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fourdcb.dsl.markdown import Block, Line, answer_lines, blanked, code_blocks, is_fence_or_tag
from fourdcb.dsl.pieces import Piece, Script, choose, parsed

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
_WORLD_LINE = re.compile(r"\s*(?:world\s*(?::[^=]*)?=\s*)World\s*\(")
MAX_PROSE_CUTS = 12
MAX_PROSE_STARTS = 8
MAX_PROSE_LENGTH = 64 * 1024


@dataclass(frozen=True, slots=True)
class Extract:
    """Code taken out of a longer text.

    Attributes:
        code: what is between its parts is left as empty lines, so that lines count as in the file.
        first_line: line of the text at which the code begins.
        note: what was done, for a warning.
        cuts: characters that were cut off the beginning of each line (the indent of a list).
    """

    code: str
    first_line: int
    note: str
    cuts: tuple[int, ...] = ()


def extract_code(source: str) -> Extract | None:
    """The world script in a chat model's answer, or None when the text is a script as it stands.

    The last complete script counts (it parses, makes a ``World`` with an ``Object``, leaves nothing open):
    what comes before is a draft or an example of the format. Thoughts (``<think>``) count only where nothing
    else does. Blocks whose names the script uses, and later ones that go on with it, are joined to it.
    Where no script is complete, the last one is taken, so that its faults are told.
    """
    lines = answer_lines(source)
    blocks = code_blocks(lines)
    if not blocks:
        return _between_prose(source, lines)
    for rank in (2, 1, 0):
        ranked = [block for block in blocks if block.rank == rank]
        for group in ([b for b in ranked if b.language in _PYTHON], ranked):
            script = choose(group)
            if script is not None:
                return _told(script, blocks)
    prose = _between_prose(source, lines)
    if prose is not None and "World(" in prose.code:
        return prose
    python = [block for block in blocks if block.language in _PYTHON] or blocks
    return _told(Script((Piece(python[0]),)), blocks)


def _told(script: Script, blocks: Sequence[Block]) -> Extract:
    """The joined text and a note that says what was taken and what was left out."""
    taken = [piece.block for piece in script.pieces]
    others = f" (one of {len(blocks)})" if len(blocks) > 1 and len(taken) == 1 else ""
    places = [str(block.first_line) for block in taken]
    note = f"took the code block that begins at line {places[0]}{others}."
    if len(taken) > 1:
        note = f"joined the code blocks that begin at lines {', '.join(places[:-1])} and {places[-1]}."
    last = taken[-1].first_line
    broken = [b for b in blocks if b.first_line > last and b.rank == taken[-1].rank and "World(" in b.code]
    if broken:
        note += f" The one at line {broken[-1].first_line} is no complete script."
    if script.changes:
        changed = ", ".join(str(piece.block.first_line) for piece in script.changes)
        note += f" Left out: line {changed}, which changes the script afterwards."
    return _extract([line for block in taken for line in block.lines], note)


def _extract(lines: Sequence[Line], note: str) -> Extract:
    """Chosen lines with empty ones for those between them."""
    texts: list[str] = []
    cuts: list[int] = []
    for line in lines:
        missing = line.number - lines[0].number - len(texts)
        texts += ["\n"] * missing
        cuts += [0] * missing
        texts.append(line.text)
        cuts.append(line.cut)
    return Extract("".join(texts), lines[0].number, note, tuple(cuts) if any(cuts) else ())


def _between_prose(source: str, lines: list[Line]) -> Extract | None:
    """Code between lines of prose without fences. A line that may be code is never left out."""
    word = next((i for i, line in enumerate(lines) if line.text.strip()), 0)
    plain = not lines or not (is_fence_or_tag(lines[word]) and any(x.text.strip() for x in lines[word + 1 :]))
    if len(source) > MAX_PROSE_LENGTH or (plain and parsed(source) is not None):
        return None
    for rank in (2, 1, 0):
        kept = [x if x.rank == rank and not is_fence_or_tag(x) else blanked(x) for x in lines]
        found = _code_among(kept)
        if found is not None:
            return found
    return None


def _code_among(lines: list[Line]) -> Extract | None:
    texts = [line.text for line in lines]
    code_lines = [i for i, text in enumerate(texts) if _CODE_LINE.match(text)]
    firm = [i for i in code_lines if not texts[i].lstrip().startswith("#")]
    if not firm:
        return None
    later = [i for i in firm if _WORLD_LINE.match(texts[i])][:0:-1]  # a second script follows a draft
    for first in dict.fromkeys((code_lines[0], firm[0], *later[:MAX_PROSE_STARTS])):
        last = _end_of_code(texts, first, firm[-1])
        if last is not None:
            note = f"took lines {first + 1} to {last}; the text around them is not code."
            return _extract(lines[first:last], note)
    return None


def _end_of_code(lines: list[str], first: int, last_firm: int) -> int | None:
    """One past the last line of the code that begins at ``first``, or None when no end makes it valid."""
    end = len(lines)
    for _ in range(MAX_PROSE_CUTS):
        if parsed("".join(lines[first:end])) is not None:
            return end
        end = next((i for i in range(end - 1, last_firm, -1) if lines[i].strip()), last_firm)
        if end <= last_firm:
            return None
    return None

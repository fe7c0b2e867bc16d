"""How values stand in sentences: lengths, names, words; anything else as ``format`` has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

LISTED = 2


class Words(Protocol):
    """What a format needs of a catalogue."""

    def say(self, key: str, /, **values: Any) -> str:
        """The entry of ``key`` with its values."""
        ...

    def get(self, key: str, default: str) -> str:
        """The text of an entry without places, or ``default`` where there is none."""
        ...

    def translate(self, text: str, /) -> str:
        """A word that stands in the program, in this language."""
        ...


def formatted(value: Any, spec: str, words: Words) -> str:
    """A value in the form that a sentence asks for, one of :data:`FORMATS` or of ``format``.

    Raises:
        ValueError, TypeError: the value has no such form.
    """
    own = FORMATS.get(spec)
    return format(value, spec) if own is None else own(value, words)


def listed_by(words: Words, names: Sequence[str], what: str = "", *, most: int = LISTED) -> str:
    """``a``, ``a and b``, ``a, b and c``, ``a, b and 3 more``, with ``what`` they are at the end.

    Args:
        words: the language.
        what: ``pairs``, or nothing.
        most: so many are named when there are at least two more.
    """
    shown = list(names) if len(names) <= most + 1 else list(names[:most])
    if len(shown) < len(names):
        shown.append(words.say(f"list.more_{what}" if what else "list.more", count=len(names) - len(shown)))
    if len(shown) < 2:
        return "".join(shown)
    return words.say("list.and", first=words.get("list.comma", ", ").join(shown[:-1]), last=shown[-1])


def _pairs(value: Sequence[tuple[str, str]], words: Words) -> str:
    return listed_by(words, [words.say("list.pair", mover=a, other=b) for a, b in value], "pairs")


def _length(metres: float, _: Words) -> str:
    return f"{1000 * metres:.0f} mm" if metres < 1 else f"{metres:.2f} m"


def _word(value: object, words: Words) -> str:
    return words.get(f"terms.{value}", words.translate(str(value)))


def _body(name: str, words: Words) -> str:
    """Names of objects stay; only what is no object has a word."""
    return words.get(f"bodies.{name}", name)


FORMATS: Mapping[str, Callable[[Any, Words], str]] = {
    "length": _length,  # [m]
    "mm": lambda metres, _: f"{1000 * metres:.0f}",
    "+mm": lambda metres, _: f"{1000 * metres:+.0f}",
    ".1mm": lambda metres, _: f"{1000 * metres:.1f}",
    "ms": lambda seconds, _: f"{1000 * seconds:.0f}",
    "point": lambda point, _: "(" + ", ".join(f"{v:.2f}" for v in point) + ")",
    "sides": lambda sides, _: " × ".join(f"{1000 * v:.0f}" for v in sides),  # [mm]
    "names": lambda names, words: listed_by(words, names),
    "all": lambda names, words: words.get("list.comma", ", ").join(names),
    "each": lambda numbers, words: words.get("list.each", " and ").join(map(str, numbers)),
    "size": lambda size, _: " x ".join(map(str, size)),  # [px]
    "unit": lambda unit, _: f" {unit}" if unit else "",
    "pairs": _pairs,
    "word": _word,
    "words": lambda values, words: listed_by(words, [_word(v, words) for v in values], most=3),
    "body": _body,
    "bodies": lambda names, words: words.get("list.comma", ", ").join(_body(n, words) for n in names),
}

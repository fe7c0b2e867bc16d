"""What may stand at a place of a world script: constructors, fields, materials, shapes. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from fourdcb.dsl.entities import Kind
from fourdcb.dsl.rules import FieldRule, rules_of
from fourdcb.world.model import Geometry
from fourdcb.world.presets import material_names

_KINDS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "Fluid")
_WORD = re.compile(r"\w*\Z")
_NAME_BEFORE = re.compile(r"(\w+)\s*\Z")
_FIELD_BEFORE = re.compile(r"(\w+)\s*=\s*\Z")
_STATED = re.compile(r"(\w+)\s*=(?!=)")
_OPENING, _CLOSING = "([{", ")]}"

SuggestionKind = Literal["constructor", "field", "value"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One way to go on.

    Attributes:
        word: what is shown, and put in place of what was begun.
        insert: what is put there.
        kind: what it is.
        about: what it takes, for a field.
    """

    word: str
    insert: str
    kind: SuggestionKind
    about: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """Ways to go on from a place.

    Attributes:
        begun: the part of a word that stands before the place.
        suggestions: those that begin with it, in the order of the language's tables.
    """

    begun: str
    suggestions: tuple[Suggestion, ...]


def completion(text: str, position: int) -> Completion:
    """What may stand at a place of a script.

    Args:
        text: the script, valid or not.
        position: number of characters before the cursor.
    """
    scan = _Scan(text[:position])
    begun = _last_word(scan.code) if scan.string is None else scan.string
    if scan.comment:
        return Completion(begun, ())
    found = _in_string(scan) if scan.string is not None else _in_code(scan, begun, text[position:])
    lower = begun.lower()
    return Completion(begun, tuple(s for s in found if s.word.lower().startswith(lower) and s.word != begun))


def _in_string(scan: _Scan) -> Iterable[Suggestion]:
    """Names that a text value may be: of the field before it."""
    rule = _rule_of(scan)
    if rule is None:
        return ()
    known: Mapping[str, tuple[str, ...]] = {"material": material_names(), "geometry": get_args(Geometry)}
    words = known.get(rule.shape, ())
    return tuple(Suggestion(word, word, "value") for word in words)


def _in_code(scan: _Scan, begun: str, after: str) -> Iterable[Suggestion]:
    before = scan.code.removesuffix(begun)
    if before.endswith(".") or begun[:1].isdigit():
        return ()
    if scan.call is not None and before.rstrip().endswith(("(", ",")):
        stated = set(_STATED.findall(scan.inside)) | set(_STATED.findall(after.partition(")")[0]))
        return tuple(s for s in _fields(scan.call) if s.word not in stated)
    rule = _rule_of(scan)
    if rule is not None and rule.shape == "flag":
        return tuple(Suggestion(word, word, "value") for word in ("True", "False"))
    if rule is not None and rule.shape in ("material", "geometry"):
        names = material_names() if rule.shape == "material" else get_args(Geometry)
        return (*(Suggestion(word, f'"{word}"', "value") for word in names), *_constructors())
    return _constructors() if begun else ()


def _rule_of(scan: _Scan) -> FieldRule | None:
    """The field whose value stands here."""
    before = scan.before_string if scan.string is not None else scan.code.removesuffix(_last_word(scan.code))
    field = _FIELD_BEFORE.search(before)
    return None if scan.call is None or field is None else rules_of(scan.call).get(field[1])


@cache
def _constructors() -> tuple[Suggestion, ...]:
    return tuple(Suggestion(kind, f"{kind}(", "constructor") for kind in _KINDS)


@cache
def _fields(kind: Kind) -> tuple[Suggestion, ...]:
    rules = [rule for rule in rules_of(kind).values() if rule.shape not in ("things", "camera")]
    rules.sort(key=lambda rule: not rule.required)
    return tuple(Suggestion(rule.name, f"{rule.name}=", "field", rule.expected) for rule in rules)


def _last_word(text: str) -> str:
    match = _WORD.search(text)
    return match[0] if match is not None else ""


class _Scan:
    """The text before a place, read once: is it in a comment, in a string, in which call?

    Attributes:
        code: text before the place, with strings and comments blanked out.
        comment: whether the place is in a comment.
        string: what stands of the string that the place is in, None outside of strings.
        before_string: code before that string.
        call: the constructor whose brackets are innermost, None outside of any.
        inside: code between that call's bracket and the place.
    """

    def __init__(self, text: str) -> None:
        code: list[str] = []
        self.comment, quote, began = False, "", 0
        index = 0
        while index < len(text):
            char = text[index]
            if quote:
                if char == "\\":
                    code.append(" ")
                    index += 1
                elif char == quote or char == "\n":
                    quote = ""
            elif self.comment:
                self.comment = char != "\n"
            elif char == "#":
                self.comment = True
            elif char in "'\"":
                quote, began = char, index
            blank = bool(quote) or self.comment or char in "'\""
            code.append(" " if blank and char != "\n" else char)
            index += 1
        self.code = "".join(code)[: len(text)]
        self.string = text[began + 1 :] if quote else None
        self.before_string = self.code[:began]
        self.call, self.inside = self._enclosing_call()

    def _enclosing_call(self) -> tuple[Kind | None, str]:
        depth = 0
        for index in range(len(self.code) - 1, -1, -1):
            char = self.code[index]
            if char in _CLOSING:
                depth += 1
            elif char in _OPENING and depth:
                depth -= 1
            elif char in _OPENING:
                name = _NAME_BEFORE.search(self.code[:index])
                kind = next((k for k in _KINDS if name is not None and k == name[1]), None)
                return (kind, self.code[index + 1 :]) if char == "(" else (None, "")
        return None, ""

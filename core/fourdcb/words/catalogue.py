"""Sentences with places for values: read from a language's file, filled in where a person reads them.

An entry of the file is a text, or a table: ``text``, ``one`` (the same for a ``count`` of 1), and clauses. A
clause stands where ``{its name}`` stands in the text, when the value of that name is given; else nothing
does. Values are put in as ``str.format`` does, with the formats of :mod:`fourdcb.words.formats`.
"""

from __future__ import annotations

import logging
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

from fourdcb.errors import UserError
from fourdcb.words.formats import formatted

ENGLISH = "en"
LANGUAGE_VARIABLE = "FOURDCB_LANGUAGE"
_TEXT, _ONE = "text", "one"
_SUFFIX = ".toml"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to say.

    Attributes:
        text: with ``{name}`` or ``{name:format}`` where values stand.
        one: instead of ``text`` where ``count`` is 1; None where there is no difference.
        clauses: parts that are said only when the value of their name is given.
    """

    text: str
    one: str | None = None
    clauses: Mapping[str, str] = field(default_factory=dict)

    def places(self) -> frozenset[str]:
        """Names of the values that any of its texts takes."""
        texts = [self.text, *([] if self.one is None else [self.one]), *self.clauses.values()]
        return frozenset(name for text in texts for name in _places(text))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What one language says.

    Attributes:
        language: such as ``en``.
        entries: by dotted key, complete: what a language lacks is English.
        missing: keys that the language's own file lacks, sorted.
    """

    language: str
    entries: Mapping[str, Entry]
    missing: tuple[str, ...] = ()

    def say(self, key: str, /, **values: Any) -> str:
        """The entry of ``key`` with its values.

        Raises:
            KeyError: there is no such entry, or a value is not given.
            ValueError, TypeError: a value has no such format.
        """
        entry = self.entries[key]
        said = {name: self._fill(text, values) if _given(values, name) else ""
                for name, text in entry.clauses.items()}  # fmt: skip
        text = entry.one if entry.one is not None and values.get("count") == 1 else entry.text
        return self._fill(text, {**values, **said})

    def get(self, key: str, default: str) -> str:
        """The text of an entry without places, or ``default`` where there is none."""
        entry = self.entries.get(key)
        return default if entry is None else entry.text

    def _fill(self, text: str, values: Mapping[str, Any]) -> str:
        return "".join(
            literal + ("" if name is None else formatted(values[name], spec or "", self))
            for literal, name, spec, _ in Formatter().parse(text)
        )


def languages() -> tuple[str, ...]:
    """Languages that have a file, English first."""
    names = (path.name for path in _folder().iterdir())
    others = sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))
    return (ENGLISH, *(name for name in others if name != ENGLISH))


@cache
def load(language: str = ENGLISH) -> Catalogue:
    """The catalogue of a language; what it lacks is said in English, and listed once in a warning.

    Raises:
        UserError: there is no such language, or its file is malformed.
    """
    if language not in languages():
        raise UserError("no such language", got=language, expected=", ".join(languages()))
    own = dict(_entries(language))
    if language == ENGLISH:
        return Catalogue(language, own)
    english = load(ENGLISH)
    missing = tuple(sorted(set(english.entries) - set(own)))
    if missing:
        _log.warning(
            "the words of %s lack %d, which are English: %s", language, len(missing), ", ".join(missing)
        )
    return Catalogue(language, {**english.entries, **own}, missing)


_language: str | None = None


def choose(language: str) -> Catalogue:
    """Say everything from now on in a language. Raises UserError where there is no such."""
    global _language
    found = load(language)
    _language = language
    return found


def chosen() -> Catalogue:
    """The catalogue that was chosen, till then that of ``FOURDCB_LANGUAGE`` or English."""
    global _language
    if _language is None:
        _language = os.environ.get(LANGUAGE_VARIABLE) or ENGLISH
        if _language not in languages():
            _log.warning("there is no language %s, only %s", _language, ", ".join(languages()))
            _language = ENGLISH
    return load(_language)


def mismatches(language: str) -> tuple[str, ...]:
    """What is wrong with a language's file beside English: unknown keys, other values in a sentence."""
    own, english = dict(_entries(language)), load(ENGLISH).entries
    found = [f"{key}: English has no such entry" for key in sorted(set(own) - set(english))]
    for key in sorted(set(own) & set(english)):
        extra = own[key].places() - english[key].places()
        lost = english[key].places() - own[key].places()
        if extra or lost:
            found.append(f"{key}: {{{'}, {'.join(sorted(extra | lost))}}} in one language only")
    return tuple(found)


def _folder() -> Any:
    return files("fourdcb_resources") / "words"


def _entries(language: str) -> Iterator[tuple[str, Entry]]:
    name = f"{language}{_SUFFIX}"
    try:
        table = tomllib.loads((_folder() / name).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError("the words of a language cannot be read", where=name, got=str(error)) from error
    for key, entry in _flat("", table, where=name):
        _check(entry, where=f"{name}: {key}")
        yield key, entry


def _flat(prefix: str, table: Any, *, where: str) -> Iterator[tuple[str, Entry]]:
    if isinstance(table, str):
        yield prefix, Entry(table)
        return
    if not isinstance(table, dict):
        raise UserError("words are text", where=f"{where}: {prefix}", got=type(table).__name__)
    if _TEXT not in table:
        for key, value in table.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), value, where=where)
        return
    if not all(isinstance(value, str) for value in table.values()):
        raise UserError("an entry holds texts only", where=f"{where}: {prefix}")
    clauses = {str(key): value for key, value in table.items() if key not in (_TEXT, _ONE)}
    yield prefix, Entry(table[_TEXT], table.get(_ONE), clauses)


def _check(entry: Entry, *, where: str) -> None:
    try:
        strange = [place for place in entry.places() if not re.fullmatch(r"[a-z_]+", place)]
    except ValueError as error:  # a brace that stands alone
        raise UserError("a sentence is malformed", where=where, got=str(error)) from error
    if strange:
        raise UserError("a place in a sentence has no plain name", where=where, got=", ".join(strange))


def _places(text: str) -> Iterator[str]:
    for _, name, _, _ in Formatter().parse(text):
        if name is not None:
            yield name


def _given(values: Mapping[str, Any], name: str) -> bool:
    value = values.get(name)
    return value is not None and value is not False and value != () and value != ""

"""Sentences with places for values: read from a language's file, filled in where a person reads them.

An entry of the file is a text, or a table: ``text``, ``one`` (the same for a ``count`` of 1), and clauses. A
clause stands where ``{its name}`` stands in the text, when the value of that name is given; else nothing
does. Values are put in as ``str.format`` does, with the formats of :mod:`fourdcb.words.formats`.

Short words of a program stand in it, in English: :func:`tr` looks their translation up in the language's
table ``messages``, by the English text. Both kinds lie in the one file of a language.
"""

from __future__ import annotations

import locale
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
_TEXT, _ONE, _MESSAGES = "text", "one", "messages"
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
        messages: translations by their English text; none in English.
    """

    language: str
    entries: Mapping[str, Entry]
    missing: tuple[str, ...] = ()
    messages: Mapping[str, str] = field(default_factory=dict)

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

    def translate(self, text: str, /, *, one: str | None = None, **values: Any) -> str:
        """A program's own words; what the language lacks is said in English.

        Args:
            text: English, with ``{name}`` or ``{name:format}`` where values stand.
            one: English where ``count`` is 1.

        Raises:
            KeyError: a value is not given.
            ValueError, TypeError: a value has no such format.
        """
        known = one if one is not None and values.get("count") == 1 else text
        said = self.messages.get(known) or self.messages.get(text) or known
        return self._fill(said, values) if values else said

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
    own, messages = dict(_entries(language)), _messages(language)
    if language == ENGLISH:
        return Catalogue(language, own)
    english = load(ENGLISH)
    missing = tuple(sorted(set(english.entries) - set(own)))
    if missing:
        _log.warning(
            "the words of %s lack %d, which are English: %s", language, len(missing), ", ".join(missing)
        )
    return Catalogue(language, {**english.entries, **own}, missing, messages)


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


def tr(text: str, /, *, one: str | None = None, **values: Any) -> str:
    """A program's own words in the language that was chosen; see :meth:`Catalogue.translate`.

    A module that says something while it is imported says it in the language that was chosen by then.
    """
    return chosen().translate(text, one=one, **values)


def system_language() -> str:
    """The language that the machine is set to, where there is a file for it, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        found = os.environ.get(name, "").partition(".")[0]
        if found:
            return _nearest(found)
    return _nearest(locale.getlocale()[0] or "")


def _nearest(name: str) -> str:
    """The language itself, else another one of its kind: Chinese for ``zh_SG``."""
    known = languages()
    return name if name in known else next((k for k in known if k[:2] == name[:2]), ENGLISH)


def mismatches(language: str) -> tuple[str, ...]:
    """What is wrong with a language's file beside English: unknown keys, other values in a sentence."""
    own, english = dict(_entries(language)), load(ENGLISH).entries
    found = [f"{key}: English has no such entry" for key in sorted(set(own) - set(english))]
    for key in sorted(set(own) & set(english)):
        extra = own[key].places() - english[key].places()
        lost = english[key].places() - own[key].places()
        if extra or lost:
            found.append(f"{key}: {{{'}, {'.join(sorted(extra | lost))}}} in one language only")
    for text, said in _messages(language).items():
        if set(_places(text)) != set(_places(said)):
            found.append(f"{text}: other values in its translation")
    return tuple(found)


def _folder() -> Any:
    return files("fourdcb_resources") / "words"


def _table(language: str) -> dict[str, Any]:
    name = f"{language}{_SUFFIX}"
    try:
        return tomllib.loads((_folder() / name).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError("the words of a language cannot be read", where=name, got=str(error)) from error


def _entries(language: str) -> Iterator[tuple[str, Entry]]:
    name = f"{language}{_SUFFIX}"
    table = {key: value for key, value in _table(language).items() if key != _MESSAGES}
    for key, entry in _flat("", table, where=name):
        _check(entry, where=f"{name}: {key}")
        yield key, entry


def _messages(language: str) -> dict[str, str]:
    name, table = f"{language}{_SUFFIX}", _table(language).get(_MESSAGES, {})
    if not isinstance(table, dict) or not all(isinstance(said, str) for said in table.values()):
        raise UserError("messages are texts by their English text", where=name)
    for text, said in table.items():
        _check(Entry(said), where=f"{name}: {text}")
    return table


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

"""Reads catalog files; every complaint names its line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeVar

from fourdcb.errors import UserError

_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Field:
    """One key of an entry: the type that its value must have, and whether it must be there."""

    kind: type[Any] | tuple[type[Any], ...]
    required: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a catalog file: its plain values and where it stands."""

    values: Mapping[str, Any]
    where: str


class Named(Protocol):
    """What a catalog holds."""

    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


AnyNamed = TypeVar("AnyNamed", bound=Named)


def catalog_text(path: Path | None, bundled: str) -> tuple[str, str]:
    """Text of a catalog and how to call it; None reads the bundled one.

    Raises:
        UserError: the file cannot be read, is too large or is no text.
    """
    if path is None:
        return (files("fourdcb_resources") / "catalogs" / bundled).read_text(
            encoding="utf-8"
        ), f"catalogs/{bundled}"
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UserError(
                "the catalog is too large", where=str(path), expected=f"at most {_MAX_BYTES} bytes"
            )
        return path.read_text(encoding="utf-8"), str(path)
    except OSError as error:
        raise UserError("the catalog cannot be read", where=str(path), got=error.strerror) from error
    except UnicodeDecodeError as error:
        raise UserError("the catalog is not UTF-8 text", where=str(path)) from error


def read_entries(text: str, name: str, *, form: str, key: str, fields: Mapping[str, Field]) -> list[Entry]:
    """The entries of a catalog's text.

    Args:
        text: YAML.
        name: how to call the file in complaints.
        form: the ``format`` that it must state, in version 1.
        key: under which the list of entries stands.
        fields: what an entry may hold.

    Raises:
        UserError: with ``file:line`` for whatever is wrong.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        root = YAML(typ="rt").load(text)
    except MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark is not None else ""
        told = (error.problem or "").splitlines()
        raise UserError(
            "the catalog is not valid YAML", where=f"{name}{line}", got=told[0] if told else None
        ) from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise UserError("the catalog is not valid YAML", where=name, got=str(error)[:200]) from error
    if not isinstance(root, dict) or not isinstance(root.get(key), list):
        raise UserError("the catalog has no list of entries", where=name, expected=f"a table with {key}: […]")
    _check_keys(root, {"format", "version", key}, name)
    if root.get("format") != form or root.get("version") != 1:
        got = f"format {root.get('format')!r}, version {root.get('version')!r}"
        raise UserError(
            "this is another kind of catalog", where=name, got=got, expected=f"format {form}, version 1"
        )
    return [_entry(root[key], k, name, fields) for k in range(len(root[key]))]


def _entry(entries: Any, k: int, name: str, fields: Mapping[str, Field]) -> Entry:
    item: Any = entries[k]
    where = f"{name}:{entries.lc.item(k)[0] + 1}"
    if not isinstance(item, dict):
        raise UserError("an entry must be a table", where=where, got=type(item).__name__)
    _check_keys(item, set(fields), name)
    missing = [key for key, spec in fields.items() if spec.required and key not in item]
    if missing:
        raise UserError("an entry lacks a key", where=where, expected=", ".join(missing))
    lines = entries[k].lc
    for key, value in item.items():
        kind = fields[key].kind
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise UserError(
                f"{key} has the wrong type", where=f"{name}:{lines.value(key)[0] + 1}",
                got=type(_plain(value)).__name__, expected=_kinds(kind),
            )  # fmt: skip
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise UserError(
                f"{key} must list texts",
                where=f"{name}:{lines.value(key)[0] + 1}",
                got=str(_plain(value))[:100],
            )
    return Entry(_plain(item), where)


def _kinds(kind: type[Any] | tuple[type[Any], ...]) -> str:
    words = {str: "text", list: "a list", dict: "a table", bool: "true or false", int: "a whole number"}
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(words.get(k, k.__name__) for k in kinds)


def _check_keys(table: Any, known: set[str], name: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1)
            raise UserError(
                f"unknown key {str(key)[:60]!r}", where=f"{name}:{table.lc.key(key)[0] + 1}",
                expected=", ".join(sorted(known)), hint=f"did you mean {near[0]!r}?" if near else None,
            )  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def check_names(entries: Sequence[Named], wheres: Sequence[str]) -> None:
    """Raises UserError when two entries share an id or alias."""
    seen: dict[str, str] = {}
    for entry, where in zip(entries, wheres, strict=True):
        for name in (entry.id, *entry.aliases):
            if name in seen:
                raise UserError(f"the name {name!r} is taken", where=where, got=f"first used at {seen[name]}")
            seen[name] = where


def find_entry(entries: Sequence[AnyNamed], name: str, *, what: str) -> AnyNamed:
    """The entry of this id or alias.

    Raises:
        UserError: there is none; the nearest names are told.
    """
    for entry in entries:
        if name == entry.id or name in entry.aliases:
            return entry
    known = [other for entry in entries for other in (entry.id, *entry.aliases)]
    near = difflib.get_close_matches(name, known, 3)
    hint = "did you mean " + " or ".join(repr(word) for word in near) + "?" if near else None
    raise UserError(f"there is no {what} {name!r}", expected=", ".join(sorted(known)), hint=hint)

"""Remembers which expressions gave the entries of lists and dicts, for locations and edits in place."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Argument:
    """A value handed to a constructor and the expression that gave it.

    Attributes:
        keyword: where its name is written, when it is written in the call.
    """

    value: Any
    node: ast.expr
    keyword: ast.keyword | None = None


@dataclass(slots=True)
class Origins:
    """Keyed by identity; the values are kept alive so that identities stay theirs."""

    _lists: dict[int, tuple[Any, ast.List | ast.Tuple]] = field(default_factory=dict)
    _dicts: dict[int, tuple[Any, Mapping[str, ast.expr]]] = field(default_factory=dict)

    def remember_list(self, value: Sequence[Any], node: ast.List | ast.Tuple) -> None:
        """``value`` was written as the literal ``node``."""
        self._lists[id(value)] = (value, node)

    def remember_dict(self, value: Mapping[Any, Any], places: Mapping[str, ast.expr]) -> None:
        """The entries of ``value`` were given by ``places``."""
        self._dicts[id(value)] = (value, places)

    def places_of(self, value: Mapping[Any, Any]) -> Mapping[str, ast.expr]:
        """Expressions of a dict's entries by key."""
        known = self._dicts.get(id(value))
        return known[1] if known else {}

    def elements_of(self, value: Any) -> dict[int, ast.expr]:
        """Expressions of a list's components by index; empty when they are not known one by one."""
        known = self._lists.get(id(value))
        if known is None or any(isinstance(entry, ast.Starred) for entry in known[1].elts):
            return {}
        return dict(enumerate(known[1].elts))

"""Single edits of a script's text, and what they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fourdcb.dsl import edit_value
from fourdcb.dsl.emit import text_of
from fourdcb.dsl.source import SourceText
from fourdcb.dsl.structure import Thing, add_thing, remove_thing, set_field
from fourdcb.errors import UserError
from fourdcb.world.parameters import split_path

_REQUIRED = ("pos", "vel", "acc")


@dataclass(frozen=True, slots=True)
class SetNumber:
    """One number, by its parameter path."""

    path: str
    before: float
    value: float


@dataclass(frozen=True, slots=True)
class SetField:
    """One field that is no number: a word, a file, an orientation, a list."""

    name: str
    field: str
    before: Any
    value: Any


@dataclass(frozen=True, slots=True)
class AddThing:
    """A body or light that is not there."""

    thing: Thing


@dataclass(frozen=True, slots=True)
class RemoveThing:
    """A body or light that should not be there."""

    name: str


Edit = SetNumber | SetField | AddThing | RemoveThing


def subject(edit: Edit) -> str:
    """What it changes, ``name.field`` or a name: edits of one subject belong together."""
    if isinstance(edit, SetNumber):
        owner, field, _ = split_path(edit.path)
        return f"{owner}.{field}"
    if isinstance(edit, SetField):
        return f"{edit.name}.{edit.field}"
    return edit.thing.name if isinstance(edit, AddThing) else edit.name


def place(edit: Edit) -> str:
    """The one place that it writes to: of two edits of one place the later counts."""
    return edit.path if isinstance(edit, SetNumber) else subject(edit)


def applied(source: str, edits: Iterable[Edit], *, filename: str = "<script>") -> str:
    """The script with some edits, every other byte kept.

    Raises:
        DiagnosticsError: when the script is not valid.
        UserError: when it cannot say one of them.
    """
    for edit in edits:
        if isinstance(edit, SetNumber):
            source = edit_value(source, edit.path, edit.value, filename=filename).source
        elif isinstance(edit, SetField):
            source = set_field(source, edit.name, edit.field, edit.value, filename=filename)
        elif isinstance(edit, AddThing):
            source = add_thing(source, edit.thing, filename=filename)
        else:
            source = remove_thing(source, edit.name, filename=filename)
    return source


def told(edit: Edit, *, exam: bool = False) -> str:
    """``ball.restitution: 0.65 → 0.8``; in an exam without values, and of what is missing only the kind."""
    if isinstance(edit, SetNumber):
        return subject(edit) if exam else f"{edit.path}: {edit.before:.6g} → {edit.value:.6g}"
    if isinstance(edit, SetField):
        return subject(edit) if exam else f"{subject(edit)}: {_short(edit.before)} → {_short(edit.value)}"
    if isinstance(edit, AddThing):
        kind = type(edit.thing).__name__
        return f"a missing {kind}" if exam else f"a missing {kind}: '{edit.thing.name}'"
    return f"{edit.name}: should not be there"


def _short(value: Any) -> str:
    text = text_of(value)
    return text if len(text) <= 60 else text[:60] + "…"


def with_required_fields(source: str, wanted: dict[str, dict[str, Any]], *, filename: str) -> str:
    """The script with ``pos``, ``vel`` and ``acc`` in every ``Object(…)`` that states none of its own.

    A script without them is not valid, so that nothing else could be suggested.

    Args:
        wanted: values by name of the object; others rest, and fall if anything of ``wanted`` does.

    Raises:
        UserError: when the text is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError("the script is not valid Python", where=filename, got=str(error)) from error
    usual = {"pos": (0.0, 0.0, 0.0), "vel": (0.0, 0.0, 0.0), "acc": _usual_field(list(wanted.values()))}
    set_later = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_stored(node)}
    text = SourceText(source, filename)
    places: list[tuple[int, str]] = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if not isinstance(call.func, ast.Name) or call.func.id != "Object":
            continue
        given = {keyword.arg for keyword in call.keywords}
        if None in given:  # **fields
            continue
        values = usual | wanted.get(_name_of(call), {})
        lacking = [name for name in _REQUIRED if name not in given and name not in set_later]
        if lacking:
            parts = ", ".join(f"{name}={text_of(values[name])}" for name in lacking)
            last = max(text.span(node)[1] for node in (call.func, *call.args, *_values(call)))
            places.append((last, f", {parts}"))
    for position, added in sorted(places, reverse=True):
        source = source[:position] + added + source[position:]
    return source


def _values(call: ast.Call) -> Sequence[ast.expr]:
    return [keyword.value for keyword in call.keywords]


def _is_stored(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def _name_of(call: ast.Call) -> str:
    stated = [k.value for k in call.keywords if k.arg == "name"] or call.args[:1]
    value = stated[0] if stated else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _usual_field(wanted: Sequence[dict[str, Any]]) -> tuple[float, ...]:
    """The field that most of the known bodies are in."""
    fields = [tuple(each["acc"]) for each in wanted if any(each["acc"])]
    return max(set(fields), key=fields.count) if fields else (0.0, 0.0, 0.0)

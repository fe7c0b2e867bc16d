"""Changes what a script is made of, a field that is no number or a whole thing, and keeps all other text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from fourdcb.dsl.convert import quaternion
from fourdcb.dsl.edit import append_line, gives, reference_to
from fourdcb.dsl.emit import statement_of, text_of
from fourdcb.dsl.parse import Reading, read
from fourdcb.dsl.source import SourceText
from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.world import Fluid, Light, Material, Object, Plane, World

Thing = Object | Plane | Fluid | Light
_GROUPS = ("objects", "planes", "lights", "fluids")


def set_field(source: str, name: str, field_name: str, value: Any, *, filename: str = "<script>") -> str:
    """The script with one field of a body, a light or the world set, vectors and words alike.

    A literal that states the field is replaced; else a line at the end sets it. The result is read back.

    Args:
        name: of a body or light, or ``world``.
        field_name: of the thing, or of a body's material.

    Raises:
        DiagnosticsError: when the script is not valid.
        UserError: when the script cannot say this.
    """
    reading = read(SourceText(source, filename), warnings=False)
    if field_name == "rot":
        value = quaternion(tuple(value))  # as reading makes it a unit one
    expected = _with_field(reading.built.world, name, field_name, value)
    return _first_that_gives(_settings(reading, name, field_name, value), expected, filename, name)


def add_thing(source: str, thing: Thing, *, filename: str = "<script>") -> str:
    """The script with one more body or light, stated at its end.

    Raises:
        DiagnosticsError: when the script is not valid.
        UserError: when its name is taken.
    """
    world = read(SourceText(source, filename), warnings=False).built.world
    group = _group_of(thing)
    grown: dict[str, Any] = {group: (*_given(world, source, group), thing)}
    added = append_line(source, statement_of(thing))
    return _first_that_gives(iter([added]), replace(world, **grown), filename, thing.name)


def remove_thing(source: str, name: str, *, filename: str = "<script>") -> str:
    """The script without the statement that makes a body or light.

    Raises:
        DiagnosticsError: when the script is not valid.
        UserError: when it has no statement of its own, or something else needs it.
    """
    reading = read(SourceText(source, filename), warnings=False)
    world = reading.built.world
    left: dict[str, Any] = {
        group: tuple(thing for thing in getattr(world, group) if thing.name != name) for group in _GROUPS
    }
    if not left["lights"]:
        left["lights"] = World().lights  # one stands in where none is stated
    expected = replace(world, **left)
    return _first_that_gives(_without(reading, name), expected, filename, name)


def _first_that_gives(sources: Iterator[str], expected: World, filename: str, what: str) -> str:
    for changed in sources:
        if gives(changed, expected, filename):
            return changed
    raise UserError("this cannot be edited in the script", where=filename, got=what)


def _settings(reading: Reading, name: str, field_name: str, value: Any) -> Iterator[str]:
    code, text = reading.text.code, text_of(value)
    node = reading.built.origins.get(f"{name}.{field_name}")
    if node is not None and not isinstance(node, ast.Name):
        start, end = reading.text.span(node)
        yield code[:start] + text + code[end:]
    yield append_line(code, f"{reference_to(reading, name)}.{field_name} = {text}")


def _without(reading: Reading, name: str) -> Iterator[str]:
    entity = reading.built.entities.get(name)
    for statement in reading.tree.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.Expr) else None
        if entity is not None and value is entity.node:
            start, end = reading.text.span(statement)
            code = reading.text.code
            yield code[:start] + code[end:].removeprefix("\r").removeprefix("\n")


def _with_field(world: World, name: str, field_name: str, value: Any) -> World:
    change: Any = {field_name: value}
    if name == "world":
        return replace(world, **change)
    for group in _GROUPS:
        things = getattr(world, group)
        if any(thing.name == name for thing in things):
            edited: dict[str, Any] = {
                group: tuple(_changed(t, change) if t.name == name else t for t in things)
            }
            return replace(world, **edited)
    raise UserError("there is nothing of this name", got=name)


def _changed(thing: Thing, change: dict[str, Any]) -> Thing:
    (field_name,) = change
    if field_name in {f.name for f in fields(thing)}:
        return replace(thing, **change)
    if isinstance(thing, Object | Plane | Fluid) and field_name in {f.name for f in fields(Material)}:
        return replace(thing, material=replace(thing.material, **change))
    raise UserError("there is no such field", got=f"{thing.name}.{field_name}")


def _given(world: World, source: str, group: str) -> tuple[Thing, ...]:
    """What is there already; the light that stands in where a script states none goes when one is stated."""
    things: tuple[Thing, ...] = getattr(world, group)
    try:
        stated = read(SourceText(source, ""), warnings=False).built.stated
    except DiagnosticsError:  # pragma: no cover - it was read a moment ago
        return things
    return things if group != "lights" or "lights" in stated else ()


def _group_of(thing: Thing) -> str:
    if isinstance(thing, Object):
        return "objects"
    if isinstance(thing, Fluid):
        return "fluids"
    return "planes" if isinstance(thing, Plane) else "lights"

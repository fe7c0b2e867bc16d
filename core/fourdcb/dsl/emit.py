"""From world to canonical script: ``parse_script(emit(world)).world == world`` for every valid world."""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from fourdcb.dsl.construction import KINDS
from fourdcb.dsl.library import BUILTIN_NAMES
from fourdcb.dsl.rules import SURFACE_FIELDS
from fourdcb.errors import UserError
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Fluid,
    Light,
    Material,
    Object,
    Plane,
    PointLight,
    World,
)
from fourdcb.world.model import Keyframe
from fourdcb.world.presets import material_names, material_preset

MAX_LINE = 100
_TAKEN = {*KINDS, *BUILTIN_NAMES, "world", "camera", "math", "np", "numpy"}
_ALWAYS = {
    Object: ("size", "pos", "vel", "acc"),
    Plane: ("normal", "offset"),
    Fluid: ("size", "pos", "acc"),
    DirectionalLight: ("direction", "intensity"),
    PointLight: ("pos", "intensity"),
    AreaLight: ("pos", "direction", "size", "intensity"),
    Camera: ("pos", "target", "fov_y_deg", "width", "height"),
}
_Thing = Object | Plane | Fluid | Light | Camera


def emit(world: World) -> str:
    """The canonical script of a world.

    Raises:
        UserError: for a number that is not finite, which a script cannot state.
    """
    statements = [_world(world), _call("Camera", (), _arguments(world.camera), target="camera")]
    statements += [
        statement_of(thing) for thing in (*world.objects, *world.planes, *world.fluids, *world.lights)
    ]
    return "\n".join(statements) + "\n"


def statement_of(thing: Object | Plane | Fluid | Light) -> str:
    """The canonical statement of one body, fluid or light."""
    if isinstance(thing, Object):
        return _object(thing)
    if isinstance(thing, Plane):
        return _plane(thing)
    if isinstance(thing, Fluid):
        return _named("Fluid", thing.name, [*_arguments(thing), *_material(thing.material)])
    return _named(type(thing).__name__, thing.name, _arguments(thing))


def _world(world: World) -> str:
    default = World()
    arguments = [("duration", text_of(world.duration)), ("fps", text_of(world.fps))]
    for name in ("ambient", "background", "exposure"):
        value = getattr(world, name)
        if value != getattr(default, name):
            arguments.append((name, text_of(value)))
    if not world.lights:
        arguments.append(("lights", "[]"))
    return _call("World", (), arguments, target="world")


def _object(obj: Object) -> str:
    shape = [("geometry", quoted(obj.geometry))] if obj.mesh is None else []
    arguments = [*shape, *_arguments(obj), *_material(obj.material)]
    return _named("Object", obj.name, arguments)


def _plane(plane: Plane) -> str:
    return _named("Plane", plane.name, [*_arguments(plane), *_material(plane.material)])


def _arguments(thing: _Thing) -> list[tuple[str, str]]:
    """Fields that always stand in a canonical script, and those that differ from their defaults."""
    found: list[tuple[str, str]] = []
    for f in fields(thing):
        if f.name in ("name", "geometry", "material"):
            continue
        value = getattr(thing, f.name)
        if f.name in _ALWAYS[type(thing)] or value != f.default:
            found.append((f.name, text_of(value)))
    return found


def _material(material: Material) -> list[tuple[str, str]]:
    """The shortest of: nothing but own fields, a preset with own fields, ``Material(…)``."""
    ways: list[list[tuple[str, str]]] = []
    if material.name == Material().name and _is_stated(own := _differing(material, Material())):
        ways.append(_texts(own))
    known = material.name in material_names()
    if known and _is_stated(own := _differing(material, material_preset(material.name))):
        ways.append([("material", quoted(material.name)), *_texts(own)])
    if ways:
        return min(ways, key=len)
    base = material_preset(material.name) if known else Material()
    own = _differing(material, base)
    return [("material", _call("Material", (quoted(material.name),), _texts(own), wrap=False))]


def _differing(material: Material, base: Material) -> dict[str, Any]:
    values = {f.name: getattr(material, f.name) for f in fields(Material) if f.name != "name"}
    return {name: value for name, value in values.items() if value != getattr(base, name)}


def _is_stated(own: dict[str, Any]) -> bool:
    """Whether a body can state these itself."""
    return all(name in SURFACE_FIELDS and value is not None for name, value in own.items())


def _texts(own: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, text_of(value)) for name, value in own.items()]


def _named(constructor: str, name: str, arguments: list[tuple[str, str]]) -> str:
    usable = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")
    return _call(
        constructor, (quoted(name),), arguments, target=name if usable and name not in _TAKEN else None
    )


def _call(
    constructor: str,
    positional: tuple[str, ...],
    arguments: Iterable[tuple[str, str]],
    *,
    target: str | None = None,
    wrap: bool = True,
) -> str:
    head = f"{target} = {constructor}(" if target else f"{constructor}("
    pieces = [*positional, *(f"{name}={text}" for name, text in arguments)]
    line = head + ", ".join(pieces) + ")"
    if not wrap or len(line) <= MAX_LINE:
        return line
    lines, current = [], "   "
    for piece in pieces:
        if len(current) + len(piece) + 2 > MAX_LINE and current.strip():
            lines.append(current)
            current = "   "
        current += f" {piece},"
    return "\n".join([head, *lines, current, ")"])


def text_of(value: Any) -> str:
    """Literal of a field value that reads back as the same value."""
    if isinstance(value, Keyframe):
        return f"({text_of(value.t)}, {text_of(value.pos)}, {text_of(value.rot)})"
    if isinstance(value, tuple):
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError("a world with a number that is not finite has no script", got=str(value))
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text: str) -> str:
    """A text literal, in double quotes where nothing needs escaping."""
    return repr(text) if '"' in text or repr(text)[1:-1] != text else f'"{text}"'

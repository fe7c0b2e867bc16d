"""The flat parameter view: every number of a world under a dotted path, with unit, range and scale.

Paths read ``<name>.<field>``, ``<name>.<field>[i]`` or, in a list of vectors, ``<name>.<field>[i][j]``; names
are those of objects, planes, fluids and lights, and the fixed names ``camera`` and ``world``. Appearance
fields of a body's material appear on the body itself: ``cup.roughness``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from fourdcb.errors import UserError
from fourdcb.world.camera import Camera
from fourdcb.world.contact import contact_properties, effective_mass
from fourdcb.world.fields import FieldSpec, Part, Scale, Stage, spec_of
from fourdcb.world.fluid import Fluid
from fourdcb.world.lights import CURVES, Light
from fourdcb.world.looks import FINISH_FIELDS, LOOK_FIELDS, stated_finish, stated_look
from fourdcb.world.material import Material
from fourdcb.world.model import Object, Plane, Surfaced, World

_PATH = re.compile(r"^(?P<name>.+)\.(?P<field>\w+)(?:\[(?P<index>\d+)\](?:\[(?P<inner>\d+)\])?)?$")
Index = int | tuple[int, int] | None  # of a component; (entry, component) in a list of vectors
_Item = TypeVar("_Item", Object, Plane, Fluid, Camera, World, Light)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One number of a world.

    Attributes:
        path: ``cup.restitution``, ``cup.vel[0]`` …
        value: the effective value (defaults resolved).
        unit, lower, upper, scale, stage, part, group, doc: from the field's :class:`FieldSpec`.
        slider: interval that a slider spans; widened to hold the value.
    """

    path: str
    value: float
    unit: str
    lower: float | None
    upper: float | None
    slider: tuple[float, float]
    scale: Scale
    stage: Stage
    part: Part | None = None
    group: str
    doc: str

    @property
    def owner(self) -> str:
        """Name of the thing that it belongs to."""
        return split_path(self.path)[0]


def split_path(path: str) -> tuple[str, str, Index]:
    """(name, field, index) of a parameter path. Raises UserError for another form."""
    match = _PATH.match(path)
    if match is None:
        raise UserError("not a parameter path", got=path, expected="name.field or name.field[index]")
    outer, inner = match["index"], match["inner"]
    index: Index = None if outer is None else int(outer) if inner is None else (int(outer), int(inner))
    return match["name"], match["field"], index


def parameters(world: World) -> tuple[Parameter, ...]:
    """All numbers of a world that have a slider, in script order."""
    return tuple(p for things in _things(world) for p in _of(*things))


def _things(world: World, *, silent: bool = False) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """(name, thing, values that stand for its None) of everything that holds parameters.

    With ``silent``, also of what no list shows unless the script states it: the finish of surfaces.
    """
    contact = contact_properties(world)
    for obj in world.objects:
        effective = {
            "mass": effective_mass(obj),
            "friction": contact[obj.name].friction,
            "restitution": contact[obj.name].restitution,
        }
        yield obj.name, obj, effective
        yield obj.name, obj.material, _look(obj, world, silent=silent)
    for plane in world.planes:
        effective = {"friction": contact[plane.name].friction, "restitution": contact[plane.name].restitution}
        yield plane.name, plane, effective
        yield plane.name, plane.material, _look(plane, world, silent=silent)
    for fluid in world.fluids:
        yield fluid.name, fluid, {}
        yield fluid.name, fluid.material, _look(fluid, world, silent=silent)
    for light in world.lights:
        yield light.name, light, {}
    yield "camera", world.camera, {}
    yield "world", world, {}


def _look(body: Surfaced, world: World, *, silent: bool = False) -> Mapping[str, Any]:
    """The values of a body's look; none for what is unstated when the file that says it cannot be read."""
    try:
        look = stated_look(body, world)._asdict()
    except UserError:
        return {}
    return look | stated_finish(body, look["base_color"]) if silent else look


def _of(name: str, item: Any, effective: Mapping[str, Any]) -> Iterator[Parameter]:
    for f in fields(item):
        spec = spec_of(f)
        if spec is None or spec.slider is None:
            continue
        value = effective.get(f.name, getattr(item, f.name))
        if getattr(item, CURVES.get(f.name, ""), ()):
            continue  # its curve is used instead
        if isinstance(value, tuple):
            for index, component in _components(value):
                yield _parameter(f"{name}.{f.name}{index}", component, spec)
        elif value is not None:
            yield _parameter(f"{name}.{f.name}", float(value), spec)


def _components(value: tuple[Any, ...]) -> Iterator[tuple[str, float]]:
    """(``[i]`` or ``[i][j]``, number) of a vector, or of a list of vectors."""
    for i, component in enumerate(value):
        if isinstance(component, tuple):
            yield from ((f"[{i}][{j}]", float(inner)) for j, inner in enumerate(component))
        else:
            yield f"[{i}]", float(component)


def _parameter(path: str, value: float, spec: FieldSpec) -> Parameter:
    assert spec.slider is not None
    low, high = spec.slider
    return Parameter(
        path=path,
        value=value,
        unit=spec.unit,
        lower=spec.lower,
        upper=spec.upper,
        slider=(min(low, value), max(high, value)),
        scale=spec.scale if value > 0 else "linear",
        stage=spec.stage,
        part=spec.part,
        group=spec.group,
        doc=spec.doc,
    )


def parameter(world: World, path: str) -> Parameter:
    """The parameter at ``path``. Raises UserError with near names when there is none."""
    match = _PATH.match(path)
    owner = match["name"] if match else ""
    # Of its owner only: a moving slider asks this at every event.
    table = {p.path: p for things in _things(world, silent=True) if things[0] == owner for p in _of(*things)}
    if path not in table:
        from difflib import get_close_matches

        near = get_close_matches(path, [p.path for p in parameters(world)], n=3)
        raise UserError(
            "no such parameter",
            got=path,
            hint="did you mean " + ", ".join(near) + "?" if near else "see `fourdcb schema`",
        )
    return table[path]


def with_value(world: World, path: str, value: float) -> World:
    """The world with one number changed.

    Raises:
        UserError: for an unknown path, or a value outside the legal range.
    """
    known = parameter(world, path)
    check_range(known, value)
    name, field_name, index = split_path(path)

    def changed(item: _Item) -> _Item:
        if field_name in LOOK_FIELDS and isinstance(item, Surfaced):
            whole = _look(item, world).get(field_name)  # the other components are then stated, too
            changes: dict[str, Any] = {field_name: whole}
            material = replace(item.material, **changes)
            return replace(item, material=_set(material, field_name, index, value))
        if field_name in FINISH_FIELDS and isinstance(item, Surfaced):
            finish: dict[str, Any] = {field_name: _look(item, world, silent=True).get(field_name)}
            material = replace(item.material, **finish)
            return replace(item, material=_set(material, field_name, index, value))
        for component in coupled_components(item, field_name, index):
            item = _set(item, field_name, component, value)
        return item

    if name == "camera":
        return replace(world, camera=changed(world.camera))
    if name == "world":
        return changed(world)
    for kind in ("objects", "planes", "fluids", "lights"):
        items = getattr(world, kind)
        if any(item.name == name for item in items):
            edited: dict[str, Any] = {kind: tuple(changed(i) if i.name == name else i for i in items)}
            return replace(world, **edited)
    raise AssertionError(f"parameter() accepted {path!r}")


def coupled_components(item: object, field_name: str, index: Index) -> tuple[Index, ...]:
    """Components that change together: a round shape keeps its round cross-section."""
    if not isinstance(item, Object) or field_name != "size":
        return (index,)
    if item.geometry == "sphere":
        return (0, 1, 2)
    across = item.geometry in ("cylinder", "cone", "capsule") and index in (0, 1)
    return (0, 1) if across else (index,)


def check_range(known: Parameter, value: float) -> None:
    """Raises UserError when ``value`` lies outside the parameter's legal range."""
    below = known.lower is not None and value < known.lower
    above = known.upper is not None and value > known.upper
    if not (value == value and abs(value) != float("inf")) or below or above:
        low = "-∞" if known.lower is None else f"{known.lower:g}"
        high = "∞" if known.upper is None else f"{known.upper:g}"
        raise UserError(
            f"{known.path} is out of range",
            got=f"{value:g}",
            expected=f"{low} … {high} {known.unit}".rstrip(),
        )


_Any = TypeVar("_Any", Object, Plane, Fluid, Camera, World, Light, Material)


def _set(item: _Any, field_name: str, index: Index, value: float) -> _Any:
    change: Any = value
    if isinstance(index, tuple):
        entries = [list(entry) for entry in getattr(item, field_name)]
        entries[index[0]][index[1]] = value
        change = tuple(map(tuple, entries))
    elif index is not None:
        vector = list(getattr(item, field_name))
        vector[index] = value
        change = tuple(vector)
    changes: dict[str, Any] = {field_name: change}
    return replace(item, **changes)

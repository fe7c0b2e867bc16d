"""What two worlds state differently, as edits of the one towards the other, field by field."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.repair.edits import AddThing, Edit, RemoveThing, SetField, SetNumber
from fourdcb.world import Light, Material, Object, Plane, World, effective_mass
from fourdcb.world.contact import contact_properties
from fourdcb.world.looks import stated_look
from fourdcb.world.material import MAPS

START = ("pos", "vel", "rot", "ang_vel", "acc")
CONTACT = ("mass", "restitution", "friction", "rolling_friction")
SHAPE = ("geometry", "size", "mesh")
KIND = ("fixed", "trajectory")
STAGE = ("normal", "offset")
LOOKS = ("base_color", "roughness", "metallic", *MAPS)
LIGHT = ("direction", "pos", "intensity", "color", "size", "intensity_curve", "direction_curve", "time_range")
SKY = ("ambient", "background", "exposure")
_WHOLE = {
    *("rot", "geometry", "mesh", "normal", "background", "exposure", "color"),
    *("intensity_curve", "direction_curve", "time_range"),
    *KIND,
    *MAPS,
}
_RELATIVE = 1e-3
_LEAST = 0.01
Fields = Mapping[str, list[Edit]]


@dataclass(frozen=True, slots=True)
class Differences:
    """Edits that would bring a candidate to the reference.

    Attributes:
        bodies, lights: by the candidate's name and field; fields that agree are left out.
        sky: of the world itself.
        added, removed: things that stand in one of the two only.
        moving: names of the candidate's bodies that are not static.
    """

    bodies: Mapping[str, Fields]
    lights: Mapping[str, Fields]
    sky: Fields
    added: tuple[AddThing, ...]
    removed: tuple[RemoveThing, ...]
    moving: tuple[str, ...]


def differences(own: World, reference: World, counterpart: Mapping[str, str]) -> Differences:
    """All that differs.

    Args:
        counterpart: the candidate's body → the reference's that it stands for.
    """
    truth = {body.name: body for body in reference.bodies}
    bodies = {
        body.name: _known(_body(body, truth[counterpart[body.name]], own, reference))
        for body in own.bodies
        if body.name in counterpart
    }
    lights, added_lights, removed_lights = _lights(own, reference)
    taken = set(counterpart.values())
    used = {thing.name for thing in (*own.bodies, *own.lights)}
    added = [_placed(body, own, reference, used) for body in reference.bodies if body.name not in taken]
    removed = [RemoveThing(body.name) for body in own.bodies if body.name not in counterpart]
    return Differences(
        bodies={name: fields for name, fields in bodies.items() if fields},
        lights=lights,
        sky=_known((name, _edits("world", name, own, reference)) for name in SKY),
        added=(*map(AddThing, added), *(AddThing(_named(light, used)) for light in added_lights)),
        removed=(*removed, *removed_lights),
        moving=tuple(o.name for o in own.objects if o.kind != "static"),
    )


def _known(found: Iterator[tuple[str, list[Edit]]]) -> dict[str, list[Edit]]:
    return {name: edits for name, edits in found if edits}


def _body(
    own: Object | Plane, truth: Object | Plane, world: World, reference: World
) -> Iterator[tuple[str, list[Edit]]]:
    if isinstance(own, Object) != isinstance(truth, Object):
        return
    contact, wanted = contact_properties(world)[own.name], contact_properties(reference)[truth.name]
    for name in ("restitution", "friction"):
        yield name, _numbers(f"{own.name}.{name}", getattr(contact, name), getattr(wanted, name))
    if isinstance(own, Object) and isinstance(truth, Object):
        if own.kind == truth.kind == "dynamic":
            yield "mass", _numbers(f"{own.name}.mass", effective_mass(own), effective_mass(truth))
        for name in (*START, "rolling_friction", *SHAPE[:2], *KIND):
            yield name, _edits(own.name, name, own, truth)
    else:
        for name in STAGE:
            yield name, _edits(own.name, name, own, truth)
    yield from _look(own, truth, world, reference)


def _look(
    own: Object | Plane, truth: Object | Plane, world: World, reference: World
) -> Iterator[tuple[str, list[Edit]]]:
    try:
        look, wanted = stated_look(own, world), stated_look(truth, reference)
    except UserError:  # a mesh file that cannot be read is told of elsewhere
        return
    for name in ("base_color", "roughness", "metallic"):
        yield name, _numbers(f"{own.name}.{name}", getattr(look, name), getattr(wanted, name))
    material = _moved(truth.material, reference, world)
    for name in MAPS:
        before, value = getattr(own.material, name), getattr(material, name)
        if _resolved(before, world) != _resolved(value, world):
            yield name, [SetField(own.name, name, before, value)]


def _lights(own: World, reference: World) -> tuple[dict[str, Fields], list[Light], list[RemoveThing]]:
    """Lights are paired by name, else by kind and strength; what is left is missing or needless."""
    named = {light.name: light for light in reference.lights}
    pairs = [(light, named[light.name]) for light in own.lights if light.name in named]
    left = sorted((x for x in own.lights if x.name not in named), key=lambda x: -x.intensity)
    taken = {truth.name for _, truth in pairs}
    free = sorted((x for x in reference.lights if x.name not in taken), key=lambda x: -x.intensity)
    removed: list[RemoveThing] = []
    for light in left:
        partner = next((x for x in free if type(x) is type(light)), None)
        if partner is None:
            removed.append(RemoveThing(light.name))
        else:
            free.remove(partner)
            pairs.append((light, partner))
    fields = {
        light.name: _known((name, _edits(light.name, name, light, truth)) for name in LIGHT)
        for light, truth in pairs
        if type(light) is type(truth)
    }
    return {name: each for name, each in fields.items() if each}, free, removed


def _edits(owner: str, name: str, own: Any, truth: Any) -> list[Edit]:
    if not hasattr(own, name) or not hasattr(truth, name):
        return []
    before, value = getattr(own, name), getattr(truth, name)
    if name in _WHOLE:
        return [] if before == value else [SetField(owner, name, before, value)]
    return _numbers(f"{owner}.{name}", before, value)


def _numbers(path: str, before: Any, value: Any) -> list[Edit]:
    """Edits of the components that differ."""
    if before is None or value is None:
        return []
    if not isinstance(value, tuple):
        return [SetNumber(path, before, value)] if _differ(before, value) else []
    return [
        SetNumber(f"{path}[{i}]", a, b)
        for i, (a, b) in enumerate(zip(before, value, strict=True))
        if _differ(a, b)
    ]


def _differ(a: float, b: float) -> bool:
    return abs(a - b) > _RELATIVE * max(abs(a), abs(b), _LEAST)


def _placed(body: Object | Plane, own: World, reference: World, used: set[str]) -> Object | Plane:
    """A reference's body as the candidate's script, in another folder perhaps, would state it."""
    changes: dict[str, Any] = {"material": _moved(body.material, reference, own)}
    if isinstance(body, Object) and body.mesh:
        changes["mesh"] = _relative(body.mesh, reference, own)
    return _named(replace(body, **changes), used)


def _named(thing: Any, used: set[str]) -> Any:
    """The thing under a name that is free."""
    name = thing.name
    while name in used:
        name += "_"
    used.add(name)
    return replace(thing, name=name)


def _moved(material: Material, reference: World, own: World) -> Material:
    changes: dict[str, Any] = {
        name: _relative(path, reference, own) for name in MAPS if (path := getattr(material, name))
    }
    return replace(material, **changes)


def _relative(path: str, reference: World, own: World) -> str:
    return Path(os.path.relpath(Path(reference.base_dir) / path, own.base_dir)).as_posix()


def _resolved(path: str | None, world: World) -> str | None:
    return None if path is None else os.path.realpath(Path(world.base_dir) / path)

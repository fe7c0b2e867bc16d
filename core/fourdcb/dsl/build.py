"""Makes the immutable world out of the entities of a script, with the place of every stated value."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from fourdcb.dsl.convert import (
    FieldFault,
    looks_like_radians,
    quaternion,
    quaternion_of_euler,
    unit_normal,
)
from fourdcb.dsl.entities import LIGHT_KINDS, Entity, Kind
from fourdcb.dsl.faults import Diagnostics
from fourdcb.dsl.fieldset import FieldReader
from fourdcb.dsl.naming import named_entities, only_entity
from fourdcb.dsl.operators import brief, type_name
from fourdcb.dsl.rules import SURFACE_FIELDS, default_of, rules_of, suggestion
from fourdcb.dsl.surfaces import SurfaceReader
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Fluid,
    Light,
    Object,
    Plane,
    PointLight,
    World,
)
from fourdcb.world.lights import CURVES

_LIGHTS: Mapping[Kind, type[Light]] = {
    "DirectionalLight": DirectionalLight,
    "PointLight": PointLight,
    "AreaLight": AreaLight,
}

# In the place of required fields that are missing or wrong, and were reported.
_STAND_INS: Mapping[str, Any] = {
    "geometry": "box",
    "pos": (0.0, 0.0, 0.0),
    "vel": (0.0, 0.0, 0.0),
    "acc": (0.0, 0.0, 0.0),
}


_FLUID_STAND_INS: Mapping[str, Any] = {
    "size": (0.1, 0.1, 0.1),
    "pos": (0.0, 0.0, 0.0),
    "acc": (0.0, 0.0, 0.0),
}


@dataclass(slots=True)
class Built:
    """The world and where its values come from.

    Attributes:
        origins: expression that states the value at each dotted path.
        stated: world-level things that the script states.
        entities: entity of each named thing, and ``camera`` and ``world``.
        materials: the Material(…) that gives the value at a path; several bodies may share one.
    """

    world: World
    origins: dict[str, ast.expr] = field(default_factory=dict)
    stated: frozenset[str] = frozenset()
    entities: dict[str, Entity] = field(default_factory=dict)
    materials: dict[str, Entity] = field(default_factory=dict)


class Builder:
    """Builds one world; collects everything that is wrong on the way."""

    def __init__(self, made: list[Entity], diagnostics: Diagnostics) -> None:
        self._made, self._diagnostics = made, diagnostics
        self._reader = FieldReader(diagnostics)
        self._surfaces = SurfaceReader(self._reader)

    def build(self, world_entity: Entity, *, base_dir: str, source: str) -> Built:
        """The world of ``world_entity``; what is wrong is reported and has a stand-in.

        A thing with a wrong field is built all the same, so that the world's validation sees the rest of it.
        """
        self._resolve_lights()
        named = named_entities(self._made, self._diagnostics)
        camera_entity = only_entity("Camera", self._made, self._diagnostics)
        objects = [self._object(e) for e in named.values() if e.kind == "Object"]
        planes = [self._plane(e) for e in named.values() if e.kind == "Plane"]
        lights = [self._light(e) for e in named.values() if e.kind in _LIGHTS]
        camera = self._camera(camera_entity) if camera_entity else Camera()
        self._surfaces.check_unused(self._made)
        lights_stated = bool(lights) or "lights" in world_entity.fields
        world = World(
            **self._world_values(world_entity),
            objects=tuple(objects),
            planes=tuple(planes),
            lights=tuple(lights) if lights_stated else World().lights,
            fluids=tuple(self._fluid(e) for e in named.values() if e.kind == "Fluid"),
            camera=camera,
            base_dir=base_dir,
            source=source,
        )
        entities = {**named, "world": world_entity}
        if camera_entity:
            entities["camera"] = camera_entity
        stated = _stated(world_entity, camera_entity, lights_stated)
        return Built(world, self._reader.origins, stated, entities, self._surfaces.materials)

    def _object(self, entity: Entity) -> Object:
        path = entity.name
        material = self._surfaces.material_of(entity, path)
        values = self._reader.values(entity, path, ("material", *SURFACE_FIELDS))
        self._fix_geometry(entity, path, values)
        self._fix_orientation(entity, path, values)
        return Object(name=entity.name, material=material, **{**_STAND_INS, **values})

    def _fix_geometry(self, entity: Entity, path: str, values: dict[str, Any]) -> None:
        if values.get("mesh") is None:
            if values.get("geometry") == "mesh":
                del values["geometry"]
                stated = entity.fields.get("mesh")
                if stated is None or stated.value is None:
                    fault = FieldFault('geometry "mesh" needs mesh="file.obj"')
                    self._reader.report(entity, path, "geometry", entity.fields["geometry"], fault)
            return
        if values.setdefault("geometry", "mesh") != "mesh":
            message = f'mesh is given, so geometry must be "mesh", got {brief(values["geometry"])}'
            values["geometry"] = "mesh"
            self._reader.report(entity, path, "geometry", entity.fields["geometry"], FieldFault(message))

    def _fix_orientation(self, entity: Entity, path: str, values: dict[str, Any]) -> None:
        euler = values.pop("euler_deg", None)
        if euler is not None and "rot" in values:
            fault = FieldFault("rot and euler_deg are two ways to say the same; give one")
            self._reader.report(entity, path, "euler_deg", entity.fields["euler_deg"], fault)
        elif euler is not None:
            if looks_like_radians(euler):
                message = f"{entity.label}: euler_deg is in degrees; {brief(list(euler))} looks like radians."
                node = entity.fields["euler_deg"].node
                self._diagnostics.add(node, message, code="doubtful-unit", severity="warning")
            values["rot"] = quaternion_of_euler(euler)
        elif "rot" in values:
            try:
                values["rot"] = quaternion(values["rot"])
            except FieldFault as fault:
                del values["rot"]
                self._reader.report(entity, path, "rot", entity.fields["rot"], fault)

    def _plane(self, entity: Entity) -> Plane:
        path = entity.name
        material = self._surfaces.material_of(entity, path)
        values = self._reader.values(entity, path, ("material", *SURFACE_FIELDS))
        if "normal" in values:
            try:
                values["normal"] = unit_normal(values["normal"])
            except FieldFault as fault:
                del values["normal"]
                self._reader.report(entity, path, "normal", entity.fields["normal"], fault)
        return Plane(name=entity.name, material=material, **values)

    def _fluid(self, entity: Entity) -> Fluid:
        """A fluid; what it says of its own surface stands over the look of water."""
        path, water = entity.name, default_of(next(f for f in fields(Fluid) if f.name == "material"))
        own = self._surfaces.material_of(entity, path)
        values = self._reader.values(entity, path, ("material", *SURFACE_FIELDS))
        if "material" not in entity.fields:
            stated = {f.name: getattr(own, f.name) for f in fields(own) if f.name != "name"}
            own = replace(water, **{name: value for name, value in stated.items() if value is not None})
        return Fluid(name=entity.name, material=own, **{**_FLUID_STAND_INS, **values})

    def _resolve_lights(self) -> None:
        """``Light(…)`` becomes the light that its fields mean."""
        for entity in self._made:
            if entity.kind in LIGHT_KINDS:
                _name_curves(entity)
            if entity.kind != "Light":
                continue
            given = entity.fields
            if "size" in given:
                entity.kind = "AreaLight"
            elif {"direction", "direction_curve"} & set(given) or not {"pos", "position_curve"} & set(given):
                entity.kind = "DirectionalLight"
            else:
                entity.kind = "PointLight"
            for name in [n for n in given if n not in rules_of(entity.kind)]:
                hint = "Use PointLight (pos) or AreaLight (pos, direction, size)." if name == "pos" else None
                message = f"{entity.label}: unknown field '{name}'."
                hint = hint or suggestion(entity.kind, name)
                self._diagnostics.add(given.pop(name).node, message, code="unknown-field", hint=hint)

    def _light(self, entity: Entity) -> Light:
        values = self._reader.values(entity, entity.name)
        return _LIGHTS[entity.kind](name=entity.name, **values)

    def _camera(self, entity: Entity) -> Camera:
        return Camera(**self._reader.values(entity, "camera"))

    def _world_values(self, entity: Entity) -> dict[str, Any]:
        for name in ("objects", "planes", "lights", "fluids"):
            if name in entity.fields:
                self._check_things(entity, name)
        if "camera" in entity.fields:
            value = entity.fields["camera"].value
            if not isinstance(value, Entity) or value.kind != "Camera":
                fault = FieldFault(f"expected a Camera(…), got {type_name(value)}")
                self._reader.report(entity, "world", "camera", entity.fields["camera"], fault)
        return self._reader.values(entity, "world", ("objects", "planes", "lights", "fluids", "camera"))

    def _check_things(self, entity: Entity, name: str) -> None:
        stated = entity.fields[name]
        kinds: tuple[Kind, ...] = {"objects": ("Object",), "planes": ("Plane",), "fluids": ("Fluid",)}.get(
            name, LIGHT_KINDS
        )  # type: ignore[assignment]
        good = isinstance(stated.value, list | tuple) and all(
            isinstance(item, Entity) and item.kind in kinds for item in stated.value
        )
        if not good:
            fault = FieldFault(f"expected a list of {', '.join(kinds)}, got {brief(stated.value)}")
            self._reader.report(entity, "world", name, stated, fault)


def _stated(world: Entity, camera: Entity | None, lights: bool) -> frozenset[str]:
    said = set(world.fields)
    if camera is not None:
        said |= {"camera", *(f"camera.{name}" for name in camera.fields)}
    if lights:
        said.add("lights")
    return frozenset(said)


def _name_curves(entity: Entity) -> None:
    """``dir=[[…], […]]`` states a curve: several vectors where one is expected."""
    for name, curve in CURVES.items():
        stated = entity.fields.get(name)
        value = stated.value if stated is not None else None
        if isinstance(value, np.ndarray):
            value = value.tolist()
        vectors = list(value) if isinstance(value, list | tuple) else []
        several = vectors and all(isinstance(v, list | tuple | np.ndarray) for v in vectors)
        if stated is not None and several and curve not in entity.fields:
            entity.fields[curve] = entity.fields.pop(name)

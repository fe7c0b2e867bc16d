"""Makes the immutable world out of the entities of a script, with the place of every stated value."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from fourdcb.dsl.convert import FieldFault, convert, quaternion, quaternion_of_euler, unit_normal
from fourdcb.dsl.entities import LIGHT_KINDS, Entity, Kind, Stated
from fourdcb.dsl.faults import Diagnostics
from fourdcb.dsl.operators import brief, type_name
from fourdcb.dsl.rules import SURFACE_FIELDS, FieldRule, rules_of, suggestion
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Light,
    Material,
    Object,
    Plane,
    PointLight,
    World,
)
from fourdcb.world.presets import material_names, material_preset

_TEXTURED = {"base_color": "base_color_map"}
_LIGHTS: Mapping[Kind, type[Light]] = {
    "DirectionalLight": DirectionalLight,
    "PointLight": PointLight,
    "AreaLight": AreaLight,
}
FIXED_NAMES = ("camera", "world")


@dataclass(slots=True)
class Built:
    """The world and where its values come from.

    Attributes:
        origins: expression that states the value at each dotted path.
        stated: world-level things that the script states.
        entities: entity of each named thing, and ``camera`` and ``world``.
    """

    world: World
    origins: dict[str, ast.expr] = field(default_factory=dict)
    stated: frozenset[str] = frozenset()
    entities: dict[str, Entity] = field(default_factory=dict)


class Builder:
    """Builds one world; collects everything that is wrong on the way."""

    def __init__(self, made: list[Entity], diagnostics: Diagnostics) -> None:
        self._made, self._diagnostics = made, diagnostics
        self._origins: dict[str, ast.expr] = {}
        self._materials: dict[int, Material] = {}

    def build(self, world_entity: Entity, *, base_dir: str, source: str) -> Built:
        """The world of ``world_entity``; things that are wrong are reported and left out."""
        self._resolve_lights()
        named = self._named()
        camera_entity = self._only("Camera")
        objects = [self._object(e) for e in named.values() if e.kind == "Object"]
        planes = [self._plane(e) for e in named.values() if e.kind == "Plane"]
        lights = [self._light(e) for e in named.values() if e.kind in _LIGHTS]
        camera = self._camera(camera_entity) if camera_entity else Camera()
        self._check_unused_materials()
        values = self._world_values(world_entity)
        light_list = world_entity.fields.get("lights")
        world = World(
            **values,
            objects=tuple(o for o in objects if o is not None),
            planes=tuple(p for p in planes if p is not None),
            lights=tuple(x for x in lights if x is not None) if lights or light_list else World().lights,
            camera=camera or Camera(),
            base_dir=base_dir,
            source=source,
        )
        stated = self._stated(world_entity, camera_entity, bool(lights or light_list))
        entities = {**named, "world": world_entity}
        if camera_entity:
            entities["camera"] = camera_entity
        return Built(world, self._origins, stated, entities)

    def _stated(self, world: Entity, camera: Entity | None, lights: bool) -> frozenset[str]:
        said = set(world.fields)
        if camera is not None:
            said |= {"camera", *(f"camera.{name}" for name in camera.fields)}
        if lights:
            said.add("lights")
        return frozenset(said)

    # --- names -------------------------------------------------------------------------------------

    def _named(self) -> dict[str, Entity]:
        """Objects, planes and lights by name, in order: explicit names first claim theirs."""
        candidates = [
            e for e in self._made if e.kind == "Object" or e.kind == "Plane" or e.kind in LIGHT_KINDS
        ]
        explicit: dict[str, Entity] = {}
        for entity in candidates:
            name = self._explicit_name(entity)
            if name is None:
                continue
            if name in explicit or name in FIXED_NAMES:
                self._report_duplicate(entity, name, explicit.get(name))
            else:
                explicit[name] = entity
                entity.name = name
        for entity in candidates:
            if not entity.name and "name" not in entity.fields:
                self._give_name(entity, explicit)
        return {e.name: e for e in candidates if e.name}

    def _explicit_name(self, entity: Entity) -> str | None:
        stated = entity.fields.get("name")
        if stated is None:
            return None
        if isinstance(stated.value, str):
            return stated.value
        message = f"{entity.kind}: name: expected a text, got {type_name(stated.value)}."
        self._diagnostics.add(stated.node, message, code="type")
        return None

    def _report_duplicate(self, entity: Entity, name: str, first: Entity | None) -> None:
        if first is None:
            message, hint = f"the name {brief(name)} is reserved.", None
        else:
            line = self._diagnostics.text.location(first.node).line
            message, hint = f"duplicate name {brief(name)}.", f"Line {line} has it first."
        self._diagnostics.add(entity.fields["name"].node, message, code="duplicate-name", hint=hint)

    def _give_name(self, entity: Entity, taken: dict[str, Entity]) -> None:
        if entity.kind == "Object" and entity.variable is None:
            self._diagnostics.add(entity.node, "Object: missing required field 'name'.", code="missing-field")
            return
        base = entity.variable or ("plane" if entity.kind == "Plane" else "light")
        name, number = base, 2
        while name in taken or name in FIXED_NAMES:
            name, number = f"{base}_{number}", number + 1
        entity.name = name
        taken[name] = entity

    def _only(self, kind: Kind) -> Entity | None:
        found = [e for e in self._made if e.kind == kind]
        for extra in found[1:]:
            self._diagnostics.add(
                extra.node, f"a world has one {kind}, this is another.", code="duplicate-name"
            )
        return found[0] if found else None

    # --- fields ------------------------------------------------------------------------------------

    def _values(self, entity: Entity, path: str, skip: tuple[str, ...] = ()) -> dict[str, Any] | None:
        """Converted field values of an entity, or None when something is wrong with it."""
        found: dict[str, Any] = {}
        for name, stated in entity.fields.items():
            if name == "name" or name in skip:
                continue
            self.record(path, name, stated)
            rule = rules_of(entity.kind)[name]
            try:
                found[name] = convert(stated.value, rule)
            except FieldFault as fault:
                self._report(entity, path, name, stated, fault)
        self._check_required(entity, path)
        return None if entity.faulty else found

    def record(self, path: str, name: str, stated: Stated) -> None:
        """Remember where a field and its components are stated."""
        self._origins[f"{path}.{name}"] = stated.node
        for index, node in stated.elements.items():
            self._origins[f"{path}.{name}[{index}]"] = node

    def _report(self, entity: Entity, path: str, name: str, stated: Stated, fault: FieldFault) -> None:
        entity.faulty = True
        node = stated.node if fault.index is None else stated.elements.get(fault.index, stated.node)
        where = name if fault.index is None else f"{name}[{fault.index}]"
        self._diagnostics.add(
            node,
            f"{entity.label}: {where}: {fault.message}.",
            code=fault.code,
            path=f"{path}.{where}",
            hint=fault.hint,
        )

    def _check_required(self, entity: Entity, path: str) -> None:
        for name, rule in rules_of(entity.kind).items():
            if not rule.required or name in entity.fields or (name == "geometry" and "mesh" in entity.fields):
                continue
            entity.faulty = True
            near = get_close_matches(name, entity.unknown, n=1, cutoff=0.5)
            message = f"{entity.label}: missing required field '{name}' (expected {rule.expected})."
            hint = f"Did you mean '{near[0]}'?" if near else None
            self._diagnostics.add(
                entity.node, message, code="missing-field", path=f"{path}.{name}", hint=hint
            )

    # --- things ------------------------------------------------------------------------------------

    def _object(self, entity: Entity) -> Object | None:
        path = entity.name
        material = self._material(entity, path)
        values = self._values(entity, path, ("material", *SURFACE_FIELDS))
        if values is None or material is None:
            return None
        self._fix_geometry(entity, path, values)
        self._fix_orientation(entity, path, values)
        return None if entity.faulty else Object(name=entity.name, material=material, **values)

    def _fix_geometry(self, entity: Entity, path: str, values: dict[str, Any]) -> None:
        if values.get("mesh") is None:
            if values.get("geometry") == "mesh":
                message = 'geometry "mesh" needs mesh="file.obj"'
                self._report(entity, path, "geometry", entity.fields["geometry"], FieldFault(message))
            return
        if values.setdefault("geometry", "mesh") != "mesh":
            message = f'mesh is given, so geometry must be "mesh", got {brief(values["geometry"])}'
            self._report(entity, path, "geometry", entity.fields["geometry"], FieldFault(message))

    def _fix_orientation(self, entity: Entity, path: str, values: dict[str, Any]) -> None:
        euler = values.pop("euler_deg", None)
        if euler is not None and "rot" in values:
            fault = FieldFault("rot and euler_deg are two ways to say the same; give one")
            self._report(entity, path, "euler_deg", entity.fields["euler_deg"], fault)
        elif euler is not None:
            values["rot"] = quaternion_of_euler(euler)
        elif "rot" in values:
            try:
                values["rot"] = quaternion(values["rot"])
            except FieldFault as fault:
                self._report(entity, path, "rot", entity.fields["rot"], fault)

    def _plane(self, entity: Entity) -> Plane | None:
        path = entity.name
        material = self._material(entity, path)
        values = self._values(entity, path, ("material", *SURFACE_FIELDS))
        if values is None or material is None:
            return None
        if "normal" in values:
            try:
                values["normal"] = unit_normal(values["normal"])
            except FieldFault as fault:
                self._report(entity, path, "normal", entity.fields["normal"], fault)
                return None
        return Plane(name=entity.name, material=material, **values)

    def _resolve_lights(self) -> None:
        """``Light(…)`` becomes the light that its fields mean."""
        for entity in self._made:
            if entity.kind != "Light":
                continue
            given = entity.fields
            if "size" in given:
                entity.kind = "AreaLight"
            elif "direction" in given or "pos" not in given:
                entity.kind = "DirectionalLight"
            else:
                entity.kind = "PointLight"
            for name in [n for n in given if n not in rules_of(entity.kind)]:
                entity.faulty = True
                hint = "Use PointLight (pos) or AreaLight (pos, direction, size)." if name == "pos" else None
                message = f"{entity.label}: unknown field '{name}'."
                hint = hint or suggestion(entity.kind, name)
                self._diagnostics.add(given.pop(name).node, message, code="unknown-field", hint=hint)

    def _light(self, entity: Entity) -> Light | None:
        values = self._values(entity, entity.name)
        return None if values is None else _LIGHTS[entity.kind](name=entity.name, **values)

    def _camera(self, entity: Entity) -> Camera | None:
        values = self._values(entity, "camera")
        return None if values is None else Camera(**values)

    def _world_values(self, entity: Entity) -> dict[str, Any]:
        for name in ("objects", "planes", "lights"):
            if name in entity.fields:
                self._check_things(entity, name)
        if "camera" in entity.fields:
            value = entity.fields["camera"].value
            if not isinstance(value, Entity) or value.kind != "Camera":
                fault = FieldFault(f"expected a Camera(…), got {type_name(value)}")
                self._report(entity, "world", "camera", entity.fields["camera"], fault)
        return self._values(entity, "world", ("objects", "planes", "lights", "camera")) or {}

    def _check_things(self, entity: Entity, name: str) -> None:
        stated = entity.fields[name]
        kinds: tuple[Kind, ...] = {"objects": ("Object",), "planes": ("Plane",)}.get(name, LIGHT_KINDS)  # type: ignore[assignment]
        good = isinstance(stated.value, list | tuple) and all(
            isinstance(item, Entity) and item.kind in kinds for item in stated.value
        )
        if not good:
            fault = FieldFault(f"expected a list of {', '.join(kinds)}, got {brief(stated.value)}")
            self._report(entity, "world", name, stated, fault)

    # --- materials ---------------------------------------------------------------------------------

    def _material(self, entity: Entity, path: str) -> Material | None:
        """The material of an object or plane: a preset or Material(…), then the body's own fields."""
        stated = entity.fields.get("material")
        base: Material | None = Material()
        if stated is not None:
            self._origins[f"{path}.material"] = stated.node
            if isinstance(stated.value, str):
                base = self._preset(entity, path, stated)
            elif isinstance(stated.value, Entity) and stated.value.kind == "Material":
                base = self._custom_material(stated.value, path)
            else:
                rule = rules_of(entity.kind)["material"]
                fault = FieldFault(f"expected {rule.expected}, got {type_name(stated.value)}")
                self._report(entity, path, "material", stated, fault)
                base = None
        own = self._surface(entity, path, SURFACE_FIELDS)
        if base is None or own is None:
            entity.faulty = True
            return None
        return replace(base, **own)

    def _preset(self, entity: Entity, path: str, stated: Stated) -> Material | None:
        if stated.value in material_names():
            return material_preset(stated.value)
        near = get_close_matches(stated.value[:60].lower(), material_names(), n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Materials: {', '.join(material_names())}."
        fault = FieldFault(f"unknown material {brief(stated.value)}", code="unknown-material", hint=hint)
        self._report(entity, path, "material", stated, fault)
        return None

    def _custom_material(self, entity: Entity, path: str) -> Material | None:
        """``Material("oak", …)`` starts from the preset of that name, another name from the defaults."""
        name = entity.fields["name"].value if "name" in entity.fields else entity.variable or Material().name
        known = self._materials.get(id(entity))
        values = self._surface(entity, path, tuple(f.name for f in fields(Material) if f.name != "name"))
        if known is not None or entity.faulty or values is None:
            return known
        if not isinstance(name, str):
            fault = FieldFault(f"expected a text, got {type_name(name)}")
            self._report(entity, path, "name", entity.fields["name"], fault)
            return None
        base = material_preset(name) if name in material_names() else Material()
        made = replace(base, **{**values, "name": name})
        self._materials[id(entity)] = made
        return made

    def _surface(self, entity: Entity, path: str, names: tuple[str, ...]) -> dict[str, Any] | None:
        """Converted appearance fields; a Texture given as a colour becomes the colour map."""
        found: dict[str, Any] = {}
        for name in names:
            stated = entity.fields.get(name)
            if stated is None:
                continue
            target = name
            if isinstance(stated.value, Entity) and name in _TEXTURED:
                target = _TEXTURED[name]
            self.record(path, target, stated)
            rule: FieldRule = rules_of(entity.kind)[target]
            try:
                value = convert(stated.value, rule)
            except FieldFault as fault:
                self._report(entity, path, name, stated, fault)
                continue
            if value is not None or entity.kind == "Material":
                found[target] = value
        return None if entity.faulty else found

    def _check_unused_materials(self) -> None:
        """A material that nobody uses is still checked."""
        for entity in self._made:
            if entity.kind == "Material" and id(entity) not in self._materials and not entity.faulty:
                scratch = dict(self._origins)
                self._custom_material(entity, "material")
                self._origins = scratch

"""Materials of a script: presets, Material(…) and the appearance that a body states itself."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from fourdcb.dsl.convert import FieldFault
from fourdcb.dsl.entities import Entity, Stated
from fourdcb.dsl.fieldset import FieldReader
from fourdcb.dsl.operators import brief, type_name
from fourdcb.dsl.rules import SURFACE_FIELDS, rules_of
from fourdcb.world import Material
from fourdcb.world.presets import material_names, material_preset

_MATERIAL_FIELDS = tuple(f.name for f in fields(Material) if f.name != "name")
_TEXTURED = {"base_color": "base_color_map"}


@dataclass(slots=True)
class SurfaceReader:
    """Makes the material of each body.

    Attributes:
        materials: the Material(…) that gives the value at a dotted path.
    """

    reader: FieldReader
    materials: dict[str, Entity] = field(default_factory=dict)
    _made: dict[int, Material] = field(default_factory=dict)

    def material_of(self, body: Entity, path: str) -> Material:
        """The material of an object or plane: a preset or Material(…), then the body's own fields."""
        stated = body.fields.get("material")
        base = Material()
        if stated is not None:
            self.reader.origins[f"{path}.material"] = stated.node
            base = self._stated_material(body, path, stated)
        own = self._appearance(body, path, SURFACE_FIELDS)
        for name in own:
            self.materials.pop(f"{path}.{name}", None)
        return replace(base, **{name: value for name, value in own.items() if value is not None})

    def _stated_material(self, body: Entity, path: str, stated: Stated) -> Material:
        """The material that a body names; the default one after reporting that there is none."""
        value = stated.value
        if isinstance(value, str):
            return self._preset(body, path, stated)
        if isinstance(value, Entity) and value.kind == "Material":
            return self._custom(value, path)
        expected = rules_of(body.kind)["material"].expected
        fault = FieldFault(f"expected {expected}, got {type_name(value)}")
        self.reader.report(body, path, "material", stated, fault)
        return Material()

    def _preset(self, body: Entity, path: str, stated: Stated) -> Material:
        if stated.value in material_names():
            return material_preset(stated.value)
        near = get_close_matches(stated.value[:60].lower(), material_names(), n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Materials: {', '.join(material_names())}."
        fault = FieldFault(f"unknown material {brief(stated.value)}", code="unknown-material", hint=hint)
        self.reader.report(body, path, "material", stated, fault)
        return Material()

    def _custom(self, entity: Entity, path: str) -> Material:
        """``Material("oak", …)`` starts from the preset of that name, another name from the defaults."""
        known = self._made.get(id(entity))
        if known is not None:
            self._record(entity, path)
            return known
        values = self._appearance(entity, path, _MATERIAL_FIELDS)
        self._record(entity, path)
        stated = entity.fields.get("name")
        name = stated.value if stated is not None else entity.variable or Material().name
        if stated is not None and not isinstance(name, str):
            fault = FieldFault(f"expected a text, got {type_name(name)}")
            self.reader.report(entity, path, "name", stated, fault)
            name = Material().name
        is_said = stated is not None or entity.variable is not None
        base = material_preset(name) if is_said and name in material_names() else Material()
        self._made[id(entity)] = replace(base, **{**values, "name": name})
        return self._made[id(entity)]

    def _appearance(self, entity: Entity, path: str, names: tuple[str, ...]) -> dict[str, Any]:
        """Converted appearance fields; a Texture given as a colour becomes the colour map."""
        found: dict[str, Any] = {}
        for name in names:
            stated = entity.fields.get(name)
            if stated is None:
                continue
            target = _target(name, stated)
            value = self.reader.value(entity, path, target, stated)
            if value is not None or stated.value is None:
                found[target] = value
        return found

    def _record(self, entity: Entity, path: str) -> None:
        """Remember that the fields of a material give the values of the body at ``path``."""
        for name in _MATERIAL_FIELDS:
            stated = entity.fields.get(name)
            if stated is not None:
                target = _target(name, stated)
                self.reader.record(path, target, stated)
                self.materials[f"{path}.{target}"] = entity

    def check_unused(self, made: list[Entity]) -> None:
        """A material that nobody uses is still checked."""
        places = dict(self.reader.origins)
        for entity in made:
            if entity.kind == "Material" and id(entity) not in self._made:
                path = entity.variable or "material"
                material = self._custom(entity, path)
                targets = [
                    _target(name, entity.fields[name]) for name in _MATERIAL_FIELDS if name in entity.fields
                ]
                self.reader.check_ranges(entity, path, {name: getattr(material, name) for name in targets})
        self.reader.origins.clear()
        self.reader.origins.update(places)


def _target(name: str, stated: Stated) -> str:
    """The field that a stated one fills: a Texture given as a colour fills the colour map."""
    return _TEXTURED[name] if isinstance(stated.value, Entity) and name in _TEXTURED else name

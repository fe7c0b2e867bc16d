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
    """Makes the material of each body."""

    reader: FieldReader
    _made: dict[int, Material] = field(default_factory=dict)

    def material_of(self, body: Entity, path: str) -> Material | None:
        """The material of an object or plane: a preset or Material(…), then the body's own fields."""
        stated = body.fields.get("material")
        base: Material | None = Material()
        if stated is not None:
            self.reader.origins[f"{path}.material"] = stated.node
            base = self._stated_material(body, path, stated)
        own = self._appearance(body, path, SURFACE_FIELDS)
        own = {name: value for name, value in own.items() if value is not None}
        if base is None or body.faulty:
            self.reader.check_ranges(body, path, {n: v for n, v in own.items() if n in body.fields})
            body.faulty = True
            return None
        return replace(base, **own)

    def _stated_material(self, body: Entity, path: str, stated: Stated) -> Material | None:
        value = stated.value
        if isinstance(value, str):
            return self._preset(body, path, stated)
        if isinstance(value, Entity) and value.kind == "Material":
            return self._custom(value, path)
        expected = rules_of(body.kind)["material"].expected
        fault = FieldFault(f"expected {expected}, got {type_name(value)}")
        self.reader.report(body, path, "material", stated, fault)
        return None

    def _preset(self, body: Entity, path: str, stated: Stated) -> Material | None:
        if stated.value in material_names():
            return material_preset(stated.value)
        near = get_close_matches(stated.value[:60].lower(), material_names(), n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Materials: {', '.join(material_names())}."
        fault = FieldFault(f"unknown material {brief(stated.value)}", code="unknown-material", hint=hint)
        self.reader.report(body, path, "material", stated, fault)
        return None

    def _custom(self, entity: Entity, path: str) -> Material | None:
        """``Material("oak", …)`` starts from the preset of that name, another name from the defaults."""
        values = self._appearance(entity, path, _MATERIAL_FIELDS)
        known = self._made.get(id(entity))
        if known is not None:
            return known
        stated = entity.fields.get("name")
        name = stated.value if stated is not None else entity.variable or Material().name
        if stated is not None and not isinstance(name, str):
            fault = FieldFault(f"expected a text, got {type_name(name)}")
            self.reader.report(entity, path, "name", stated, fault)
        if entity.faulty:
            return None
        base = material_preset(name) if name in material_names() else Material()
        self._made[id(entity)] = replace(base, **{**values, "name": name})
        return self._made[id(entity)]

    def _appearance(self, entity: Entity, path: str, names: tuple[str, ...]) -> dict[str, Any]:
        """Converted appearance fields; a Texture given as a colour becomes the colour map."""
        found: dict[str, Any] = {}
        for name in names:
            stated = entity.fields.get(name)
            if stated is None:
                continue
            target = _TEXTURED[name] if isinstance(stated.value, Entity) and name in _TEXTURED else name
            found[target] = self.reader.value(entity, path, target, stated)
        return found

    def check_unused(self, made: list[Entity]) -> None:
        """A material that nobody uses is still checked."""
        places = dict(self.reader.origins)
        for entity in made:
            if entity.kind == "Material" and id(entity) not in self._made and not entity.faulty:
                self._custom(entity, entity.variable or "material")
        self.reader.origins.clear()
        self.reader.origins.update(places)

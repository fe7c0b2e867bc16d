"""Constructors, field assignments and look-ups: everything that a script does to the things of its world."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from fourdcb.dsl.budget import Meter
from fourdcb.dsl.entities import LIGHT_KINDS, NAMED_KINDS, Entity, Kind, Stated
from fourdcb.dsl.faults import Diagnostics, ScriptFault
from fourdcb.dsl.library import Builtin, items_of
from fourdcb.dsl.operators import OperandError, brief, type_name
from fourdcb.dsl.origins import Argument, Origins
from fourdcb.dsl.rules import POSITIONAL, rules_of, spellings, suggestion
from fourdcb.world import Material

KINDS: tuple[Kind, ...] = get_args(Kind)
_MEMBERS: Mapping[str, tuple[Kind, ...]] = {
    "objects": ("Object",),
    "planes": ("Plane",),
    "lights": LIGHT_KINDS,
    "fluids": ("Fluid",),
}
# Other spellings of world.add that say nothing else.
ADDERS = ("add", "add_object", "add_plane", "add_light", "add_fluid", "add_camera", "set_camera")


@dataclass(frozen=True, slots=True)
class Constructor:
    """``Object``, ``Plane`` … as a value of the language."""

    kind: Kind


@dataclass(slots=True)
class Workshop:
    """Makes entities and keeps them in the order of their construction."""

    meter: Meter
    origins: Origins
    diagnostics: Diagnostics
    made: list[Entity] = field(default_factory=list)

    def construct(
        self, kind: Kind, node: ast.Call, args: list[Argument], kwargs: Mapping[str, Argument]
    ) -> Entity:
        """Make an entity. Raises ScriptFault for arguments that fit nowhere."""
        self.meter.thing()
        entity = Entity(kind, node)
        self.made.append(entity)
        for name, argument in self._named(entity, args).items():
            self._state(entity, name, argument)
        for written, argument in kwargs.items():
            self._state_checked(entity, written, argument)
        return entity

    def _named(self, entity: Entity, args: list[Argument]) -> dict[str, Argument]:
        named: dict[str, Argument] = {}
        rest = list(args)
        if rest and isinstance(rest[0].value, str) and "name" in rules_of(entity.kind):
            named["name"] = rest.pop(0)
        order = POSITIONAL[entity.kind]
        if len(rest) > len(order):
            raise ScriptFault(
                rest[len(order)].node,
                f"{entity.kind}: too many values without a field name.",
                code="positional",
                hint="Write field=value.",
            )
        return named | dict(zip(order, rest, strict=False))

    def _state_checked(self, entity: Entity, written: str, argument: Argument) -> None:
        name = spellings(entity.kind).get(written)
        if name is None:
            self._report_unknown(entity, written, argument.keyword or argument.node)
        elif name in entity.fields:
            message = f"{entity.label}: '{name}' is given twice."
            self.diagnostics.add(argument.keyword or argument.node, message, code="duplicate-argument")
        else:
            self._state(entity, name, argument)

    def _report_unknown(self, entity: Entity, written: str, node: ast.AST) -> None:
        entity.unknown.append(written)
        message = f"{entity.label}: unknown field '{written[:60]}'."
        hint = suggestion(entity.kind, written)
        self.diagnostics.add(node, message, code="unknown-field", hint=hint)

    def _state(self, entity: Entity, name: str, argument: Argument) -> None:
        elements = self.origins.elements_of(argument.value)
        entity.fields[name] = Stated(argument.value, argument.node, elements)

    def assign(self, entity: Entity, written: str, argument: Argument) -> None:
        """``entity.field = value``. Unknown fields are reported, not raised."""
        name = spellings(entity.kind).get(written)
        if name is None:
            self._report_unknown(entity, written, argument.node)
            return
        if name in ("rot", "euler_deg"):
            entity.fields.pop("euler_deg" if name == "rot" else "rot", None)
        self._state(entity, name, argument)

    def assign_component(
        self, entity: Entity, written: str, index: Any, argument: Argument, node: ast.Subscript
    ) -> None:
        """``entity.field[index] = value``. Raises ScriptFault."""
        name = spellings(entity.kind).get(written)
        if name is None:
            self._report_unknown(entity, written, argument.node)
            return
        stated = entity.fields.get(name)
        current = stated.value if stated else rules_of(entity.kind)[name].default
        try:
            components = items_of(current, self.meter)
        except OperandError:
            raise ScriptFault(node, f"{entity.label}: '{name}' has no components.", code="type") from None
        if not isinstance(index, int) or not -len(components) <= index < len(components):
            raise ScriptFault(
                node, f"{entity.label}: '{name}' has no component {brief(index)}.", code="index"
            )
        index %= len(components)
        components[index] = argument.value
        elements = dict(stated.elements) if stated else {}
        elements[index] = argument.node
        # A copy of its own: several things may have been given the same list.
        entity.fields[name] = Stated(components, stated.node if stated else argument.node, elements)

    def read(self, entity: Entity, written: str, node: ast.Attribute) -> Any:
        """``entity.field``: the stated value, else the default. Raises ScriptFault."""
        if entity.kind == "World" and written in ADDERS:
            return Builtin(f"world.{written}", self._adder(written))
        if entity.kind == "World" and written == "camera" and "camera" not in entity.fields:
            camera = next((item for item in self.made if item.kind == "Camera"), None)
            return camera or self.implied_camera(node)
        if entity.kind == "World" and written in _MEMBERS:  # things join the world by being made
            members = [item for item in self.made if item.kind in _MEMBERS[written]]
            self.meter.length(len(members))
            return members
        name = spellings(entity.kind).get(written)
        if name is None:
            hint = suggestion(entity.kind, written)
            raise ScriptFault(
                node, f"{entity.label} has no field '{written[:60]}'.", code="unknown-field", hint=hint
            )
        if name in entity.fields:
            return entity.fields[name].value
        if name == "name":
            return entity.name or entity.variable or ""
        default = rules_of(entity.kind)[name].default
        if isinstance(default, Material):
            return default.name
        return list(default) if isinstance(default, tuple) else default

    def implied_camera(self, node: ast.expr) -> Entity:
        """The default camera, made when a script reaches for ``world.camera`` without having made one."""
        camera = Entity("Camera", ast.Call(func=node, args=[], keywords=[], **_place(node)))
        self.made.append(camera)
        return camera

    def composed(self, things: tuple[Entity, Entity], node: ast.expr) -> Entity:
        """The world of ``Object(…) + Light(…)``: the script's own, else one that is made for it.

        Things are in the world by being made; the sum only names it.

        Raises:
            OperandError: when one of the two is no part of a world.
        """
        for item in things:
            if item.kind not in ("World", "Camera", *NAMED_KINDS):
                raise OperandError(
                    f"'+' joins objects, planes, lights, a fluid and a camera, not {type_name(item)}"
                )
        worlds = [item for item in (*things, *self.made) if item.kind == "World"]
        if worlds:
            return worlds[0]
        world = Entity("World", ast.Call(func=node, args=[], keywords=[], **_place(node)))
        self.made.append(world)
        return world

    def _adder(self, written: str) -> Any:
        def add(*things: Any) -> Any:
            for thing in things:
                for item in thing if isinstance(thing, list | tuple) else [thing]:
                    if not isinstance(item, Entity) or item.kind in ("World", "Material", "Texture"):
                        raise OperandError(
                            f"world.{written} takes objects, planes, lights, a fluid or a camera,"
                            f" not {type_name(item)}"
                        )
            return things[0] if things else None

        return add

    def lookup(self, entity: Entity, index: Any, node: ast.Subscript) -> Entity:
        """``world["cup"]``: the object, plane or light of that name. Raises ScriptFault."""
        if entity.kind != "World" or not isinstance(index, str):
            raise ScriptFault(node, f'{type_name(entity)} has no entries; write world["name"].', code="type")
        for item in self.made:
            if item.kind in NAMED_KINDS and index == self._current_name(item):
                return item
        if index == "default light" and not any(item.kind in LIGHT_KINDS for item in self.made):
            return self._implied_light(node)
        raise ScriptFault(node, f"the world has nothing named {brief(index)} yet.", code="undefined-name")

    def _implied_light(self, node: ast.expr) -> Entity:
        light = Entity("DirectionalLight", ast.Call(func=node, args=[], keywords=[], **_place(node)))
        light.fields["name"] = Stated("default light", node)
        self.made.append(light)
        return light

    @staticmethod
    def _current_name(item: Entity) -> Any:
        stated = item.fields.get("name")
        return stated.value if stated else item.variable


def _place(node: ast.expr) -> dict[str, Any]:
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }

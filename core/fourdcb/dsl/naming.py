"""Gives every thing of a world its name: the stated one, else its variable's, else one by kind."""

from __future__ import annotations

from fourdcb.dsl.entities import NAMED_KINDS, Entity, Kind
from fourdcb.dsl.faults import Diagnostics
from fourdcb.dsl.operators import brief, type_name
from fourdcb.world.validate import RESERVED_NAMES


def named_entities(made: list[Entity], diagnostics: Diagnostics) -> dict[str, Entity]:
    """Objects, planes and lights by name, in the order of construction; wrong and missing names
    are reported and have a stand-in."""
    candidates = [entity for entity in made if entity.kind in NAMED_KINDS]
    explicit: dict[str, Entity] = {}
    for entity in candidates:
        name = _stated_name(entity, diagnostics)
        if name is None:
            continue
        if name in explicit or name in RESERVED_NAMES:
            _report_duplicate(entity, name, explicit.get(name), diagnostics)
        else:
            explicit[name] = entity
            entity.name = name
    for entity in candidates:
        if entity not in explicit.values():
            _give_name(entity, explicit, diagnostics)
    return {entity.name: entity for entity in candidates}


def only_entity(kind: Kind, made: list[Entity], diagnostics: Diagnostics) -> Entity | None:
    """The one entity of a kind, if any; further ones are reported."""
    found = [entity for entity in made if entity.kind == kind]
    for extra in found[1:]:
        diagnostics.add(extra.node, f"a world has one {kind}, this is another.", code="duplicate-name")
    return found[0] if found else None


def _stated_name(entity: Entity, diagnostics: Diagnostics) -> str | None:
    stated = entity.fields.get("name")
    if stated is None:
        return None
    if isinstance(stated.value, str):
        return stated.value
    message = f"{entity.kind}: name: expected a text, got {type_name(stated.value)}."
    diagnostics.add(stated.node, message, code="type")
    return None


def _report_duplicate(entity: Entity, name: str, first: Entity | None, diagnostics: Diagnostics) -> None:
    if first is None:
        message, hint = f"the name {brief(name)} is reserved.", None
    else:
        line = diagnostics.text.location(first.node).line
        message, hint = f"duplicate name {brief(name)}.", f"Line {line} has it first."
    diagnostics.add(entity.fields["name"].node, message, code="duplicate-name", hint=hint)


def _give_name(entity: Entity, taken: dict[str, Entity], diagnostics: Diagnostics) -> None:
    if entity.kind == "Object" and entity.variable is None and "name" not in entity.fields:
        diagnostics.add(entity.node, "Object: missing required field 'name'.", code="missing-field")
    base = entity.variable or {"Plane": "plane", "Object": "object", "Fluid": "fluid"}.get(
        entity.kind, "light"
    )
    name, number = base, 2
    while name in taken or name in RESERVED_NAMES:
        name, number = f"{base}_{number}", number + 1
    entity.name = name
    taken[name] = entity

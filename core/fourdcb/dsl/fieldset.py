"""Reads the stated fields of an entity: values, their places, and everything that is wrong with them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from fourdcb.dsl.convert import FieldFault, convert
from fourdcb.dsl.entities import Entity, Stated
from fourdcb.dsl.faults import Diagnostics
from fourdcb.dsl.rules import FieldRule, rules_of
from fourdcb.world.validate import number_remarks

# What a model has to see in the video and cannot leave to a default.
_WAYS_OUT = {
    ("Object", "geometry"): 'Write geometry="box" (sphere, cylinder, cone, capsule) and size=[x, y, z].',
    ("Object", "acc"): "Write acc=[0, 0, -9.8] for what falls, [0, 0, 0] for what does not.",
    ("Object", "vel"): "Write vel=[0, 0, 0] for what is at rest at the start.",
}


@dataclass(slots=True)
class FieldReader:
    """Converts fields and keeps the book of where each value is stated.

    Attributes:
        origins: expression that states the value at each dotted path.
    """

    diagnostics: Diagnostics
    origins: dict[str, ast.expr] = field(default_factory=dict)

    def values(self, entity: Entity, path: str, skip: tuple[str, ...] = ()) -> dict[str, Any]:
        """Converted values of the fields that are right; the others are reported."""
        found: dict[str, Any] = {}
        for name, stated in entity.fields.items():
            if name == "name" or name in skip:
                continue
            value = self.value(entity, path, name, stated)
            if value is not None:
                found[name] = value
        self._check_required(entity, path)
        return found

    def value(self, entity: Entity, path: str, name: str, stated: Stated) -> Any:
        """Converted value of one field, or None after reporting what is wrong (or when None is stated)."""
        self.record(path, name, stated)
        try:
            return convert(stated.value, rules_of(entity.kind)[name])
        except FieldFault as fault:
            self.report(entity, path, name, stated, fault)
            return None

    def record(self, path: str, name: str, stated: Stated) -> None:
        """Remember where a field and its components are stated."""
        self.origins[f"{path}.{name}"] = stated.node
        for index, node in stated.elements.items():
            self.origins[f"{path}.{name}[{index}]"] = node

    def report(self, entity: Entity, path: str, name: str, stated: Stated, fault: FieldFault) -> None:
        """Record what is wrong with a field, at the component that is wrong."""
        node = stated.node if fault.index is None else stated.elements.get(fault.index, stated.node)
        where = name if fault.index is None else f"{name}[{fault.index}]"
        message = f"{entity.label}: {where}: {fault.message}."
        self.diagnostics.add(node, message, code=fault.code, path=f"{path}.{where}", hint=fault.hint)

    def check_ranges(self, entity: Entity, path: str, values: dict[str, Any]) -> None:
        """Range errors of a thing that no body uses, which the world's validation will not see."""
        for name, value in values.items():
            rule: FieldRule = rules_of(entity.kind)[name]
            components = value if isinstance(value, tuple) else (value,)
            for index, component in enumerate(components):
                if isinstance(component, bool) or not isinstance(component, int | float):
                    continue
                where = f"{path}.{name}[{index}]" if isinstance(value, tuple) else f"{path}.{name}"
                node = self.origins.get(where, entity.fields[name].node)
                for remark in number_remarks(where, component, rule.spec):
                    self.diagnostics.add(node, remark.message, code=remark.code, path=where, hint=remark.hint)

    def _check_required(self, entity: Entity, path: str) -> None:
        for name, rule in rules_of(entity.kind).items():
            if not rule.required or name in entity.fields or (name == "geometry" and "mesh" in entity.fields):
                continue
            near = get_close_matches(name, entity.unknown, n=1, cutoff=0.5)
            message = f"{entity.label}: missing required field '{name}' (expected {rule.expected})."
            hint = f"Did you mean '{near[0]}'?" if near else _WAYS_OUT.get((entity.kind, name))
            self.diagnostics.add(entity.node, message, code="missing-field", path=f"{path}.{name}", hint=hint)

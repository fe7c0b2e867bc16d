"""What the constructors of a script make: records of stated values with the place of each."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "World",
    "Object",
    "Plane",
    "Light",
    "DirectionalLight",
    "PointLight",
    "AreaLight",
    "Camera",
    "Material",
    "Texture",
    "Fluid",
]
LIGHT_KINDS: tuple[Kind, ...] = ("Light", "DirectionalLight", "PointLight", "AreaLight")
NAMED_KINDS: tuple[Kind, ...] = ("Object", "Plane", *LIGHT_KINDS, "Fluid")


@dataclass(slots=True)
class Stated:
    """A value that the script states for a field.

    Attributes:
        node: the expression that gave it.
        elements: the expressions of its components, where they are known one by one.
    """

    value: Any
    node: ast.expr
    elements: dict[int, ast.expr] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Entity:
    """One constructed thing. Its values are checked when the script has ended.

    Attributes:
        kind: the constructor; ``Light`` is resolved at the end.
        node: the call.
        fields: stated values by canonical field name.
        variable: the name that it was assigned to first, if any.
        name: its name in the world; filled in at the end.
        unknown: unknown fields that were written, for suggestions.
    """

    kind: Kind
    node: ast.Call
    fields: dict[str, Stated] = field(default_factory=dict)
    variable: str | None = None
    name: str = ""
    unknown: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"{self.kind}({self.name or self.variable or ''})"

    @property
    def label(self) -> str:
        """``Object 'cup'``, for messages."""
        stated = self.fields.get("name")
        name = stated.value if stated and isinstance(stated.value, str) else self.name or self.variable
        return f"{self.kind} '{name[:60]}'" if name else self.kind

"""Effective contact properties of bodies and pairs, and effective masses: what the script implies."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fourdcb.world.model import Object, Plane, World

DEFAULT_FRICTION = 0.5
DEFAULT_RESTITUTION = 0.0
ContactProperty = Literal["friction", "restitution"]


@dataclass(frozen=True, slots=True)
class ContactProperties:
    """Per-body factors; a pair's coefficient is the product of its bodies' factors."""

    friction: float
    restitution: float


def contact_properties(world: World) -> dict[str, ContactProperties]:
    """Effective friction and restitution of every body by name.

    Per body: the explicit value, else its material preset's, else 1 for a static body, and for a moving
    body 1 if some static body states the property, else friction 0.5 / restitution 0.
    """
    return {
        body.name: ContactProperties(
            friction=_effective(world, body, "friction", DEFAULT_FRICTION),
            restitution=_effective(world, body, "restitution", DEFAULT_RESTITUTION),
        )
        for body in world.bodies
    }


def stated(body: Object | Plane, prop: ContactProperty) -> float | None:
    """The value that the script or the material preset states, or None."""
    explicit: float | None = getattr(body, prop)
    if explicit is not None:
        return explicit
    preset: float | None = getattr(body.material, prop)
    return preset


def is_static(body: Object | Plane) -> bool:
    """Whether the body never moves."""
    return isinstance(body, Plane) or body.kind == "static"


def _effective(world: World, body: Object | Plane, prop: ContactProperty, default: float) -> float:
    value = stated(body, prop)
    if value is not None:
        return value
    if is_static(body):
        return 1.0
    said = any(is_static(other) and stated(other, prop) is not None for other in world.bodies)
    return 1.0 if said else default


def primitive_volume(obj: Object) -> float | None:
    """Volume of a primitive [m³]; None for a mesh file, whose volume its reader computes."""
    x, y, z = obj.size
    radius = 0.5 * x
    formulas: dict[str, Callable[[], float]] = {
        "sphere": lambda: 4.0 / 3.0 * math.pi * radius**3,
        "box": lambda: x * y * z,
        "cylinder": lambda: math.pi * radius**2 * z,
        "cone": lambda: math.pi * radius**2 * z / 3.0,
        "capsule": lambda: math.pi * radius**2 * (z - x) + 4.0 / 3.0 * math.pi * radius**3,
    }
    formula = formulas.get(obj.geometry)
    return formula() if formula else None


def effective_mass(obj: Object, *, volume: float | None = None) -> float:
    """Mass [kg]: the stated one, else material density × volume, else 1."""
    if obj.mass is not None:
        return obj.mass
    volume = primitive_volume(obj) if volume is None else volume
    if obj.material.density is not None and volume is not None:
        return obj.material.density * volume
    return 1.0

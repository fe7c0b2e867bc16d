"""The script's primitives as parts, with centre of mass and inertia in closed form."""

from __future__ import annotations

import math

import numpy as np

from fourdcb.errors import UserError
from fourdcb.physics.contact.narrow.forms import BodyForm, PartForm, Vec3
from fourdcb.physics.contact.narrow.hulls import box_polyhedron
from fourdcb.physics.contact.narrow.table import BOX, CAPSULE, CONE, CYLINDER, SPHERE


def primitive_form(geometry: str, size: Vec3, *, name: str) -> BodyForm:
    """Form of a primitive of even density.

    Args:
        geometry: sphere, box, cylinder, cone or capsule, standing along z.
        size: full extents [m].
        name: the object's, for errors.

    Raises:
        UserError: for extents that the geometry cannot have.
    """
    x, y, z = size
    if geometry != "box":
        _require_equal(geometry, size if geometry == "sphere" else size[:2], size, name)
    radius = 0.5 * x
    if geometry == "sphere":
        moment = 0.4 * radius**2
        return _form(
            PartForm(kind=SPHERE, size=(radius, 0.0, 0.0)), (moment,) * 3, 4 / 3 * math.pi * radius**3
        )
    if geometry == "box":
        half = (0.5 * x, 0.5 * y, 0.5 * z)
        part = PartForm(kind=BOX, size=half, solid=box_polyhedron(np.array(half)))
        return _form(part, ((y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12), x * y * z)
    if geometry == "cylinder":
        side = (3 * radius**2 + z**2) / 12
        part = PartForm(kind=CYLINDER, size=(radius, 0.5 * z, 0.0))
        return _form(part, (side, side, 0.5 * radius**2), math.pi * radius**2 * z)
    if geometry == "cone":
        side = 0.15 * radius**2 + 0.0375 * z**2
        part = PartForm(kind=CONE, size=(radius, z, 0.0))
        moments = (side, side, 0.3 * radius**2)
        return _form(part, moments, math.pi * radius**2 * z / 3, (0.0, 0.0, -0.25 * z))
    return _capsule(radius, z, name, size)


def _capsule(radius: float, height: float, name: str, size: Vec3) -> BodyForm:
    length = height - 2 * radius
    if length < 0:
        raise UserError(
            "a capsule cannot be shorter than its diameter",
            where=f"{name}.size",
            got=f"{list(size)}",
            expected="size[2] >= size[0]",
        )
    tube, caps = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    # Solid cylinder plus two half balls, each 3/8 r beyond its flat face (parallel axes).
    offset = 0.5 * length + 0.375 * radius
    half_ball = (0.4 - 0.375**2) * radius**2 + offset**2
    across = (tube * (3 * radius**2 + length**2) / 12 + caps * half_ball) / (tube + caps)
    along = (tube * 0.5 * radius**2 + caps * 0.4 * radius**2) / (tube + caps)
    part = PartForm(kind=CAPSULE, size=(radius, 0.5 * length, 0.0))
    return _form(part, (across, across, along), tube + caps)


def _form(part: PartForm, moments: Vec3, volume: float, center: Vec3 = (0.0, 0.0, 0.0)) -> BodyForm:
    return BodyForm(parts=(part,), unit_inertia=moments, volume=volume, center=center)


def _require_equal(geometry: str, extents: tuple[float, ...], size: Vec3, name: str) -> None:
    if max(extents) - min(extents) > 1e-9 * max(extents):
        equal = [max(extents)] * len(extents) + list(size[len(extents) :])
        raise UserError(
            f"a {geometry} must be as wide as it is deep" + (" and high" if geometry == "sphere" else ""),
            where=f"{name}.size",
            got=f"{list(size)}",
            expected=f"equal extents, for example {equal}",
        )

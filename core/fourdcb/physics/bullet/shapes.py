"""From an object to what Bullet collides with: geometry, centre of mass, principal inertia.

Bullet's body frame has its origin at the centre of mass and its axes along the principal axes of inertia;
everything here is expressed in it. Sizes of the script are full extents; they are halved here only.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fourdcb.errors import UserError
from fourdcb.physics.bullet.collision_shape import Hull, Part, Shape
from fourdcb.physics.bullet.mesh_shape import mesh_shape
from fourdcb.world import Object, Plane
from fourdcb.world.contact import primitive_volume

PLANE_THICKNESS = 10.0  # [m]; thick enough that nothing comes out on the far side
# A native cylinder touches a flat surface at one point a substep and so leaves a landing spinning. Three
# small spheres in each rim carry it instead, and the cylinder proper ends a hair before the cap. Three, not
# more: where supports are redundant Bullet keeps the friction of contacts whose normal impulse it has taken
# back, and a slide stops up to a third early.
RIM_SPHERES = 3
RIM_RADIUS = 0.02  # of the cap's radius
RIM_INSET = 0.04  # of the cap's radius
CAP_GAP = 0.0025  # of the cap's radius
# Two halves, nearly meeting in the middle, give the two contacts that a landing on the side needs.
HALF_LENGTH = 0.49  # of the height
CONE_SIDES = 48
HULL_SKIN = 0.001  # [m], Bullet's collision margin of hulls that do not collide face to face


def object_shape(obj: Object, *, base_dir: str, as_triangles: bool = False) -> Shape:
    """Shape of an object.

    Args:
        obj: the object; ``size`` are full extents [m].
        base_dir: folder that mesh paths are relative to.
        as_triangles: keep concave meshes as they are; for what never moves.

    Raises:
        UserError: for a mesh file that cannot be read or simulated, or extents that the geometry cannot have.
    """
    if obj.geometry == "mesh":
        return mesh_shape(obj, base_dir=base_dir, as_triangles=as_triangles)
    builders: dict[str, Callable[[Object], Shape]] = {
        "sphere": _sphere,
        "box": _box,
        "cylinder": _cylinder,
        "cone": _cone,
        "capsule": _capsule,
    }
    return builders[obj.geometry](obj)


def plane_shape(plane: Plane) -> Shape:
    """A plane as a large box whose upper face is the surface (Bullet's own plane shape lands wrongly)."""
    return Shape(
        parts=(Part(geometry=_box_tag(plane.size, plane.size, PLANE_THICKNESS)),),
        center=(0.0, 0.0, -0.5 * PLANE_THICKNESS),
        unit_inertia=(1.0, 1.0, 1.0),
        volume=plane.size**2 * PLANE_THICKNESS,
    )


def _sphere(obj: Object) -> Shape:
    radius = 0.5 * _equal_extents(obj, 3)
    return Shape(
        parts=(Part(geometry=_sphere_tag(radius)),),
        unit_inertia=(0.4 * radius**2,) * 3,
        volume=_volume(obj),
    )


def _box(obj: Object) -> Shape:
    x, y, z = obj.size
    return Shape(
        parts=(Part(geometry=_box_tag(x, y, z)),),
        unit_inertia=((y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12),
        volume=_volume(obj),
    )


def _cylinder(obj: Object) -> Shape:
    radius, height = 0.5 * _equal_extents(obj, 2), obj.size[2]
    gap = CAP_GAP * min(radius, height)
    length = HALF_LENGTH * height - gap
    middle = 0.5 * (height - length) - gap
    halves = tuple(
        Part(geometry=_cylinder_tag(radius, length), origin=(0.0, 0.0, side * middle)) for side in (-1, 1)
    )
    across = (3 * radius**2 + height**2) / 12
    return Shape(
        parts=(*halves, *_rim(radius, 0.5 * height, -1), *_rim(radius, 0.5 * height, 1)),
        unit_inertia=(across, across, 0.5 * radius**2),
        volume=_volume(obj),
    )


def _capsule(obj: Object) -> Shape:
    radius, height = 0.5 * _equal_extents(obj, 2), obj.size[2]
    length = height - 2 * radius
    if length < 0:
        raise UserError(
            "a capsule cannot be shorter than its diameter",
            where=f"{obj.name}.size",
            got=f"{list(obj.size)}",
            expected="size[2] >= size[0]",
        )
    tube, caps = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    total = tube + caps
    # Solid cylinder plus two half balls, each 3/8 r beyond its flat face (parallel axes).
    offset = 0.5 * length + 0.375 * radius
    half_ball = (0.4 - 0.375**2) * radius**2 + offset**2
    across = (tube * (3 * radius**2 + length**2) / 12 + caps * half_ball) / total
    along = (tube * 0.5 * radius**2 + caps * 0.4 * radius**2) / total
    # A native capsule touches a floor along its side at one point; balls in its ends make it three.
    ends = tuple(
        Part(geometry=_sphere_tag(radius), origin=(0.0, 0.0, side * 0.5 * length)) for side in (-1, 1)
    )
    return Shape(
        parts=(Part(geometry=f'<capsule radius="{radius!r}" length="{length!r}"/>'), *ends),
        unit_inertia=(across, across, along),
        volume=_volume(obj),
    )


def _cone(obj: Object) -> Shape:
    radius, height = 0.5 * _equal_extents(obj, 2), obj.size[2]
    low, high = -0.25 * height, 0.75 * height  # the centre of mass lies a quarter up
    angles = np.arange(CONE_SIDES) * (2 * math.pi / CONE_SIDES)
    # Bullet wraps a hull in a skin; the hull is the cone without it, and ends a hair above the base.
    skin = min(HULL_SKIN, 0.1 * min(radius, height))
    bottom = low + CAP_GAP * min(radius, height) + skin
    top = high - skin * math.hypot(radius, height) / radius
    inner = radius / height * (top - bottom)
    ring = np.stack([inner * np.cos(angles), inner * np.sin(angles), np.full(CONE_SIDES, bottom)], axis=1)
    vertices = np.concatenate([ring, [[0.0, 0.0, top]]])
    index = np.arange(CONE_SIDES)
    side = np.stack([index, (index + 1) % CONE_SIDES, np.full(CONE_SIDES, CONE_SIDES)], axis=1)
    floor = np.stack([np.zeros(CONE_SIDES - 2, dtype=int), index[2:], index[1:-1]], axis=1)
    across = 0.15 * radius**2 + 0.0375 * height**2
    return Shape(
        parts=_rim(radius, -low, -1),
        hulls=(Hull(vertices=vertices, faces=np.concatenate([side, floor]).astype(np.int32)),),
        center=(0.0, 0.0, low),
        unit_inertia=(across, across, 0.3 * radius**2),
        volume=_volume(obj),
        polyhedral=False,
    )


def _rim(radius: float, distance: float, side: int) -> tuple[Part, ...]:
    small, ring = RIM_RADIUS * radius, (1.0 - RIM_INSET) * radius
    height = side * (distance - small)
    return tuple(
        Part(
            geometry=_sphere_tag(small),
            origin=(ring * math.cos(angle), ring * math.sin(angle), height),
        )
        for angle in (2 * math.pi * k / RIM_SPHERES for k in range(RIM_SPHERES))
    )


def _equal_extents(obj: Object, count: int) -> float:
    extents = obj.size[:count]
    if max(extents) - min(extents) > 1e-9 * max(extents):
        raise UserError(
            f"a {obj.geometry} must be as wide as it is deep" + (" and high" if count == 3 else ""),
            where=f"{obj.name}.size",
            got=f"{list(obj.size)}",
            expected=f"equal extents, for example {[max(extents)] * count + list(obj.size[count:])}",
        )
    return extents[0]


def _volume(obj: Object) -> float:
    volume = primitive_volume(obj)
    assert volume is not None
    return volume


def _box_tag(x: float, y: float, z: float) -> str:
    return f'<box size="{x!r} {y!r} {z!r}"/>'


def _cylinder_tag(radius: float, length: float) -> str:
    return f'<cylinder radius="{radius!r}" length="{length!r}"/>'


def _sphere_tag(radius: float) -> str:
    return f'<sphere radius="{radius!r}"/>'

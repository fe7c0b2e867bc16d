"""Wrong stages: bodies at rest that are missing, added, moved, or of another size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import normalized, rotation_from_quaternion
from fourdcb.world import Material, Object, Plane, World
from fourdcb.world.camera import pixel_rays, project
from fourdcb.world.fields import Vec3
from fourdcb.world.looks import stated_look

_PEG_PX = (4.0, 8.0)  # in a picture of 256 px height
_RUGS = (0.10, 0.15)
_THICK = 0.004
_CONTRAST = 0.35
_CLEAR = 0.1  # [m] from everything else

WrongWorld = tuple[str, str, World]


def wrong_stage(world: World) -> Iterator[WrongWorld]:
    """What stands there, spoiled; a peg, a rug and an upright plate where nothing stands."""
    for k, obj in enumerate(world.objects):
        if obj.kind != "static":
            continue
        others = (*world.objects[:k], *world.objects[k + 1 :])
        yield f"{obj.name}: missing", "", replace(world, objects=others)
        for factor in (0.9, 1.1, 1.2):
            yield f"{obj.name}: height", f"× {factor:g}", replace(
                world, objects=(*world.objects[:k], _taller(obj, factor), *world.objects[k + 1 :])
            )  # fmt: skip
        x, y, z = obj.pos
        aside = replace(obj, pos=(x, y + 0.3 * float(np.linalg.norm(obj.size)), z))
        yield f"{obj.name}: moved", "0.3 diagonals", replace(
            world, objects=(*world.objects[:k], aside, *world.objects[k + 1 :])
        )  # fmt: skip
    floor = next((p for p in world.planes if p.normal == (0.0, 0.0, 1.0)), None)
    if floor is not None:
        for name, magnitude, thing in _additions(world, floor):
            yield f"extra {name}", magnitude, replace(world, objects=(*world.objects, thing))


def _taller(obj: Object, factor: float) -> Object:
    """Of another extent along the axis that is most upright, with its foot where it was."""
    up = np.abs(rotation_from_quaternion(np.asarray(obj.rot))[2])
    axis = 2 if obj.geometry != "box" else int(np.argmax(up))
    size = list(obj.size)
    if obj.geometry == "sphere":
        size = [factor * side for side in size]
    else:
        size[axis] *= factor
    rise = 0.5 * (factor - 1.0) * obj.size[axis] * float(up[axis])
    x, y, z = obj.pos
    return replace(obj, size=(size[0], size[1], size[2]), pos=(x, y, z + rise))


def _additions(world: World, floor: Plane) -> Iterator[tuple[str, str, Object]]:
    """In the foreground on the floor, where the camera sees it and nothing moves."""
    spot = _free_spot(world, floor)
    if spot is None:
        return
    scale = _metres_per_pixel(world, spot)
    color = _contrasting(stated_look(floor, world).base_color)
    wide, tall = (px * scale for px in _PEG_PX)
    x, y, z = spot
    yield "peg", "4 × 8 px", _box("peg", (wide, wide, tall), (x, y, z + 0.5 * tall), color)
    for side in _RUGS:
        rug = _box("rug", (side, side, _THICK), (x, y, z + 0.5 * _THICK), color)
        yield "rug", f"{100 * side:g} cm", rug
    tall = 24.0 * scale
    yield "plate", "24 px", _box("plate", (tall, _THICK, tall), (x, y, z + 0.5 * tall), color)


def _free_spot(world: World, floor: Plane) -> Vec3 | None:
    """A place on the floor at a fifth of the picture's height from below, left, right or in the middle."""
    camera = world.camera
    origin = np.asarray(camera.pos, dtype=np.float64)
    for across in (0.2, 0.8, 0.5):
        pixel = np.array([[across * camera.width, 0.82 * camera.height]])
        ray = normalized(pixel_rays(camera, pixel)[0])
        if ray[2] >= -1e-3:
            continue
        spot = origin + (floor.offset - origin[2]) / ray[2] * ray
        gaps = (
            np.linalg.norm(spot[:2] - obj.pos[:2]) - 0.5 * np.linalg.norm(obj.size) for obj in world.objects
        )
        if all(gap > _CLEAR for gap in gaps):
            return float(spot[0]), float(spot[1]), float(floor.offset)
    return None


def _distance(obj: Object, spot: F64) -> float:
    """From a sphere about an object to a place, seen from above [m]."""
    return float(np.linalg.norm(spot[:2] - obj.pos[:2]) - 0.5 * np.linalg.norm(obj.size))


def _metres_per_pixel(world: World, spot: Vec3) -> float:
    """Of a picture of 256 px height, at a place."""
    camera = world.camera
    here = project(camera, np.asarray(spot, dtype=np.float64))
    above = project(camera, np.asarray(spot, dtype=np.float64) + np.array([0.0, 0.0, 0.01]))
    return 0.01 / max(float(np.linalg.norm(above - here)) * 256.0 / camera.height, 1e-9)


def _contrasting(color: Vec3) -> Vec3:
    red, green, blue = (c + _CONTRAST if c < 0.5 else c - _CONTRAST for c in color)
    return red, green, blue


def _box(name: str, size: Vec3, pos: Vec3, color: Vec3) -> Object:
    return Object(
        name=f"extra_{name}", geometry="box", size=size, pos=pos, vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0),
        fixed=True, friction=1.0, restitution=1.0,
        material=Material(base_color=color, roughness=0.7, metallic=0.0),
    )  # fmt: skip

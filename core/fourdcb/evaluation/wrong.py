"""Answers that are wrong on purpose: kinds × bodies × magnitudes of every truth, made by rule, none by hand.

An answer counts as wrong when its pictures differ from the truth's plainly; what nobody can see is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.conventions import multiply_quaternions, quaternion_from_axis_angle
from fourdcb.evaluation.wrong_looks import wrong_lights, wrong_looks
from fourdcb.evaluation.wrong_stage import wrong_stage
from fourdcb.world import Geometry, Object, World
from fourdcb.world.fields import Vec3

if TYPE_CHECKING:
    from fourdcb.replay import Replay

_HEIGHT = 160  # [px] of the pictures that tell whether an answer can be told from the truth
_MOMENTS = 9
_LEVELS = 16  # of 255
_LEAST_PIXELS = 24
_FASTEST = 0.25  # [m/s] below which nobody sees a wrong speed
_MOVING = 2  # bodies that are spoiled one after the other


@dataclass(frozen=True, slots=True)
class Misstatement:
    """A world that is wrong: what of which body, and how much."""

    kind: str
    magnitude: str
    world: World


def misstatements(world: World) -> Iterator[Misstatement]:
    """Every wrong answer to a truth that applies to it, seen or unseen."""
    moving = [k for k, obj in enumerate(world.objects) if obj.kind == "dynamic"]
    for k in moving[:_MOVING]:
        for kind, magnitude, other in _wrong_motion(world.objects[k], alone=len(moving) == 1):
            yield Misstatement(f"{other.name}: {kind}", magnitude, _with(world, k, other))
        first = world.objects[k]
        rest = (*world.objects[:k], *world.objects[k + 1 :])
        yield Misstatement(f"{first.name}: missing", "", replace(world, objects=rest))
        aside = replace(first, name="double", pos=_moved(first.pos, (0.0, 3.0 * first.size[1], 0.0)))
        yield Misstatement(f"{first.name}: there twice", "", replace(world, objects=(*world.objects, aside)))
    for made in (wrong_stage(world), wrong_looks(world), wrong_lights(world)):
        for kind, magnitude, other_world in made:
            yield Misstatement(kind, magnitude, other_world)


def _with(world: World, k: int, obj: Object) -> World:
    return replace(world, objects=(*world.objects[:k], obj, *world.objects[k + 1 :]))


def _moved(place: Vec3, shift: Vec3) -> Vec3:
    x, y, z = (float(a + b) for a, b in zip(place, shift, strict=True))
    return x, y, z


def _wrong_motion(obj: Object, *, alone: bool) -> Iterator[tuple[str, str, Object]]:
    speed = float(np.linalg.norm(obj.vel))
    for factor in (0.6, 1.5) if speed > _FASTEST else ():
        x, y, z = (factor * v for v in obj.vel)
        yield "speed", f"× {factor:g}", replace(obj, vel=(x, y, z))
    if speed > _FASTEST:
        x, y, z = obj.vel
        yield "runs the other way", "", replace(obj, vel=(-x, -y, z))
    for change in (-0.3, 0.3):
        value = (obj.restitution or 0.0) + change
        if 0.0 <= value <= 1.0:
            yield "restitution", f"{change:+g}", replace(obj, restitution=value)
    for factor in (0.3, 3.0):
        if obj.friction:
            yield "friction", f"× {factor:g}", replace(obj, friction=factor * obj.friction)
    if not alone and obj.mass:
        for factor in (0.25, 4.0):
            yield "mass", f"× {factor:g}", replace(obj, mass=factor * obj.mass)
    for factor in (0.85, 1.2):
        x, y, z = (factor * side for side in obj.size)
        yield "size", f"× {factor:g}", replace(obj, size=(x, y, z))
    other: Geometry = "sphere" if obj.geometry == "box" else "box"
    side = float(np.cbrt(np.prod(obj.size)))
    yield "shape", other, replace(obj, geometry=other, size=(side, side, side), mass=obj.mass or 1.0)
    yield "beside its place", "0.6 diameters", replace(obj, pos=_moved(obj.pos, (0, 0.6 * obj.size[1], 0)))
    if any(obj.acc):
        x, y, z = (0.6 * a for a in obj.acc)
        yield "gravity", "× 0.6", replace(obj, acc=(x, y, z))
    yield from _wrong_turns(obj)


def _wrong_turns(obj: Object) -> Iterator[tuple[str, str, Object]]:
    """Turned and spun: seen of plain round bodies nowhere, of patterned ones everywhere."""
    for angle in (20.0, 45.0, 110.0):
        turn = quaternion_from_axis_angle(np.array([0.0, 0.0, 1.0]), np.deg2rad(angle))
        w, x, y, z = (float(v) for v in multiply_quaternions(turn, np.asarray(obj.rot, dtype=np.float64)))
        yield "turned about the vertical", f"{angle:g}°", replace(obj, rot=(w, x, y, z))
    if any(obj.ang_vel):
        for factor in (-1.0, 0.0, 3.0):
            x, y, z = (factor * v for v in obj.ang_vel)
            yield "spin", f"× {factor:g}", replace(obj, ang_vel=(x, y, z))


def patterned_truth(world: World, *, folder: Path) -> World:
    """The same world with a pattern on its first moving body, so that its turns are seen.

    Args:
        world: the truth.
        folder: takes the picture.
    """
    import cv2

    rows, columns = np.mgrid[0:64, 0:128]
    level = np.where((columns // 16 + rows // 16) % 2, 225, 60) - 4 * (columns // 16)
    cv2.imwrite(str(folder / "pattern.png"), np.repeat(level[..., None], 3, axis=-1).astype(np.uint8))
    k = next(i for i, obj in enumerate(world.objects) if obj.kind == "dynamic")
    obj = world.objects[k]
    material = replace(obj.material, base_color_map="pattern.png", metallic=0.0)
    return replace(_with(world, k, replace(obj, material=material)), base_dir=str(folder))


def seen_apart(truth: Replay, other: Replay) -> bool:
    """Whether pictures at nine moments show plainly that two worlds differ."""
    from fourdcb.render import RasterRenderer, RenderSettings

    camera = truth.world.camera
    width = max(8, round(_HEIGHT * camera.width / camera.height))
    settings = RenderSettings(samples=1, supersample=1, width=width, height=_HEIGHT)
    sides = [(RasterRenderer(side.world, settings), side.trajectory) for side in (truth, other)]
    times = truth.world.frame_times()
    for t in times[np.linspace(0, len(times) - 1, _MOMENTS).astype(int)]:
        a, b = (renderer.render(motion, float(t), aux=False).rgb for renderer, motion in sides)
        if np.count_nonzero(np.abs(a.astype(np.int16) - b).max(axis=-1) > _LEVELS) >= _LEAST_PIXELS:
            return True
    return False

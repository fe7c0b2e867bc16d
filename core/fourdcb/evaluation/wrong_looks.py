"""Wrong looks and lights."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fourdcb.world import DirectionalLight, Material, Object, Plane, World
from fourdcb.world.fields import Vec3
from fourdcb.world.looks import stated_look

_TIMES = 30  # of a curve that holds a flash or a jump

WrongWorld = tuple[str, str, World]


def wrong_looks(world: World) -> Iterator[WrongWorld]:
    """Every body in another colour, finish or metalness."""
    for body in world.bodies:
        look = stated_look(body, world)
        red, green, blue = look.base_color
        changes: list[tuple[str, str, Material]] = [
            ("colour", "hue", replace(body.material, base_color=(blue, red, green))),
            ("colour", "darker", replace(body.material, base_color=(0.6 * red, 0.6 * green, 0.6 * blue))),
            ("metallic", "the other", replace(body.material, metallic=1.0 - round(look.metallic))),
        ]
        for change in (-0.4, 0.4):
            if 0.05 <= look.roughness + change <= 1.0:
                rougher = replace(body.material, roughness=look.roughness + change)
                changes.append(("roughness", f"{change:+g}", rougher))
        for kind, magnitude, material in changes:
            yield f"{body.name}: {kind}", magnitude, _dressed(world, body, material)


def _dressed(world: World, body: Object | Plane, material: Material) -> World:
    return replace(
        world,
        objects=tuple(replace(o, material=material) if o is body else o for o in world.objects),
        planes=tuple(replace(p, material=material) if p is body else p for p in world.planes),
    )


def wrong_lights(world: World) -> Iterator[WrongWorld]:
    """The first sun turned, split, weakened or flickering; another light; other ambient light."""
    sun = next((light for light in world.lights if isinstance(light, DirectionalLight)), None)
    yield "ambient", "+ 0.3", replace(world, ambient=world.ambient + 0.3)
    if sun is None:
        return
    others = tuple(light for light in world.lights if light is not sun)

    def lit(*lights: DirectionalLight) -> World:
        return replace(world, lights=(*lights, *others))

    for angle in (-25.0, 15.0, 60.0):
        yield "sun: turned", f"{angle:g}°", lit(_turned(sun, angle))
    for factor in (0.6, 1.6):
        yield "sun: intensity", f"× {factor:g}", lit(replace(sun, intensity=factor * sun.intensity))
    for angle in (10.0, 15.0, 20.0, 30.0):
        yield "sun: split in two", f"± {angle:g}°", lit(*_ring(sun, angle, count=2))
    for angle in (15.0, 25.0):
        yield "sun: a ring of six", f"{angle:g}°", lit(*_ring(sun, angle, count=6))
    yield "second sun", "half as strong", lit(
        sun, replace(_turned(sun, 120.0), name="second", intensity=0.5 * sun.intensity)
    )  # fmt: skip
    if not sun.intensity_curve:
        flash = [1.0] * _TIMES
        flash[_TIMES // 2] = 3.0
        yield "sun: flash", "three frames", lit(replace(sun, intensity_curve=tuple(flash)))
    yield "sun: another colour", "warm", lit(replace(sun, color=(1.0, 0.75, 0.45)))


def _turned(sun: DirectionalLight, angle_deg: float) -> DirectionalLight:
    """About the vertical."""
    angle = math.radians(angle_deg)

    def way(d: Vec3) -> Vec3:
        x, y, z = d
        c, s = math.cos(angle), math.sin(angle)
        return c * x - s * y, s * x + c * y, z

    return replace(sun, direction=way(sun.direction), direction_curve=tuple(map(way, sun.direction_curve)))


def _ring(sun: DirectionalLight, angle_deg: float, *, count: int) -> list[DirectionalLight]:
    """Lights on a cone about the sun's direction, all together as strong as the sun along it."""
    axis = np.asarray(sun.direction, dtype=np.float64) / np.linalg.norm(sun.direction)
    aside = np.linalg.svd(axis[None])[2][1:]
    rim = math.tan(math.radians(angle_deg))
    strength = sun.intensity / (count * math.cos(math.radians(angle_deg)))
    found = []
    for k in range(count):
        phi = 2.0 * math.pi * k / count
        x, y, z = (float(v) for v in axis + rim * (math.cos(phi) * aside[0] + math.sin(phi) * aside[1]))
        found.append(
            replace(sun, name=f"ring_{k}", direction=(x, y, z), direction_curve=(), intensity=strength)
        )
    return found

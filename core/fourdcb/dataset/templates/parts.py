"""What templates build scenes from: coloured bodies of real materials, grounds, lights, distractors."""

from __future__ import annotations

import colorsys
from dataclasses import replace
from typing import Any

import numpy as np

from fourdcb.dataset.templates.contract import Draw, rounded
from fourdcb.world import DirectionalLight, Light, Material, Object, Plane, World
from fourdcb.world.presets import material_preset

GRAVITY = (0.0, 0.0, -9.81)
HARD = ("hard steel", "glass", "ceramic", "plastic", "acrylic", "bouncy rubber", "rubber", "nylon")
SOLID = ("oak", "pine", "plastic", "ceramic", "aluminium", "steel", "marble", "cork", "nylon", "acrylic")
_GROUNDS = ("concrete", "oak", "marble", "pine", "leather")
LIGHT_TURNS, LIGHT_CHANGES, HAS_DISTRACTORS = 0.3, 0.3, 0.5  # shares of samples
_TINTED = 0.75  # of a body's colour is its own; the rest is the material's


class Palette:
    """Colours that tell the bodies of one sample apart: hues evenly around the circle, from a drawn one."""

    def __init__(self, draw: Draw, count: int = 6) -> None:
        self._draw, self._hue, self._step = draw, draw.random.uniform(), 1.0 / count

    def material(self, presets: tuple[str, ...]) -> Material:
        """A real material in the next colour; it keeps its gloss, friction, restitution and density."""
        preset = material_preset(self._draw.choice(presets))
        vivid = colorsys.hsv_to_rgb(
            self._hue % 1.0, self._draw.within(0.6, 0.85), self._draw.within(0.6, 0.9)
        )
        self._hue += self._step
        base = preset.base_color or (0.5, 0.5, 0.5)
        red, green, blue = (
            round(_TINTED * v + (1.0 - _TINTED) * b, 2) for v, b in zip(vivid, base, strict=True)
        )
        metallic = min(preset.metallic or 0.0, 0.6)  # a mirror shows the room's colour, not its own
        return replace(preset, base_color=(red, green, blue), metallic=metallic)


def density(material: Material) -> float:
    """Of a preset [kg/m³]."""
    return material.density or 1000.0


def body(name: str, geometry: str, *, material: Material, volume: float, **fields: Any) -> Object:
    """A body under gravity with the mass that its material gives a volume [m³] of it."""
    stated: dict[str, Any] = {"vel": (0.0, 0.0, 0.0), "acc": GRAVITY, **fields}
    mass = stated.pop("mass", rounded(density(material) * volume))
    return Object(name=name, geometry=geometry, mass=mass, material=material, **stated)  # type: ignore[arg-type]


def fixture(name: str, *, draw: Draw, **fields: Any) -> Object:
    """A box that never moves, in the look of a ground; its contact factors are 1."""
    stated = {"geometry": "box", "vel": (0.0, 0.0, 0.0), "acc": (0.0, 0.0, 0.0), **fields}
    return Object(name=name, fixed=True, friction=1.0, restitution=1.0, material=ground_look(draw), **stated)


def ground_look(draw: Draw) -> Material:
    """A muted surface."""
    preset = material_preset(draw.choice(_GROUNDS))
    base = preset.base_color or (0.5, 0.5, 0.5)
    grey = draw.within(0.32, 0.62)
    red, green, blue = (round(0.5 * c + 0.5 * grey, 2) for c in base)
    return Material(base_color=(red, green, blue), roughness=draw.within(0.5, 0.9), metallic=0.0)


def floor(draw: Draw, *, friction: float = 1.0, restitution: float = 1.0) -> Plane:
    """The floor z = 0; its factors multiply those of whatever touches it."""
    return Plane(name="floor", friction=friction, restitution=restitution, material=ground_look(draw))


def ball_volume(diameter: float) -> float:
    """[m³]."""
    return float(np.pi / 6.0 * diameter**3)


def lights(draw: Draw) -> tuple[Light, ...]:
    """A sun from behind the camera or aside; it turns, and it changes its strength, in a share of samples."""
    azimuth, height = draw.within(-1.2, 1.2), draw.within(0.7, 1.2)
    direction = _travel(azimuth, height)
    sun = DirectionalLight(name="sun", direction=direction, intensity=draw.within(2.6, 4.2))
    if draw.happens(LIGHT_TURNS):
        turn = draw.sign() * draw.within(0.3, 0.8)
        sun = replace(
            sun, direction_curve=tuple(_travel(azimuth + turn * s, height) for s in (0.0, 0.5, 1.0))
        )
    if draw.happens(LIGHT_CHANGES):
        sun = replace(sun, intensity_curve=(1.0, draw.within(0.75, 1.0), draw.within(0.5, 0.85)))
    return (sun,)


def _travel(azimuth: float, height: float) -> tuple[float, float, float]:
    """The way that light travels from azimuth [rad] left or right of the camera's side at a height [rad]."""
    x, y, z = np.sin(azimuth) * np.cos(height), np.cos(azimuth) * np.cos(height), -np.sin(height)
    return (round(float(x), 3), round(float(y), 3), round(float(z), 3))


def distractors(draw: Draw, palette: Palette, places: tuple[tuple[float, float], ...]) -> tuple[Object, ...]:
    """At most one still body at each of some places (x, y) on the floor [m], out of the action's way."""
    if not draw.happens(HAS_DISTRACTORS):
        return ()
    found = []
    for k, (x, y) in enumerate(places[: 1 + int(draw.happens(0.5))]):
        side = draw.within(0.08, 0.14)
        geometry = draw.choice(("box", "cylinder", "sphere"))
        found.append(
            Object(
                name=f"still_{k + 1}", geometry=geometry, size=(side, side, side),  # type: ignore[arg-type]
                pos=(x, y, side / 2), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0), fixed=True,
                material=replace(palette.material(SOLID), friction=None, restitution=None),
            )
        )  # fmt: skip
    return tuple(found)


def scene(
    draw: Draw, *objects: Object, ground: Plane, duration: float = 4.0, still: tuple[Object, ...] = ()
) -> World:
    """A world of these bodies under a drawn light."""
    sky = draw.within(0.25, 0.5)
    return World(
        duration=duration,
        fps=30.0,
        objects=(*objects, *still),
        planes=(ground,),
        lights=lights(draw),
        ambient=draw.within(0.12, 0.25),
        background=(sky, rounded(1.05 * sky), rounded(1.15 * sky)),
    )

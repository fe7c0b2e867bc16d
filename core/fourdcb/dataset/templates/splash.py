"""A ball or two fall into a tank of water, dive and come up."""

from __future__ import annotations

from dataclasses import replace

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import (
    GRAVITY,
    Palette,
    ball_volume,
    body,
    distractors,
    fixture,
    floor,
    scene,
)
from fourdcb.world import Fluid, Object, World

RANGES = {
    "bodies": Range(1, 2),
    "diameter": Range(0.16, 0.22, "m"),
    "density": Range(250, 750, "kg/m³"),
    "drop": Range(0.05, 0.25, "m"),
    "speed": Range(-0.3, 0.3, "m/s"),
    "length": Range(0.6, 0.75, "m"),
    "width": Range(0.38, 0.46, "m"),
    "depth": Range(0.18, 0.24, "m"),
}
_WALL, _BRIM = 0.05, 0.12  # [m]: thickness of the walls, and how far they stand above the water
_FLOATING = ("pine", "cork", "oak", "plastic", "nylon")


def compose(draw: Draw) -> World:
    """A tank with a front of glass; the balls are hollow or light enough to float."""
    palette = Palette(draw)
    length, width, depth = draw.value("length"), draw.value("width"), draw.value("depth")
    height, out = rounded(depth + _BRIM), rounded(width + 2.0 * _WALL)
    walls = [
        fixture(
            "bottom", draw=draw, size=(rounded(length + 2.0 * _WALL), out, _WALL), pos=(0.0, 0.0, _WALL / 2)
        ),
        fixture(
            "left", draw=draw, size=(_WALL, out, height), pos=_beside(-(length + _WALL) / 2, 0.0, height)
        ),
        fixture(
            "right", draw=draw, size=(_WALL, out, height), pos=_beside((length + _WALL) / 2, 0.0, height)
        ),
        fixture(
            "back", draw=draw, size=(length, _WALL, height), pos=_beside(0.0, (width + _WALL) / 2, height)
        ),
        _glass(
            fixture(
                "front",
                draw=draw,
                size=(length, _WALL, height),
                pos=_beside(0.0, -(width + _WALL) / 2, height),
            )
        ),
    ]
    water = Fluid(
        name="water", size=(length, width, depth), pos=(0.0, 0.0, round(_WALL + depth / 2, 4)), acc=GRAVITY
    )
    balls, count = [], draw.whole("bodies")
    for k in range(count):
        size = draw.value("diameter")
        x = 0.0 if count == 1 else (k - 0.5) * 0.5 * length
        balls.append(
            body(
                f"ball_{k + 1}", "sphere", material=palette.material(_FLOATING), volume=ball_volume(size),
                mass=rounded(draw.value("density") * ball_volume(size)), size=(size, size, size),
                pos=(round(x, 3), 0.0, round(_WALL + depth + size / 2 + draw.value("drop"), 4)),
                vel=(draw.value("speed"), 0.0, 0.0), friction=0.3, restitution=0.3,
            )
        )  # fmt: skip
    still = distractors(draw, palette, ((-0.75, 0.3), (0.75, 0.4)))
    world = scene(draw, *balls, *walls, ground=floor(draw), still=still, duration=1.2)
    return replace(world, fluids=(water,))


def _beside(x: float, y: float, height: float) -> tuple[float, float, float]:
    return (round(x, 4), round(y, 4), round(_WALL + height / 2.0, 4))


def _glass(wall: Object) -> Object:
    """The same wall, and one sees through it."""
    look = replace(wall.material, base_color=(0.85, 0.9, 0.9), roughness=0.1, opacity=0.15)
    return replace(wall, material=look)


TEMPLATE = Template(
    name="splash",
    line="one or two balls fall into a tank of water, dive and come up",
    ranges=RANGES,
    compose=compose,
    watched=("ball_1.mass", "ball_2.mass"),
    view=((-20.0, 20.0), (18.0, 32.0)),
    longest=1.2,
)

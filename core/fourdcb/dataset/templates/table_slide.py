"""A cup is pushed over a table, slides and falls over its edge, or stops before it."""

from __future__ import annotations

import math

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import SOLID, Palette, body, distractors, fixture, floor, scene
from fourdcb.world import World

RANGES = {
    "diameter": Range(0.2, 0.26, "m"),
    "slenderness": Range(0.6, 1.0),
    "speed": Range(1.1, 1.8, "m/s"),
    "friction": Range(0.06, 0.26),
    "table_length": Range(0.8, 1.0, "m"),
    "table_height": Range(0.15, 0.3, "m"),
}
_THICK = 0.04


def compose(draw: Draw) -> World:
    """A table along x, the cup at its left end."""
    palette = Palette(draw)
    size, length, top = draw.value("diameter"), draw.value("table_length"), draw.value("table_height")
    height = rounded(size * draw.value("slenderness"))
    table = fixture(
        "table", draw=draw, size=(length, 0.45, _THICK), pos=(0.0, 0.0, rounded(top - _THICK / 2))
    )
    start = round(-length / 2 + size, 3)
    cup = body(
        "cup", "cylinder", material=palette.material(SOLID), volume=math.pi / 4 * size * size * height,
        size=(size, size, height), pos=(start, 0.0, round(top + height / 2, 4)),
        vel=(draw.value("speed"), 0.0, 0.0), friction=draw.value("friction"), restitution=0.2,
    )  # fmt: skip
    still = distractors(draw, palette, ((0.3, 0.55), (-0.3, 0.6)))
    return scene(draw, cup, table, ground=floor(draw), still=still)


TEMPLATE = Template(
    name="table_slide",
    line="a cup is pushed over a table; friction decides where it stops or falls",
    ranges=RANGES,
    compose=compose,
    watched=("cup.friction",),
    longest=1.2,
)

"""A ball is thrown in an arc, lands and bounces on."""

from __future__ import annotations

import math

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import HARD, Palette, ball_volume, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "diameter": Range(0.22, 0.3, "m"),
    "height": Range(0.1, 0.4, "m"),
    "speed": Range(2.2, 3.0, "m/s"),
    "elevation": Range(60, 80, "deg"),
    "restitution": Range(0.5, 0.75),
    "friction": Range(0.1, 0.4),
    "rolling_friction": Range(0.004, 0.012, "m"),
}


def compose(draw: Draw) -> World:
    """From the left, upwards."""
    palette = Palette(draw)
    size, angle, speed = draw.value("diameter"), math.radians(draw.value("elevation")), draw.value("speed")
    ball = body(
        "ball", "sphere", material=palette.material(HARD), volume=ball_volume(size), size=(size, size, size),
        pos=(-0.7, 0.0, rounded(size / 2 + draw.value("height"))),
        vel=(rounded(speed * math.cos(angle)), 0.0, rounded(speed * math.sin(angle))),
        friction=draw.value("friction"), restitution=draw.value("restitution"),
        rolling_friction=draw.value("rolling_friction"),
    )  # fmt: skip
    still = distractors(draw, palette, ((0.2, 0.45), (-0.4, 0.5)))
    return scene(draw, ball, ground=floor(draw), still=still)


TEMPLATE = Template(
    name="projectile",
    line="a ball is thrown in an arc, lands and bounces on",
    ranges=RANGES,
    compose=compose,
    watched=("ball.restitution", "ball.vel[0]", "ball.vel[2]"),
    longest=1.8,
)

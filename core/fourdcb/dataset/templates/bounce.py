"""A ball is thrown with spin and bounces over the floor: speed trades for spin at every touch."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template
from fourdcb.dataset.templates.parts import HARD, Palette, ball_volume, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "diameter": Range(0.13, 0.20, "m"),
    "height": Range(0.4, 0.8, "m"),
    "speed": Range(0.4, 0.9, "m/s"),
    "spin": Range(-40, 10, "rad/s"),
    "restitution": Range(0.62, 0.88),
    "friction": Range(0.06, 0.25),
    "rolling_friction": Range(0.002, 0.006, "m"),
}


def compose(draw: Draw) -> World:
    """A ball from the left."""
    palette = Palette(draw)
    size = draw.value("diameter")
    ball = body(
        "ball", "sphere", material=palette.material(HARD), volume=ball_volume(size), size=(size, size, size),
        pos=(-0.5, 0.0, draw.value("height")), vel=(draw.value("speed"), 0.0, 0.0),
        ang_vel=(0.0, draw.value("spin"), 0.0), friction=draw.value("friction"),
        restitution=draw.value("restitution"), rolling_friction=draw.value("rolling_friction"),
    )  # fmt: skip
    still = distractors(draw, palette, ((0.1, 0.4), (-0.4, 0.5)))
    return scene(draw, ball, ground=floor(draw), still=still)


TEMPLATE = Template(
    name="bounce",
    line="a spinning ball bounces over the floor",
    ranges=RANGES,
    compose=compose,
    watched=("ball.restitution", "ball.friction"),
)

"""A ball is thrown with spin and bounces over the floor: speed trades for spin at every touch."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template
from fourdcb.dataset.templates.parts import HARD, Palette, ball_volume, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "diameter": Range(0.16, 0.22, "m"),
    "height": Range(0.45, 0.7, "m"),
    "speed": Range(0.4, 0.9, "m/s"),
    "spin": Range(-70, -45, "rad/s"),
    "restitution": Range(0.62, 0.88),
    "friction": Range(0.05, 0.15),
    "rolling_friction": Range(0.002, 0.006, "m"),
}


def compose(draw: Draw) -> World:
    """A ball from the left, with backspin.

    A touch that ends the slip gives the same motion for every larger friction. So the spin is drawn fast
    enough
    for the first touch to go on slipping: μ (1 + e) v_n < 2/7 |v − ω r|.
    """
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
    longest=2.2,
)

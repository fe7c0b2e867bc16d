"""A block slides down a ramp; how fast shows its friction."""

from __future__ import annotations

import math

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import GRAVITY, SOLID, Palette, body, distractors, fixture, floor, scene
from fourdcb.world import World

RANGES = {
    "angle": Range(14, 26, "deg"),
    "length": Range(1.3, 1.6, "m"),
    "side": Range(0.22, 0.3, "m"),
    "flatness": Range(0.45, 0.7),
    "acceleration": Range(0.2, 1.2, "m/s²"),
    "speed": Range(0.2, 0.6, "m/s"),
}
_THICK = 0.06
_FOOT = 0.02  # above which the clip ends [m]: how a block's edge meets the floor is anybody's guess


def compose(draw: Draw) -> World:
    """A ramp that descends along +x and ends on the floor, a flat block near its top.

    The friction follows from the drawn acceleration, a = g (sin θ − μ cos θ).
    """
    palette = Palette(draw)
    angle, length, side = math.radians(draw.value("angle")), draw.value("length"), draw.value("side")
    height = rounded(side * draw.value("flatness"))
    rot = (round(math.cos(angle / 2), 6), 0.0, round(math.sin(angle / 2), 6), 0.0)
    along, up = (math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))

    def place(distance: float, above: float) -> tuple[float, float, float]:
        """A point ``distance`` up the ramp from its foot and ``above`` its surface [m]."""
        x = -distance * along[0] + above * up[0]
        z = -distance * along[1] + above * up[1]
        return (round(x, 5), 0.0, round(z, 5))

    ramp = fixture(
        "ramp", draw=draw, size=(length, 0.4, _THICK), rot=rot, pos=place(length / 2, -_THICK / 2),
    )  # fmt: skip
    speed, acceleration = draw.value("speed"), draw.value("acceleration")
    friction = rounded((math.sin(angle) - acceleration / -GRAVITY[2]) / math.cos(angle))
    block = body(
        "block", "box", material=palette.material(SOLID), volume=side * side * height,
        size=(side, side, height), rot=rot, pos=place(length - 0.6 * side, height / 2 + 0.0005),
        vel=(rounded(speed * along[0]), 0.0, rounded(speed * along[1])),
        friction=friction, restitution=0.1,
    )  # fmt: skip
    way = length - 1.1 * side - _FOOT
    time = ((speed**2 + 2.0 * acceleration * way) ** 0.5 - speed) / acceleration
    still = distractors(draw, palette, ((-0.1, 0.5), (-0.7, 0.5)))
    duration = math.floor(10.0 * min(time, 4.0)) / 10.0
    return scene(draw, block, ramp, ground=floor(draw), still=still, duration=duration)


TEMPLATE = Template(
    name="incline_slide",
    line="a block slides down a ramp",
    ranges=RANGES,
    compose=compose,
    watched=("block.friction",),
    longest=1.8,
)

"""One or two balls roll down a ramp and out over the floor."""

from __future__ import annotations

import math

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import (
    HARD,
    Palette,
    ball_volume,
    body,
    distractors,
    fixture,
    floor,
    scene,
)
from fourdcb.world import World

RANGES = {
    "bodies": Range(1, 2),
    "diameter": Range(0.2, 0.28, "m"),
    "angle": Range(6, 14, "deg"),
    "length": Range(0.8, 1.1, "m"),
    "friction": Range(0.3, 0.7),
    "rolling_friction": Range(0.001, 0.008, "m"),
}
_THICK = 0.06


def compose(draw: Draw) -> World:
    """A ramp that descends along +x; balls start side by side at different heights of it."""
    palette = Palette(draw)
    angle, length = math.radians(draw.value("angle")), draw.value("length")
    rot = (round(math.cos(angle / 2), 6), 0.0, round(math.sin(angle / 2), 6), 0.0)

    def place(distance: float, above: float, y: float) -> tuple[float, float, float]:
        x = -distance * math.cos(angle) + above * math.sin(angle)
        return (round(x, 5), y, round(distance * math.sin(angle) + above * math.cos(angle), 5))

    ramp = fixture(
        "ramp", draw=draw, size=(length, 0.8, _THICK), rot=rot, pos=place(length / 2, -_THICK / 2, 0.0)
    )
    count = draw.whole("bodies")
    balls = []
    for k in range(count):
        size = draw.value("diameter")
        y = 0.0 if count == 1 else (-0.2, 0.2)[k]
        balls.append(
            body(
                f"ball_{k + 1}", "sphere", material=palette.material(HARD), volume=ball_volume(size),
                size=(size, size, size), pos=place(rounded(length - draw.within(0.1, 0.4)), size / 2, y),
                friction=draw.value("friction"), restitution=0.2,
                rolling_friction=draw.value("rolling_friction"),
            )
        )  # fmt: skip
    still = distractors(draw, palette, ((0.3, 0.6), (-0.4, 0.75)))
    return scene(draw, *balls, ramp, ground=floor(draw), still=still)


TEMPLATE = Template(
    name="rolling",
    line="one or two balls roll down a ramp and out over the floor",
    ranges=RANGES,
    compose=compose,
    watched=("ball_1.rolling_friction", "ball_2.rolling_friction"),
    view=((-25.0, 25.0), (15.0, 35.0)),
    longest=1.5,
)

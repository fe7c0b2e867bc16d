"""A ball strikes a stack of boxes; the upper ones slide off and fall."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import (
    GRAVITY,
    HARD,
    SOLID,
    Palette,
    ball_volume,
    body,
    distractors,
    floor,
    scene,
)
from fourdcb.world import World

RANGES = {
    "bodies": Range(3, 4),
    "side": Range(0.24, 0.3, "m"),
    "height": Range(0.12, 0.18, "m"),
    "friction": Range(0.3, 0.7),
    "diameter": Range(0.2, 0.26, "m"),
    "speed": Range(1.5, 2.1, "m/s"),
    "distance": Range(0.4, 0.55, "m"),
    "ball_mass": Range(0.6, 1.2, "of the struck box"),
}


def compose(draw: Draw) -> World:
    """A straight pile; the ball comes in a flat arc and meets the topmost box at its middle.

    A pile that falls by leaning pivots slowly about an edge, and nobody could say when; a struck one is
    decided by the blow.
    """
    palette = Palette(draw)
    side, friction = draw.value("side"), draw.value("friction")
    z, height, boxes = 0.0, 0.0, []
    for k in range(draw.whole("bodies") - 1):
        height = draw.value("height")
        boxes.append(
            body(
                f"box_{k + 1}", "box", material=palette.material(SOLID), volume=side * side * height,
                size=(side, side, height), pos=(0.0, 0.0, round(z + height / 2, 4)),
                friction=friction, restitution=0.05,
            )
        )  # fmt: skip
        z += height
    size, speed, away = draw.value("diameter"), draw.value("speed"), draw.value("distance")
    flight = away / speed  # [s]; what it falls by it has risen before
    ball = body(
        "ball", "sphere", material=palette.material(HARD), volume=ball_volume(size), size=(size, size, size),
        mass=rounded(draw.value("ball_mass") * (boxes[-1].mass or 1.0)),
        pos=(rounded(-(side + size) / 2 - away), 0.0, round(z - height / 2, 4)),
        vel=(speed, 0.0, rounded(-GRAVITY[2] * flight / 2)), friction=0.3, restitution=0.5,
        rolling_friction=0.004,
    )  # fmt: skip
    still = distractors(draw, palette, ((-0.2, 0.5), (0.6, 0.55)))
    return scene(draw, *boxes, ball, ground=floor(draw, restitution=0.6), still=still, duration=2.5)


TEMPLATE = Template(
    name="stack_collapse",
    line="a ball strikes a stack of two or three boxes; the topmost one flies off",
    ranges=RANGES,
    compose=compose,
    watched=("ball.vel[0]", "box_2.friction", "box_3.friction"),
    longest=0.9,
)

"""A leaning stack of boxes slides apart and falls."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template
from fourdcb.dataset.templates.parts import SOLID, Palette, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "bodies": Range(3, 4),
    "side": Range(0.2, 0.28, "m"),
    "height": Range(0.1, 0.16, "m"),
    "lean": Range(0.56, 0.7, "of the side"),
    "friction": Range(0.3, 0.7),
}


def compose(draw: Draw) -> World:
    """A straight pile; its topmost box has nothing under its centre."""
    palette = Palette(draw)
    side, lean, friction = draw.value("side"), draw.value("lean"), draw.value("friction")
    z, boxes = 0.0, []
    count = draw.whole("bodies")
    for k in range(count):
        height = draw.value("height")
        x = lean * side if k == count - 1 else 0.0
        boxes.append(
            body(
                f"box_{k + 1}", "box", material=palette.material(SOLID), volume=side * side * height,
                size=(side, side, height), pos=(round(x, 4), 0.0, round(z + height / 2, 4)),
                friction=friction, restitution=0.05,
            )
        )  # fmt: skip
        z += height
    still = distractors(draw, palette, ((-0.2, 0.5), (0.6, 0.55)))
    return scene(draw, *boxes, ground=floor(draw), still=still, duration=2.5)


TEMPLATE = Template(
    name="stack_collapse",
    line="a leaning stack of three or four boxes tips and falls apart",
    ranges=RANGES,
    compose=compose,
    watched=("box_3.friction", "box_4.friction"),
    longest=1.2,
)

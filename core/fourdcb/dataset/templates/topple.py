"""A tall block is pushed at its top, tips over and comes to rest."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import SOLID, Palette, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "side": Range(0.14, 0.2, "m"),
    "slenderness": Range(2.8, 4.0),
    "turn_rate": Range(0.9, 1.15, "of the least"),
    "slide_speed": Range(0.0, 0.3, "m/s"),
    "friction": Range(0.25, 0.6),
    "restitution": Range(0.05, 0.3),
}


def compose(draw: Draw) -> World:
    """A block turning about its lower edge with about the least rate that takes it over."""
    palette = Palette(draw)
    side, friction = draw.value("side"), draw.value("friction")
    height = rounded(side * draw.value("slenderness"))
    # ½ I ω² = m g Δh about the lower edge, where I = 4/3 m arm²: the least rate that takes it over.
    arm = 0.5 * (side**2 + height**2) ** 0.5
    least = (2.0 * 9.81 * (arm - height / 2) / (4.0 / 3.0 * arm**2)) ** 0.5
    rate = rounded(1.1 * draw.value("turn_rate") * least)
    slide = draw.value("slide_speed")
    block = body(
        "block", "box", material=palette.material(SOLID), volume=side * side * height,
        size=(side, side, height), pos=(-0.3, 0.0, round(height / 2, 4)),
        vel=(rounded(rate * height / 2 + slide), 0.0, rounded(rate * side / 2)), ang_vel=(0.0, rate, 0.0),
        friction=friction, restitution=draw.value("restitution"),
    )  # fmt: skip
    still = distractors(draw, palette, ((-0.1, 0.45), (0.6, 0.5)))
    return scene(draw, block, ground=floor(draw), still=still, duration=3.0)


TEMPLATE = Template(
    name="topple",
    line="a tall block is pushed, tips over its edge and comes to rest",
    ranges=RANGES,
    compose=compose,
    watched=("block.ang_vel[1]",),
    longest=1.6,
)

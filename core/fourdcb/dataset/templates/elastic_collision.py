"""A ball runs into one or two others: masses and restitution decide who goes on."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import HARD, Palette, ball_volume, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "bodies": Range(2, 3),
    "diameter": Range(0.22, 0.28, "m"),
    "speed": Range(0.8, 1.6, "m/s"),
    "mass": Range(0.15, 1.2, "kg", "log"),
    "offset": Range(-0.02, 0.02, "m"),
    "restitution": Range(0.75, 0.96),
    "friction": Range(0.12, 0.3),
    "rolling_friction": Range(0.002, 0.006, "m"),
}


def compose(draw: Draw) -> World:
    """Balls in a row along x; the first one moves."""
    palette = Palette(draw)
    x, objects = -0.8, []
    for k in range(draw.whole("bodies")):
        size = draw.value("diameter")
        objects.append(
            body(
                "striker" if k == 0 else f"ball_{k}", "sphere", material=palette.material(HARD),
                volume=ball_volume(size), mass=draw.value("mass"), size=(size, size, size),
                pos=(round(x, 3), draw.value("offset"), rounded(size / 2)),
                vel=(draw.value("speed") if k == 0 else 0.0, 0.0, 0.0),
                friction=draw.value("friction"), restitution=draw.value("restitution"),
                rolling_friction=draw.value("rolling_friction"),
            )
        )  # fmt: skip
        x += draw.within(0.4, 0.55)
    still = distractors(draw, palette, ((-0.3, 0.5), (0.5, 0.55)))
    return scene(draw, *objects, ground=floor(draw, restitution=0.6), still=still)


TEMPLATE = Template(
    name="elastic_collision",
    line="a ball runs into one or two others at rest",
    ranges=RANGES,
    compose=compose,
    watched=("striker.mass", "ball_1.mass", "ball_1.restitution"),
    view=((-20.0, 20.0), (18.0, 40.0)),
    longest=2.2,
)

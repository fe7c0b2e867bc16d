"""One to three bodies are let go above a floor and fall to rest on it."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template
from fourdcb.dataset.templates.parts import HARD, Palette, ball_volume, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "bodies": Range(1, 3),
    "diameter": Range(0.24, 0.32, "m"),
    "height": Range(0.55, 1.0, "m"),
    "restitution": Range(0.45, 0.75),
    "friction": Range(0.2, 0.6),
}


def compose(draw: Draw) -> World:
    """Spheres side by side, each from a height of its own, each of its own material."""
    palette = Palette(draw)
    objects = []
    for k in range(draw.whole("bodies")):
        size = draw.value("diameter")
        objects.append(
            body(
                f"body_{k + 1}", "sphere", material=palette.material(HARD), volume=ball_volume(size),
                size=(size, size, size), pos=(round(0.42 * k, 3), 0.0, draw.value("height")),
                friction=draw.value("friction"), restitution=draw.value("restitution"),
            )
        )  # fmt: skip
    still = distractors(draw, palette, ((-0.35, 0.45), (0.25, 0.55)))
    return scene(draw, *objects, ground=floor(draw), still=still)


TEMPLATE = Template(
    name="free_fall",
    line="one to three spheres are let go above a floor and bounce to rest",
    ranges=RANGES,
    compose=compose,
    watched=tuple(f"body_{k}.restitution" for k in (1, 2, 3)),
)

"""A row of dominoes; the first one is pushed."""

from __future__ import annotations

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import SOLID, Palette, body, distractors, floor, scene
from fourdcb.world import World

RANGES = {
    "bodies": Range(3, 6),
    "height": Range(0.26, 0.36, "m"),
    "thickness": Range(0.16, 0.24, "of the height"),
    "gap": Range(0.35, 0.6, "of the height"),
    "push": Range(1.3, 1.8, "of the least"),
    "friction": Range(0.3, 0.6),
}


def compose(draw: Draw) -> World:
    """A row along x; the first one turns about its lower edge."""
    palette = Palette(draw)
    height, friction = draw.value("height"), draw.value("friction")
    thick, gap = rounded(height * draw.value("thickness")), rounded(height * draw.value("gap"))
    material = palette.material(SOLID)
    arm = 0.5 * (thick**2 + height**2) ** 0.5
    # ½ I ω² = m g Δh about the lower edge, I = 4/3 m arm².
    least = (2.0 * 9.81 * (arm - height / 2) / (4.0 / 3.0 * arm**2)) ** 0.5
    rate = rounded(draw.value("push") * least)
    pieces = []
    for k in range(draw.whole("bodies")):
        push = {
            "vel": (rounded(rate * height / 2), 0.0, rounded(rate * thick / 2)),
            "ang_vel": (0.0, rate, 0.0),
        }
        pieces.append(
            body(
                f"piece_{k + 1}", "box", material=material, volume=thick * height * 0.6 * height,
                size=(thick, rounded(0.6 * height), height),
                pos=(round(k * (gap + thick), 4), 0.0, height / 2),
                friction=friction, restitution=0.1, **(push if k == 0 else {}),
            )
        )  # fmt: skip
        material = palette.material((material.name,))
    still = distractors(draw, palette, ((0.0, 0.5), (0.6, 0.55)))
    return scene(draw, *pieces, ground=floor(draw), still=still, duration=3.0)


TEMPLATE = Template(
    name="domino",
    line="a row of three to six dominoes; the first one is pushed",
    ranges=RANGES,
    compose=compose,
    watched=("piece_1.ang_vel[1]", "piece_2.friction"),
    longest=1.8,
)

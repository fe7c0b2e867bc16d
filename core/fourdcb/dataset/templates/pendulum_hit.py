"""A pendulum, moved along keyframes, swings into a ball or block at rest and sends it off."""

from __future__ import annotations

import math

from fourdcb.dataset.templates.contract import Draw, Range, Template, rounded
from fourdcb.dataset.templates.parts import HARD, Palette, ball_volume, body, distractors, floor, scene
from fourdcb.world import Keyframe, Object, World

RANGES = {
    "length": Range(0.7, 0.9, "m"),
    "amplitude": Range(14, 22, "deg"),
    "bob": Range(0.3, 0.36, "m"),
    "diameter": Range(0.24, 0.3, "m"),
    "friction": Range(0.15, 0.4),
    "restitution": Range(0.4, 0.8),
    "rolling_friction": Range(0.006, 0.016, "m"),
}
_STEP = 1.0 / 30.0


def _swing(length: float, amplitude: float, pivot_z: float, duration: float) -> tuple[Keyframe, ...]:
    """Poses of a small-angle pendulum that starts at −amplitude [rad]: θ = −A cos(√(g / L) t)."""
    rate = math.sqrt(9.81 / length)
    frames = []
    for k in range(round(duration / _STEP) + 1):
        angle = -amplitude * math.cos(rate * k * _STEP)
        place = (round(length * math.sin(angle), 4), 0.0, round(pivot_z - length * math.cos(angle), 4))
        turn = (round(math.cos(angle / 2), 5), 0.0, round(-math.sin(angle / 2), 5), 0.0)
        frames.append(Keyframe(t=round(k * _STEP, 5), pos=place, rot=turn))
    return tuple(frames)


def compose(draw: Draw) -> World:
    """The bob is at its lowest where the ball lies."""
    palette = Palette(draw)
    length, bob, size = draw.value("length"), draw.value("bob"), draw.value("diameter")
    lowest = max(bob, size) / 2 + 0.02
    keys = _swing(length, math.radians(draw.value("amplitude")), length + lowest, 4.0)
    striker = Object(
        name="striker", geometry="box", size=(bob / 2, bob, bob), pos=keys[0].pos, rot=keys[0].rot,
        vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0), trajectory=keys, friction=0.5, restitution=1.0,
        material=palette.material(HARD),
    )  # fmt: skip
    ball = body(
        "ball", "sphere", material=palette.material(HARD), volume=ball_volume(size), size=(size, size, size),
        pos=(rounded(bob / 4 + size / 2 + 0.02), 0.0, rounded(size / 2)), friction=draw.value("friction"),
        restitution=draw.value("restitution"), rolling_friction=draw.value("rolling_friction"),
    )  # fmt: skip
    still = distractors(draw, palette, ((-0.3, 0.55), (0.6, 0.55)))
    return scene(draw, striker, ball, ground=floor(draw, restitution=0.5), still=still)


TEMPLATE = Template(
    name="pendulum_hit",
    line="a pendulum swings along keyframes and strikes a ball at rest",
    ranges=RANGES,
    compose=compose,
    watched=("ball.restitution", "ball.rolling_friction"),
    longest=1.5,
)

"""What mechanics does not depend on: directions, mirror images, masses, scale, the order of the objects."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import quaternion_from_axis_angle, rotation_from_quaternion
from fourdcb.physics.conformance.row import ConformanceRow
from fourdcb.physics.conformance.scenes import floor, stage, thing
from fourdcb.physics.conformance.variants import apart, mirrored, of_mass, reordered, scaled, turned
from fourdcb.physics.engine import Engine
from fourdcb.world import World

_AGREES = 1e-3  # [m], of a scene about a metre wide
_Z = (0.0, 0.0, 1.0)


def ball_box_can() -> World:
    """A rolling ball hits a box, which hits a can."""
    ball = thing(
        "ball", "sphere", (-0.5, 0.013, 0.05), size=(0.1,) * 3, mass=0.4, friction=0.4, restitution=0.5,
        vel=(2.2, 0.0, 0.0), ang_vel=(0.0, 10.0, 0.0),
    )  # fmt: skip
    box = thing(
        "box", "box", (0.0, 0.0, 0.05), size=(0.06, 0.12, 0.1), mass=0.3, friction=0.4, restitution=0.3
    )
    can = thing(
        "can",
        "cylinder",
        (0.15, 0.02, 0.06),
        size=(0.06, 0.06, 0.12),
        mass=0.2,
        friction=0.4,
        restitution=0.3,
    )
    return stage(ball, box, can, duration=1.0, planes=(floor(),))


def turns(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """The scene turned about the vertical and about a slanted axis: the same motion, turned."""
    world = ball_box_can()
    run = engine.rollout(world, rate_hz=rate_hz)
    for axis, degrees in ((_Z, 30), (_Z, 45), (_Z, 90), (_Z, 137), ((1.0, 2.0, -0.5), 70)):
        other = engine.rollout(turned(world, axis, math.radians(degrees)), rate_hz=rate_hz)
        matrix = rotation_from_quaternion(quaternion_from_axis_angle(axis, math.radians(degrees)))
        label = "about the vertical" if axis == _Z else "about a slanted axis"
        yield _row(f"scene turned {degrees}° {label}", apart(run, other, expected=matrix), rate_hz)


def retold(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """The scene mirrored, in every order of its objects, of other masses: the same motion."""
    world = ball_box_can()
    run = engine.rollout(world, rate_hz=rate_hz)
    mirror: F64 = np.diag([1.0, -1.0, 1.0])
    other = engine.rollout(mirrored(world), rate_hz=rate_hz)
    yield _row("scene mirrored", apart(run, other, expected=mirror), rate_hz)
    for order in ((1, 0, 2), (2, 1, 0), (1, 2, 0)):
        other = engine.rollout(reordered(world, order), rate_hz=rate_hz)
        yield _row(f"objects in the order {order}", apart(run, other), rate_hz)
    for factor in (1e-3, 10.0, 1e4):
        other = engine.rollout(of_mass(world, factor), rate_hz=rate_hz)
        yield _row(f"all masses × {factor:g}", apart(run, other), rate_hz)


def scales(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Lengths × k, times × √k, masses × k³, as many steps: the same motion scaled."""
    world = ball_box_can()
    run = engine.rollout(world, rate_hz=rate_hz)
    for factor in (0.01, 0.1, 25.0):
        other = engine.rollout(scaled(world, factor), rate_hz=rate_hz / math.sqrt(factor))
        yield _row(f"lengths × {factor:g}, times × its root", apart(run, other, scale=factor), rate_hz)


def _row(name: str, measured: float, rate_hz: float) -> ConformanceRow:
    return ConformanceRow(
        name=f"{name}, largest difference in 1 s @ {rate_hz:g} Hz",
        measured=measured, expected=0.0, tolerance=_AGREES, unit="m",
    )  # fmt: skip

"""Masses from a gram to ten tonnes, sizes from a centimetre to five metres, all frame rates, fast bodies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fourdcb.physics.conformance.row import ConformanceRow
from fourdcb.physics.conformance.scenes import NOTHING, G, floor, stage, thing
from fourdcb.physics.engine import Engine


def rebounds(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Restitution does not depend on mass, size or speed."""
    e = 0.6
    for mass, size, speed in (
        (0.001, 0.01, 0.05), (0.001, 0.01, 5.0), (1.0, 0.1, 1.0), (1.0, 0.1, 50.0),
        (1000.0, 1.0, 0.05), (10_000.0, 5.0, 5.0), (10_000.0, 5.0, 50.0),
    ):  # fmt: skip
        start = 0.5 * size + 0.02 * speed
        ball = thing(
            "b", "sphere", (0.0, 0.0, start), size=(size,) * 3, mass=mass, restitution=e, acc=NOTHING,
            vel=(0.0, 0.0, -speed),
        )  # fmt: skip
        run = engine.rollout(stage(ball, duration=0.1, planes=(floor(),)), rate_hz=rate_hz)
        yield ConformanceRow(
            name=f"ball of {mass:g} kg, {size:g} m wide, at {speed:g} m/s, speed kept @ {rate_hz:g} Hz",
            measured=float(run.linear_velocity[-1, 0, 2] / speed), expected=e, tolerance=0.01 * e,
        )  # fmt: skip


def frame_rates(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A slide stops at v² / (2 μ g) at every frame rate; substeps as near to the rate as frames allow."""
    exact = 2.0**2 / (2 * 0.3 * G)
    for fps in (24.0, 25.0, 30.0, 50.0, 60.0):
        box = thing("b", "box", (0.0, 0.0, 0.03), friction=0.3, vel=(2.0, 0.0, 0.0))
        world = replace(stage(box, duration=1.0, planes=(floor(),)), fps=fps)
        run = engine.rollout(world, rate_hz=fps * math.ceil(rate_hz / fps))
        yield ConformanceRow(
            name=f"slide at {fps:g} frames a second, way @ {rate_hz:g} Hz",
            measured=float(run.position[-1, 0, 0]), expected=exact, tolerance=0.005 * exact, unit="m",
        )  # fmt: skip


def heavy_on_light(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A heavy cube rests on a light one."""
    for mass in (10.0, 100.0, 1000.0, 10_000.0):
        low = thing("low", "box", (0.0, 0.0, 0.05), size=(0.1,) * 3)
        high = thing("high", "box", (0.0, 0.0, 0.15), size=(0.1,) * 3, mass=mass)
        run = engine.rollout(stage(low, high, duration=2.0, planes=(floor(),)), rate_hz=rate_hz)
        yield ConformanceRow(
            name=f"{mass:g} kg on 1 kg, largest motion in 2 s @ {rate_hz:g} Hz",
            measured=float(np.linalg.norm(run.position[:, :2] - run.position[0, :2], axis=2).max()),
            expected=0.0, tolerance=1e-3, unit="m",
        )  # fmt: skip


def half_space(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A plane is a half space: it does not end, and nothing gets through."""
    far = thing("b", "sphere", (12.0, 0.0, 0.05), size=(0.1,) * 3)
    run = engine.rollout(stage(far, duration=1.0, planes=(floor(),)), rate_hz=rate_hz)
    yield ConformanceRow(
        name=f"ball 12 m from a plane's middle, height @ {rate_hz:g} Hz",
        measured=float(run.position[-1, 0, 2]), expected=0.05, tolerance=1e-3, unit="m",
    )  # fmt: skip
    for share in (0.0, 0.2, 0.4, 0.6, 0.8):
        wall = thing("wall", "box", NOTHING, size=(0.02, 1.0, 1.0), fixed=True, mass=None, acc=NOTHING)
        step = 50.0 / rate_hz
        ball = thing(
            "b", "sphere", (-0.5 - share * step, 0.0, 0.0), size=(0.03,) * 3, acc=NOTHING,
            vel=(50.0, 0.0, 0.0),
        )  # fmt: skip
        run = engine.rollout(stage(ball, wall, duration=0.1), rate_hz=rate_hz)
        yield ConformanceRow(
            name=f"ball at 50 m/s against 20 mm, {share:g} of a step later, passes @ {rate_hz:g} Hz",
            measured=float(run.position[-1, 0, 0] > 0.0), expected=0.0, tolerance=0.5,
        )  # fmt: skip


def glancing(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Frictionless balls that barely meet part along the line of their centres at the touch."""
    for offset in (0.05, 0.08, 0.095, 0.099):
        a = thing("a", "sphere", (-0.5, 0.0, 0.0), size=(0.1,) * 3, friction=0.0, restitution=1.0,
                  acc=NOTHING, vel=(5.0, 0.0, 0.0))  # fmt: skip
        b = thing(
            "b", "sphere", (0.0, offset, 0.0), size=(0.1,) * 3, friction=0.0, restitution=1.0, acc=NOTHING
        )
        run = engine.rollout(stage(a, b, duration=0.3), rate_hz=rate_hz)
        velocity = run.linear_velocity[-1, 1]
        angle = math.degrees(math.atan2(float(velocity[1]), float(velocity[0])))
        yield ConformanceRow(
            name=f"glancing hit at {1e3 * offset:g} of 100 mm, way of the struck ball @ {rate_hz:g} Hz",
            measured=angle, expected=math.degrees(math.asin(offset / 0.1)), tolerance=0.3, unit="°",
        )  # fmt: skip

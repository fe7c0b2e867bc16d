"""Impacts between bodies: momentum, restitution, strikers, the cradle."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fourdcb.physics.conformance.row import ConformanceRow, by_rate
from fourdcb.physics.conformance.scenes import NOTHING, G, floor, stage, thing
from fourdcb.physics.engine import Engine
from fourdcb.world import Keyframe


def head_on(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Two balls of 1 kg and 3 kg on one line, in weightlessness."""
    for e in (0.3, 0.8, 1.0):
        first = thing("a", "sphere", NOTHING, vel=(2.0, 0.0, 0.0), acc=NOTHING, friction=0.0, restitution=e)
        second = thing(
            "b", "sphere", (0.3, 0.0, 0.0), mass=3.0, vel=(-0.5, 0.0, 0.0), acc=NOTHING, friction=0.0,
            restitution=1.0,
        )  # fmt: skip
        run = engine.rollout(stage(first, second, duration=0.5), rate_hz=rate_hz)
        v = run.linear_velocity[-1, :, 0]
        yield ConformanceRow(
            name=f"head-on 1 kg and 3 kg e={e:g}, momentum @ {rate_hz:g} Hz",
            measured=float(v[0] + 3 * v[1]),
            expected=0.5,
            tolerance=1e-6,
            unit="kg m/s",
        )
        yield ConformanceRow(
            name=f"head-on 1 kg and 3 kg e={e:g}, restitution @ {rate_hz:g} Hz",
            measured=float((v[1] - v[0]) / 2.5),
            expected=e,
            tolerance=0.01 * e,
        )


def oblique(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Frictionless off-centre impact: the impulse lies along the contact normal that was met."""
    for offset in (0.03, 0.06):
        a = thing("a", "sphere", NOTHING, vel=(2.0, 0.0, 0.0), acc=NOTHING, friction=0.0, restitution=0.9)
        b = thing("b", "sphere", (0.3, offset, 0.0), acc=NOTHING, friction=0.0, restitution=1.0)
        run = engine.rollout(stage(a, b, duration=0.4), rate_hz=rate_hz)
        normal = run.contacts.normal[0]
        before, after = run.linear_velocity[0], run.linear_velocity[-1]
        closing = float((before[0] - before[1]) @ normal)
        yield ConformanceRow(
            name=f"oblique impact offset {offset:g} m, restitution along the normal @ {rate_hz:g} Hz",
            measured=float(-((after[0] - after[1]) @ normal) / closing),
            expected=0.9,
            tolerance=0.009,
        )
        change = after[1] - before[1]
        sideways = change - (change @ normal) * normal
        yield ConformanceRow(
            name=f"oblique impact offset {offset:g} m, impulse off the normal @ {rate_hz:g} Hz",
            measured=float(np.linalg.norm(sideways)),
            expected=0.0,
            tolerance=1e-6,
            unit="m/s",
        )


def cradle(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Five equal balls 0.1 mm apart: the last one leaves with the first one's speed.

    Balls that touch exactly share the impulse instead (the solver treats all contacts at once).
    """
    balls = [
        thing(
            f"ball {k}", "sphere", (0.1001 * k, 0.0, 0.0), acc=NOTHING, friction=0.0, restitution=1.0,
            vel=(1.0, 0.0, 0.0) if k == 0 else NOTHING,
        )
        for k in range(5)
    ]  # fmt: skip
    run = engine.rollout(stage(*balls, duration=0.5), rate_hz=rate_hz)
    v = run.linear_velocity[-1, :, 0]
    yield ConformanceRow(
        name=f"Newton's cradle, speed of the last ball @ {rate_hz:g} Hz",
        measured=float(v[-1]),
        expected=1.0,
        tolerance=0.02,
        unit="m/s",
    )
    yield ConformanceRow(
        name=f"Newton's cradle, fastest other ball @ {rate_hz:g} Hz",
        measured=float(np.abs(v[:-1]).max()),
        expected=0.0,
        tolerance=0.02,
        unit="m/s",
    )


def striker(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A keyframed box at 1 m/s hits a resting ball with e = 0.5: the ball leaves with (1 + e) · 1 m/s."""
    box = thing(
        "striker", "box", (-0.3, 0.0, 0.0), size=(0.1, 0.1, 0.1), acc=NOTHING, restitution=0.5,
        trajectory=(Keyframe(0.0, (-0.3, 0.0, 0.0)), Keyframe(1.0, (0.7, 0.0, 0.0))),
    )  # fmt: skip
    ball = thing("ball", "sphere", NOTHING, acc=NOTHING, restitution=1.0)
    run = engine.rollout(stage(box, ball, duration=0.6), rate_hz=rate_hz)
    yield ConformanceRow(
        name=f"kinematic striker, speed of the ball @ {rate_hz:g} Hz",
        measured=float(run.linear_velocity[-1, 1, 0]),
        expected=1.5,
        tolerance=0.015,
        unit="m/s",
    )
    yield ConformanceRow(
        name=f"kinematic striker, distance from its keyframes @ {rate_hz:g} Hz",
        measured=float(np.abs(run.position[:, 0, 0] - (run.times - 0.3)).max()),
        expected=0.0,
        tolerance=1e-9,
        unit="m",
    )


def disk(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A flat disk that spins on the floor stops after 3 ω r / (4 μ g)."""
    radius, spin, friction = 0.08, 20.0, 0.2
    body = thing(
        "disk", "cylinder", (0.0, 0.0, 0.01), size=(2 * radius, 2 * radius, 0.02), friction=friction,
        ang_vel=(0.0, 0.0, spin),
    )  # fmt: skip
    run = engine.rollout(stage(body, duration=1.2, planes=(floor(),)), rate_hz=rate_hz)
    still = np.flatnonzero(np.abs(run.angular_velocity[:, 0, 2]) < 0.05 * spin)
    yield ConformanceRow(
        name=f"spinning disk, time until 5 % of the spin is left @ {rate_hz:g} Hz",
        measured=float(run.times[still[0]]) if len(still) else math.inf,
        expected=0.95 * 3 * spin * radius / (4 * friction * G),
        tolerance=by_rate(rate_hz, preview=0.01, judging=0.005),  # a step is 0.004 or 0.001 s
        unit="s",
    )

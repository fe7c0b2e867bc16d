"""Friction and rolling: sliding to a stop, inclines, rolling down a slope."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.physics.conformance.row import ConformanceRow, by_rate
from fourdcb.physics.conformance.scenes import G, floor, slope, stage, thing
from fourdcb.physics.engine import Engine
from fourdcb.world import Geometry

SPEED, FRICTION = 2.0, 0.3
DIRECTIONS = tuple(range(0, 360, 45))


def slides(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Stopping distance v² / (2 μ g) of a box in 8 directions and of a cylinder on its base in 2."""
    exact = SPEED**2 / (2 * FRICTION * G)
    cases: list[tuple[Geometry, int]] = [("box", d) for d in DIRECTIONS]
    for geometry, direction in [*cases, ("cylinder", 0), ("cylinder", 45)]:
        angle = math.radians(direction)
        half = 0.03 if geometry == "box" else 0.05
        body = thing(
            "slider", geometry, (0.0, 0.0, half), friction=FRICTION,
            vel=(SPEED * math.cos(angle), SPEED * math.sin(angle), 0.0),
        )  # fmt: skip
        run = engine.rollout(stage(body, duration=1.0, planes=(floor(),)), rate_hz=rate_hz)
        yield ConformanceRow(
            name=f"slide {geometry} towards {direction}° @ {rate_hz:g} Hz",
            measured=float(np.linalg.norm(run.position[-1, 0, :2])),
            expected=exact,
            tolerance=exact * by_rate(rate_hz, preview=0.015, judging=0.005),
            unit="m",
        )


def inclines(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Sliding down a 30° slope: g (sin − μ cos); below the friction angle nothing moves."""
    plane, downhill, rot = slope(30.0)
    start = np.array(plane.normal) * 0.03
    pos = (float(start[0]), float(start[1]), float(start[2]))
    body = thing("slider", "box", pos, rot=rot, friction=0.3)
    run = engine.rollout(stage(body, duration=1.0, planes=(plane,)), rate_hz=rate_hz)
    exact = G * (math.sin(math.radians(30)) - 0.3 * math.cos(math.radians(30)))
    yield ConformanceRow(
        name=f"incline 30°, sliding acceleration @ {rate_hz:g} Hz",
        measured=_acceleration(run.position[:, 0] @ downhill, run.times),
        expected=exact,
        tolerance=0.005 * exact,
        unit="m/s²",
    )
    body = thing("sticker", "box", pos, rot=rot, friction=0.7)
    run = engine.rollout(stage(body, duration=2.0, planes=(plane,)), rate_hz=rate_hz)
    settled = run.position[len(run.times) // 4 :, 0] @ downhill
    yield ConformanceRow(
        name=f"incline 30°, creep below the friction angle in 1.5 s @ {rate_hz:g} Hz",
        measured=float(np.ptp(settled)),
        expected=0.0,
        tolerance=0.001,
        unit="m",
    )


def rolling(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Rolling without slipping down a 10° slope: g sin / (1 + I / m r²)."""
    plane, downhill, _ = slope(10.0)
    side = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    rollers: tuple[tuple[Geometry, float, float, dict[str, Any]], ...] = (
        ("sphere", 0.05, 5 / 7, {}),
        ("cylinder", 0.04, 2 / 3, {"rot": side}),
    )
    for geometry, radius, factor, fields in rollers:
        start = np.array(plane.normal) * radius
        pos = (float(start[0]), float(start[1]), float(start[2]))
        body = thing("roller", geometry, pos, friction=0.8, **fields)
        run = engine.rollout(stage(body, duration=1.0, planes=(plane,)), rate_hz=rate_hz)
        exact = factor * G * math.sin(math.radians(10))
        yield ConformanceRow(
            name=f"rolling {geometry} on 10°, acceleration @ {rate_hz:g} Hz",
            measured=_acceleration(run.position[:, 0] @ downhill, run.times),
            expected=exact,
            tolerance=0.01 * exact,
            unit="m/s²",
        )


def _acceleration(along: F64, times: F64) -> float:
    """Second derivative of a parabola fitted after the first tenth (the contact settles there)."""
    begin = len(times) // 10
    return float(2 * np.polyfit(times[begin:], along[begin:], 2)[0])

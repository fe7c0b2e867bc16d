"""Friction in every direction and at every mass: rolling, in a groove, about the vertical."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fourdcb.conventions import multiply_quaternions, quaternion_from_axis_angle
from fourdcb.physics.conformance.row import ConformanceRow
from fourdcb.physics.conformance.scenes import G, floor, stage, thing
from fourdcb.physics.conformance.variants import turned
from fourdcb.physics.engine import Engine
from fourdcb.world import Plane

AZIMUTHS_DEG = (0.0, 10.0, 20.0, 45.0, 70.0, 90.0, 160.0, 250.0)
MASSES_KG = (0.001, 1.0, 100.0, 10_000.0)


def rolling_friction(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A ball with rolling friction brakes with lever g / (1.4 r) against its path, whatever its mass."""
    lever, radius, speed = 0.004, 0.05, 1.0
    exact = speed**2 / (2 * lever * G / (1.4 * radius))
    runs = [(azimuth, 1.0) for azimuth in AZIMUTHS_DEG] + [(20.0, mass) for mass in MASSES_KG]
    for azimuth, mass in runs:
        c, s = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
        ball = thing(
            "ball", "sphere", (0.0, 0.0, radius), mass=mass, vel=(speed * c, speed * s, 0.0),
            ang_vel=(-speed / radius * s, speed / radius * c, 0.0), rolling_friction=lever,
        )  # fmt: skip
        run = engine.rollout(stage(ball, duration=2.5, planes=(floor(),)), rate_hz=rate_hz)
        end = run.position[-1, 0, :2]
        yield ConformanceRow(
            name=f"ball of {mass:g} kg towards {azimuth:g}° with rolling friction, miss @ {rate_hz:g} Hz",
            measured=float(np.linalg.norm(end - exact * np.array([c, s]))),
            expected=0.0, tolerance=0.01 * exact, unit="m",
        )  # fmt: skip


def groove(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A box slides down a V of two planes: g (sin - μ cos / cos half the angle between their normals)."""
    slope, friction = math.radians(35.0), 0.3
    up = np.array([math.sin(slope), 0.0, math.cos(slope)])
    walls = (up + np.array([0.0, side, 0.0]) for side in (1.0, -1.0))
    normals = [wall / np.linalg.norm(wall) for wall in walls]
    planes = tuple(
        Plane(name=f"p{k}", normal=(float(n[0]), float(n[1]), float(n[2])), friction=1.0, restitution=1.0)
        for k, n in enumerate(normals)
    )
    exact = G * (math.sin(slope) - friction * math.cos(slope) / math.cos(math.pi / 4))
    about_y = quaternion_from_axis_angle((0.0, 1.0, 0.0), slope)
    rot = multiply_quaternions(about_y, quaternion_from_axis_angle((1.0, 0.0, 0.0), math.pi / 4)).tolist()
    start = up * 0.02 * math.sqrt(2)
    box = thing(
        "b", "box", (float(start[0]), 0.0, float(start[2])), size=(0.1, 0.04, 0.04), friction=friction,
        rot=(rot[0], rot[1], rot[2], rot[3]),
    )  # fmt: skip
    for azimuth in (0.0, 30.0, 45.0):
        world = turned(stage(box, duration=1.0, planes=planes), (0.0, 0.0, 1.0), math.radians(azimuth))
        run = engine.rollout(world, rate_hz=rate_hz)
        way = float(np.linalg.norm(run.position[-1, 0] - run.position[0, 0]))
        yield ConformanceRow(
            name=f"box sliding in a V, azimuth {azimuth:g}°, acceleration @ {rate_hz:g} Hz",
            measured=2 * way, expected=exact, tolerance=0.01 * exact, unit="m/s²",
        )  # fmt: skip


def spin_stop(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A box and a disk spinning on their faces stop as even pressure makes them."""
    spin, friction = 20.0, 0.3
    square = 0.1 * (math.sqrt(2) + math.asinh(1.0)) / 6
    cases = (
        ("box", (0.1, 0.1, 0.06), 0.1**2 / 6, square),
        ("cylinder", (0.1, 0.1, 0.06), 0.5 * 0.05**2, 2 / 3 * 0.05),
    )
    for geometry, size, moment, lever in cases:
        for azimuth in (0.0, 22.0):
            rot = quaternion_from_axis_angle((0.0, 0.0, 1.0), math.radians(azimuth)).tolist()
            body = thing(
                "b", "box" if geometry == "box" else "cylinder", (0.0, 0.0, 0.03), size=size,
                friction=friction, ang_vel=(0.0, 0.0, spin), rot=(rot[0], rot[1], rot[2], rot[3]),
            )  # fmt: skip
            run = engine.rollout(stage(body, duration=0.6, planes=(floor(),)), rate_hz=rate_hz)
            exact = spin * moment / (friction * G * lever)
            still = np.abs(run.angular_velocity[:, 0, 2]) < 1e-3 * spin
            yield ConformanceRow(
                name=f"{geometry} spinning on its face, azimuth {azimuth:g}°, stops after @ {rate_hz:g} Hz",
                measured=float(run.times[np.argmax(still)]) if still.any() else math.inf,
                expected=exact, tolerance=0.01 * exact, unit="s",
            )  # fmt: skip

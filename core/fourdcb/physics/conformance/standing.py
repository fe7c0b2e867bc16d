"""What stands, topples or lies still: thresholds of shape and friction, and rest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fourdcb.conventions import multiply_quaternions, quaternion_from_axis_angle, rotation_from_quaternion
from fourdcb.physics.conformance.row import ConformanceRow
from fourdcb.physics.conformance.scenes import ON_SIDE, floor, slope, stage, thing
from fourdcb.physics.conformance.variants import turned
from fourdcb.physics.engine import Engine
from fourdcb.trajectory import Trajectory
from fourdcb.world import Geometry, Object, Plane

AZIMUTHS_DEG = (0.0, 15.0, 22.5, 45.0)
_TOPPLED_DEG = 20.0
_DISCS = (("coin", (0.024, 0.024, 0.0015)), ("CD", (0.12, 0.12, 0.0012)), ("plate", (0.2, 0.2, 0.003)))
_Z = (0.0, 0.0, 1.0)


def toppling(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """On a slope that holds it a body topples when tan exceeds base / height, whatever way it faces."""
    things: tuple[tuple[Geometry, tuple[float, float, float]], ...] = (
        ("box", (0.06, 0.1, 0.15)),
        ("cylinder", (0.06, 0.06, 0.15)),
        ("cone", (0.06, 0.06, 0.12)),
    )
    for geometry, size in things:
        # A cone's centre of mass is a quarter up, half the others' height.
        ratio = size[0] / size[2] * (2.0 if geometry == "cone" else 1.0)
        for share in (0.97, 1.03):
            for azimuth in AZIMUTHS_DEG:
                tilt = _tilt_on_slope(engine, rate_hz, geometry, size, math.atan(share * ratio), azimuth)
                yield ConformanceRow(
                    name=f"{geometry} on a slope of {share:g} of its limit, azimuth {azimuth:g}°, topples"
                    f" @ {rate_hz:g} Hz",
                    measured=float(tilt > _TOPPLED_DEG), expected=float(share > 1.0), tolerance=0.5,
                )  # fmt: skip


def _tilt_on_slope(
    engine: Engine,
    rate_hz: float,
    geometry: Geometry,
    size: tuple[float, float, float],
    angle: float,
    azimuth_deg: float,
) -> float:
    """Largest tilt against the slope [deg] in 3 s."""
    plane, _, rot = slope(math.degrees(angle))
    start = np.array(plane.normal) * 0.5 * size[2]
    spin = quaternion_from_axis_angle(_Z, -math.radians(azimuth_deg) if geometry != "box" else 0.0)
    rot = tuple(float(x) for x in multiply_quaternions(np.array(rot), spin))
    pos = (float(start[0]), float(start[1]), float(start[2]))
    body = thing("b", geometry, pos, size=size, rot=rot, friction=1.5)
    world = turned(stage(body, duration=3.0, planes=(plane,)), _Z, math.radians(azimuth_deg))
    run = engine.rollout(world, rate_hz=rate_hz)
    axis = rotation_from_quaternion(run.orientation_wxyz[:, 0])[..., 2]
    cosine = np.clip(axis @ np.array(world.planes[0].normal), -1.0, 1.0)
    return float(np.degrees(np.arccos(cosine)).max())


def thin(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Thin discs lie at half their thickness; coins and cards that fall on each other stay on top."""
    for name, size in (
        ("coin", (0.024, 0.024, 0.0015)),
        ("CD", (0.12, 0.12, 0.0012)),
        ("plate", (0.2, 0.2, 0.003)),
    ):
        body = thing("b", "cylinder", (0.0, 0.0, 0.5 * size[2]), size=size, mass=0.02, friction=0.4)
        run = engine.rollout(stage(body, duration=1.0, planes=(floor(),)), rate_hz=rate_hz)
        yield ConformanceRow(
            name=f"{name} lying flat, height @ {rate_hz:g} Hz",
            measured=float(run.position[-1, 0, 2]), expected=0.5 * size[2],
            tolerance=0.01 * size[2], unit="m",
        )  # fmt: skip
    pairs: tuple[tuple[Geometry, tuple[float, float, float]], ...] = (
        ("cylinder", (0.024, 0.024, 0.0015)),
        ("box", (0.1, 0.1, 0.003)),
        ("box", (0.086, 0.054, 0.0003)),
    )
    for geometry, size in pairs:
        fields = {"size": size, "mass": 0.005, "friction": 0.4, "restitution": 0.2}
        low = thing("low", geometry, (0.0, 0.0, 0.5 * size[2]), **fields)
        high = thing("high", geometry, (0.002, 0.001, 0.3), **fields)
        run = engine.rollout(stage(low, high, duration=2.0, planes=(floor(),)), rate_hz=rate_hz)
        yield ConformanceRow(
            name=f"{geometry} {1e3 * size[2]:g} mm thick, dropped on its like, height @ {rate_hz:g} Hz",
            measured=float(run.position[-1, 1, 2]), expected=1.5 * size[2],
            tolerance=0.02 * size[2], unit="m",
        )  # fmt: skip


def resting(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """What rests stays: every shape, and cylinders on their sides."""
    bodies = [
        thing("sphere", "sphere", (0.0, 0.0, 0.05), size=(0.1,) * 3),
        thing("box", "box", (0.5, 0.0, 0.05), size=(0.1,) * 3),
        thing("cylinder", "cylinder", (1.0, 0.0, 0.05), size=(0.1,) * 3),
        thing("cone", "cone", (1.5, 0.0, 0.05), size=(0.1,) * 3),
        thing("capsule", "capsule", (2.0, 0.0, 0.03), size=(0.06, 0.06, 0.14), rot=ON_SIDE),
        thing("cylinder on its side", "cylinder", (2.5, 0.0, 0.05), size=(0.1,) * 3, rot=ON_SIDE),
        thing("disk on its side", "cylinder", (3.0, 0.0, 0.15), size=(0.3, 0.3, 0.05), rot=_ASKEW),
    ]
    run = engine.rollout(stage(*bodies, duration=5.0, planes=(floor(),)), rate_hz=rate_hz)
    for k, body in enumerate(bodies):
        yield ConformanceRow(
            name=f"{body.name} at rest, creep in 5 s @ {rate_hz:g} Hz",
            measured=float(np.linalg.norm(run.position[:, k] - run.position[0, k], axis=1).max()),
            expected=0.0, tolerance=2e-4, unit="m",
        )  # fmt: skip


_ASKEW = tuple(
    float(x) for x in multiply_quaternions(quaternion_from_axis_angle(_Z, 0.52), np.array(ON_SIDE))
)


def leaning(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A cylinder on two others and two leaning boards: friction decides, at ± 4 % of the least that holds."""
    least = math.tan(math.radians(15.0)) / 3
    for share in (0.96, 1.04):
        run = engine.rollout(
            stage(*_pile(), duration=2.0, planes=(floor_of(share * least),)), rate_hz=rate_hz
        )
        yield _falls(f"cylinder on two, friction {share:g} of the least", run, 2, 0.02, share, rate_hz)
    lean = math.radians(20.0)
    for share in (0.96, 1.04):
        boards = (_board("left", -1.0, lean), _board("right", 1.0, lean))
        run = engine.rollout(
            stage(*boards, duration=1.5, planes=(floor_of(share * math.tan(lean) / 2),)), rate_hz=rate_hz
        )
        yield _falls(f"two leaning boards, friction {share:g} of the least", run, 0, 0.02, share, rate_hz)


def _pile() -> tuple[Object, Object, Object]:
    high = 0.04 + 0.08 * math.sqrt(3) / 2
    a, b, c = (
        thing(name, "cylinder", pos, size=(0.08, 0.08, 0.1), rot=ON_SIDE, friction=1.0)
        for name, pos in (("a", (-0.04, 0.0, 0.04)), ("b", (0.04, 0.0, 0.04)), ("c", (0.0, 0.0, high)))
    )
    return a, b, c


def _board(name: str, side: float, lean: float) -> Object:
    """A board of 0.2 × 0.3 m, 4 mm thick, whose upper inner edge is over the origin."""
    thick, long = 0.004, 0.3
    x = 0.5 * (long * math.sin(lean) + thick * math.cos(lean))
    z = 0.5 * (long * math.cos(lean) + thick * math.sin(lean))
    rot = tuple(float(v) for v in quaternion_from_axis_angle((0.0, 1.0, 0.0), -side * lean))
    return thing(name, "box", (side * x, 0.0, z), size=(thick, 0.2, long), mass=0.1, friction=1.0, rot=rot)


def floor_of(friction: float) -> Plane:
    """A floor with a friction of its own."""
    return replace(floor(), friction=friction)


def _falls(
    name: str, run: Trajectory, body: int, drop: float, share: float, rate_hz: float
) -> ConformanceRow:
    fell = float(run.position[0, body, 2] - run.position[:, body, 2].min())
    return ConformanceRow(
        name=f"{name}, falls @ {rate_hz:g} Hz",
        measured=float(fell > drop), expected=float(share < 1.0), tolerance=0.5,
    )  # fmt: skip

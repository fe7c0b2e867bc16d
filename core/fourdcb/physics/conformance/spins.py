"""Rims, tips and free rotation: rolling disks, tops, thrown books, rocking blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp

from fourdcb.arrays import F64
from fourdcb.conventions import quaternion_from_axis_angle, rotation_from_quaternion
from fourdcb.physics.conformance.row import ConformanceRow
from fourdcb.physics.conformance.scenes import NOTHING, G, floor, stage, thing
from fourdcb.physics.engine import Engine


def rolling_disk(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A disk rolls on the edge of its rim in a circle, leaning: steady motion persists."""
    for thickness in (1e-4, 0.006, 0.02):
        circle, lean = 0.8, math.radians(15.0)
        rate, spin, axis, contact = _steady_roll(0.1, thickness, circle, lean)
        turn = quaternion_from_axis_angle((0.0, 1.0, 0.0), -(math.pi / 2 + lean))
        omega = rate * np.array([0.0, 0.0, 1.0]) + spin * axis
        body = thing(
            "d", "cylinder", (circle, 0.0, -contact[2]), size=(0.2, 0.2, thickness), friction=1.0,
            rot=tuple(float(x) for x in turn), vel=(0.0, rate * circle, 0.0),
            ang_vel=tuple(float(x) for x in omega),
        )  # fmt: skip
        run = engine.rollout(stage(body, duration=1.5, planes=(floor(),)), rate_hz=rate_hz)
        away = np.hypot(run.position[:, 0, 0], run.position[:, 0, 1])
        yield ConformanceRow(
            name=f"disk {1e3 * thickness:g} mm thick rolling in a circle, largest departure @ {rate_hz:g} Hz",
            measured=float(np.abs(away - circle).max()), expected=0.0, tolerance=0.01 * circle, unit="m",
        )  # fmt: skip
        ends = rotation_from_quaternion(run.orientation_wxyz[[0, -1], 0])[..., 2, 2]
        yield ConformanceRow(
            name=f"disk {1e3 * thickness:g} mm thick rolling in a circle, lean gained @ {rate_hz:g} Hz",
            measured=float(np.ptp(np.degrees(np.arcsin(ends)))), expected=0.0, tolerance=0.5, unit="°",
        )  # fmt: skip


def _steady_roll(
    radius: float, thickness: float, circle: float, lean: float
) -> tuple[float, float, F64, F64]:
    """(turns about the vertical [rad/s], spin about the axis [rad/s], axis, contact from the middle [m]).

    The middle is at (circle, 0) and moves along +y; the axis looks inwards and down. No slip fixes the spin,
    and ``Ω × L = r × F`` with ``F = m (g ẑ - Ω² circle x̂)`` the rate; both sides are linear in Ω².
    """
    axis = np.array([-math.cos(lean), 0.0, -math.sin(lean)])
    down = np.array([math.sin(lean), 0.0, -math.cos(lean)])
    contact = 0.5 * thickness * axis + radius * down
    # Per unit Ω: spin, and the x component of the angular momentum (of unit mass).
    spin = -(circle + contact[0]) / (axis[2] * contact[0] - axis[0] * contact[2])
    omega = np.array([spin * axis[0], 0.0, 1.0 + spin * axis[2]])
    about, across = 0.5 * radius**2, (3 * radius**2 + thickness**2) / 12
    momentum = across * omega + (about - across) * (omega @ axis) * axis
    rate = math.sqrt(-contact[0] * G / (momentum[0] + contact[2] * circle))
    return rate, spin * rate, axis, contact


def top(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A cone spins fast on its tip, started in steady precession."""
    body = thing(
        "c", "cone", (0.01026060429977006, 0.0, 0.028190778623577252), size=(0.08, 0.08, 0.06), mass=0.1,
        friction=1.0, rot=(0.17364817766693033, 0.0, -0.9848077530122081, 0.0),
        vel=(0.0, 0.08479723807073625, 0.0), ang_vel=(48.64691020291375, 0.0, 141.9206385685054),
    )  # fmt: skip
    run = engine.rollout(stage(body, duration=2.0, planes=(floor(),)), rate_hz=rate_hz)
    axis = rotation_from_quaternion(run.orientation_wxyz[:, 0])[..., 2]
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    expected = 0.08479723807073625 / 0.01026060429977006
    yield ConformanceRow(
        name=f"top on its tip, precession @ {rate_hz:g} Hz",
        measured=float((turned[-1] - turned[0]) / run.times[-1]),
        expected=expected, tolerance=0.01 * expected, unit="rad/s",
    )  # fmt: skip


def thrown(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Bodies in free rotation turn as Euler's equations say; light ones too."""
    cases = (
        ("book", "box", (0.15, 0.07, 0.008), 1.0, (0.3, 10.0, 0.3)),
        ("book off the separatrix", "box", (0.15, 0.07, 0.008), 1.0, (0.2, 15.0, 0.05)),
        ("card of 5 g", "box", (0.086, 0.054, 0.0003), 0.005, (0.3, 13.0, 0.3)),
        ("disk", "cylinder", (0.2, 0.2, 0.02), 1.0, (40.0, 0.0, 5.0)),
    )
    for name, geometry, size, mass, spin in cases:
        body = thing("b", geometry, NOTHING, size=size, mass=mass, ang_vel=spin, acc=NOTHING)  # type: ignore[arg-type]
        run = engine.rollout(stage(body, duration=2.0), rate_hz=rate_hz)
        exact = _euler(_moments(geometry, size), spin, run.times)
        own = rotation_from_quaternion(run.orientation_wxyz[:, 0])
        cosine = 0.5 * (np.einsum("tij,tij->t", own, exact) - 1.0)
        yield ConformanceRow(
            name=f"thrown {name}, largest difference from Euler's equations in 2 s @ {rate_hz:g} Hz",
            measured=float(np.degrees(np.arccos(np.clip(cosine, -1, 1))).max()),
            expected=0.0, tolerance=1.0, unit="°",
        )  # fmt: skip


def _moments(geometry: str, size: tuple[float, float, float]) -> F64:
    x, y, z = size
    if geometry == "box":
        return np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12
    across = (3 * (0.5 * x) ** 2 + z * z) / 12
    return np.array([across, across, 0.5 * (0.5 * x) ** 2])


def _euler(moments: F64, spin: tuple[float, float, float], times: F64) -> F64:
    """Rotations world_from_body, shape (T, 3, 3), of a free body that starts upright."""

    def rate(_: float, state: F64) -> F64:
        turn, own = state[:9].reshape(3, 3), state[9:]
        hat = np.array([[0, -own[2], own[1]], [own[2], 0, -own[0]], [-own[1], own[0], 0]])
        return np.concatenate([(turn @ hat).ravel(), -np.cross(own, moments * own) / moments])

    start = np.concatenate([np.eye(3).ravel(), np.array(spin)])
    solved = solve_ivp(rate, (0.0, float(times[-1])), start, t_eval=times, rtol=1e-11, atol=1e-12)
    return np.asarray(solved.y[:9].T.reshape(-1, 3, 3))


def rocking(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Housner's block: rocking over, it keeps 1 - 1.5 sin² α of its spin at each impact."""
    width, height = 0.05, 0.2
    alpha, tilt = math.atan(width / height), 0.1225
    z = 0.5 * math.hypot(width, height) * math.cos(alpha - tilt)
    x = 0.5 * math.hypot(width, height) * math.sin(alpha - tilt) - 0.5 * width
    rot = tuple(float(v) for v in quaternion_from_axis_angle((0.0, 1.0, 0.0), tilt))
    body = thing("b", "box", (-x, 0.0, z), size=(width, 0.1, height), rot=rot, friction=1.0)
    run = engine.rollout(stage(body, duration=1.0, planes=(floor(),)), rate_hz=rate_hz)
    upright = rotation_from_quaternion(run.orientation_wxyz[:, 0])[:, 0, 2]
    impact = int(np.argmax(upright < 0.0))
    # Kinetic energy at the instant when the block stands upright, from the total on either side.
    moving = run.kinetic_energy[:, 0] + run.potential_energy[:, 0] - G * 0.5 * height
    ratio = math.sqrt(moving[impact + 4] / moving[impact - 4])
    yield ConformanceRow(
        name=f"rocking block, spin after over before an impact @ {rate_hz:g} Hz",
        measured=ratio, expected=1 - 1.5 * math.sin(alpha) ** 2, tolerance=0.01,
    )  # fmt: skip

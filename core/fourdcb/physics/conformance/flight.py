"""Free motion: nothing touches, so the closed forms are exact."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.physics.conformance.row import ConformanceRow, by_rate
from fourdcb.physics.conformance.scenes import GRAVITY, NOTHING, stage, thing
from fourdcb.physics.engine import Engine


def free_fall(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Position and speed after 1 s; exact through the half kick on the first substep."""
    world = stage(thing("ball", "sphere", (0.0, 0.0, 10.0)), duration=1.0)
    run = engine.rollout(world, rate_hz=rate_hz)
    t = run.times[-1]
    fallen, speed = 10.0 - run.position[-1, 0, 2], -run.linear_velocity[-1, 0, 2]
    yield ConformanceRow(
        name=f"free fall, depth after 1 s @ {rate_hz:g} Hz",
        measured=float(fallen),
        expected=float(4.9 * t**2),
        tolerance=1e-9,
        unit="m",
    )
    yield ConformanceRow(
        name=f"free fall, speed after 1 s @ {rate_hz:g} Hz",
        measured=float(speed),
        expected=float(9.8 * t),
        tolerance=1e-9,
        unit="m/s",
    )


def projectile(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Largest distance from the parabola, with one shared field and with a field of each object's own."""
    thrown = thing("a", "box", (0.0, 0.0, 1.0), vel=(2.0, -1.0, 4.0))
    floating = thing("b", "box", (5.0, 0.0, 1.0), vel=(0.1, 0.0, 0.0), acc=NOTHING)
    for label, world in (
        ("shared field", stage(thrown, duration=1.0)),
        ("own field", stage(thrown, floating, duration=1.0)),
    ):
        run = engine.rollout(world, rate_hz=rate_hz)
        t = run.times[:, None]
        parabola = np.array(thrown.pos) + t * np.array(thrown.vel) + 0.5 * t**2 * np.array(GRAVITY)
        yield ConformanceRow(
            name=f"projectile, {label}, distance from the parabola @ {rate_hz:g} Hz",
            measured=float(np.linalg.norm(run.position[:, 0] - parabola, axis=1).max()),
            expected=0.0,
            tolerance=1e-9,
            unit="m",
        )


def torque_free(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """An asymmetric box that spins near its unstable axis keeps energy and angular momentum for 4 s."""
    box = thing(
        "box", "box", NOTHING, size=(0.2, 0.1, 0.05), acc=NOTHING, ang_vel=(0.2, 15.0, 0.2), vel=NOTHING
    )
    run = engine.rollout(stage(box, duration=4.0), rate_hz=rate_hz)
    x, y, z = box.size
    inertia = np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12
    rotation = rotation_from_quaternion(run.orientation_wxyz[:, 0])
    spin = np.einsum("sji,sj->si", rotation, run.angular_velocity[:, 0])
    momentum = np.einsum("sij,sj->si", rotation, inertia * spin)
    energy = run.kinetic_energy[:, 0]
    drift = np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0])
    yield ConformanceRow(
        name=f"torque-free box, energy drift in 4 s @ {rate_hz:g} Hz",
        measured=float(np.abs(energy / energy[0] - 1).max()),
        expected=0.0,
        tolerance=by_rate(rate_hz, preview=0.06, judging=0.02),
    )
    yield ConformanceRow(
        name=f"torque-free box, angular momentum drift in 4 s @ {rate_hz:g} Hz",
        measured=float(drift),
        expected=0.0,
        tolerance=by_rate(rate_hz, preview=0.03, judging=0.01),
    )

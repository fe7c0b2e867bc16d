"""Energy and rest: what tumbles must not gain energy, what is stacked must stay."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fourdcb.arrays import F64
from fourdcb.physics.conformance.row import ConformanceRow, by_rate
from fourdcb.physics.conformance.scenes import floor, stage, thing
from fourdcb.physics.engine import Engine
from fourdcb.trajectory import Trajectory


def stack(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Four boxes on each other do not move in 2 s."""
    boxes = [thing(f"box {k}", "box", (0.0, 0.0, 0.05 + 0.1 * k), size=(0.1, 0.1, 0.1)) for k in range(4)]
    run = engine.rollout(stage(*boxes, duration=2.0, planes=(floor(),)), rate_hz=rate_hz)
    yield ConformanceRow(
        name=f"stack of four boxes, largest motion in 2 s @ {rate_hz:g} Hz",
        measured=float(np.linalg.norm(run.position[:, :4] - run.position[0, :4], axis=2).max()),
        expected=0.0,
        tolerance=by_rate(rate_hz, preview=0.002, judging=0.0005),
        unit="m",
    )


def tumbling(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Tumbling bodies: e = 1 without friction keeps the energy, e = 0.5 with friction gains none."""
    for label, size, e, friction in (
        ("cube e=1 frictionless", (0.2, 0.2, 0.2), 1.0, 0.0),
        ("box e=1 frictionless", (0.2, 0.12, 0.08), 1.0, 0.0),
        ("box e=0.5 friction 0.4", (0.2, 0.12, 0.08), 0.5, 0.4),
    ):
        body = thing(
            "box", "box", (0.0, 0.0, 0.8), size=size, restitution=e, friction=friction,
            vel=(0.5, 0.2, 0.0), ang_vel=(3.0, 5.0, 1.0),
        )  # fmt: skip
        run = engine.rollout(stage(body, duration=3.0, planes=(floor(),)), rate_hz=rate_hz)
        relative = _energy_over_floor(run)
        if e == 1.0:
            yield ConformanceRow(
                name=f"tumbling {label}, energy drift in 3 s @ {rate_hz:g} Hz",
                measured=float(np.abs(relative - 1).max()),
                expected=0.0,
                tolerance=by_rate(rate_hz, preview=0.002, judging=0.001),
            )
        yield ConformanceRow(
            name=f"tumbling {label}, energy gain in 3 s @ {rate_hz:g} Hz",
            measured=float(np.max(relative - np.minimum.accumulate(relative))),
            expected=0.0,
            tolerance=by_rate(rate_hz, preview=0.002, judging=0.001),
        )


def _energy_over_floor(run: Trajectory) -> F64:
    total = run.kinetic_energy[:, 0] + run.potential_energy[:, 0]
    relative: F64 = total / total[0]
    return relative

"""Restitution: every shape, every e, landing flat or on its side."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.physics.bullet.defaults import DefaultsEngine
from fourdcb.physics.conformance.row import ConformanceRow
from fourdcb.physics.conformance.scenes import ON_SIDE, floor, stage, thing
from fourdcb.physics.engine import Engine
from fourdcb.trajectory import Trajectory

RESTITUTIONS = (0.0, 0.2, 0.5, 0.8, 1.0)
DROP = 1.0  # [m] between the lowest point and the floor
SPIN_TOLERANCE = 0.02  # [rad/s] after a landing without any


@dataclass(frozen=True, slots=True)
class _Lander:
    label: str
    geometry: Any
    half_height: float
    fields: dict[str, Any] = field(default_factory=dict)


LANDERS = (
    _Lander("sphere", "sphere", 0.05),
    _Lander("box", "box", 0.03),
    _Lander("cylinder flat", "cylinder", 0.05),
    _Lander("cylinder on its side", "cylinder", 0.04, {"rot": ON_SIDE}),
    _Lander("capsule", "capsule", 0.07),
    _Lander("capsule on its side", "capsule", 0.03, {"rot": ON_SIDE}),
    _Lander("cone flat", "cone", 0.06),
    _Lander("convex mesh", "mesh", 0.05, {"mesh": "prism.obj"}),
)


def bounces(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """Rebound over impact speed of a 1 m drop, and the spin that a flat landing leaves."""
    plain = isinstance(engine, DefaultsEngine)
    with tempfile.TemporaryDirectory(prefix="fourdcb-conformance-") as folder:
        Path(folder, "prism.obj").write_text(hexagonal_prism(radius=0.05, height=0.1), encoding="ascii")
        for lander in LANDERS:
            for e in RESTITUTIONS:
                run = _drop(engine, lander, e, rate_hz, folder)
                yield _restitution(run, lander, e, rate_hz, plain)
                yield _spin(run, lander, e, rate_hz, plain)


def _drop(engine: Engine, lander: _Lander, e: float, rate_hz: float, folder: str) -> Trajectory:
    body = thing(
        "lander", lander.geometry, (0.1, 0.2, lander.half_height + DROP), restitution=e, **lander.fields
    )
    world = stage(body, duration=0.55, planes=(floor(),), base_dir=folder)
    return engine.rollout(world, rate_hz=rate_hz)


def _restitution(run: Trajectory, lander: _Lander, e: float, rate_hz: float, plain: bool) -> ConformanceRow:
    if plain:
        # Bullet as it comes brakes before anything overlaps, over several substeps: compare fall and rebound.
        upward = run.linear_velocity[:, 0, 2]
        before, after = upward.min(), upward.max()
    else:
        rows = run.contacts.step == run.contacts.step[0]
        normal = run.contacts.normal[rows]
        before = np.sum(run.contacts.velocity_before[rows] * normal, axis=1).mean()
        after = np.sum(run.contacts.velocity_after[rows] * normal, axis=1).mean()
    return ConformanceRow(
        name=f"bounce {lander.label} e={e:g} @ {rate_hz:g} Hz",
        measured=float(-after / before),
        expected=e,
        tolerance=0.01,
    )


def _spin(run: Trajectory, lander: _Lander, e: float, rate_hz: float, plain: bool) -> ConformanceRow:
    step = -1 if plain else int(run.contacts.step[0])
    return ConformanceRow(
        name=f"spin after landing, {lander.label} e={e:g} @ {rate_hz:g} Hz",
        measured=float(np.linalg.norm(run.angular_velocity[step, 0])),
        expected=0.0,
        tolerance=SPIN_TOLERANCE,
        unit="rad/s",
    )


def hexagonal_prism(*, radius: float, height: float) -> str:
    """OBJ text of an upright hexagonal prism around its own origin [m]."""
    angles = np.arange(6) * np.pi / 3
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1)
    lines = [f"v {x:.9f} {y:.9f} {z:.9f}" for z in (-height / 2, height / 2) for x, y in ring]
    lines += ["f 6 5 4 3 2 1", "f 7 8 9 10 11 12"]
    lines += [f"f {i + 1} {(i + 1) % 6 + 1} {(i + 1) % 6 + 7} {i + 7}" for i in range(6)]
    return "\n".join(lines) + "\n"

"""Meshes: as the primitive that they stand for, as floors, as curved channels."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.physics.conformance.mesh_files import cube, half_pipe, icosphere, prism, tray
from fourdcb.physics.conformance.row import ConformanceRow
from fourdcb.physics.conformance.scenes import NOTHING, ON_SIDE, G, floor, stage, thing
from fourdcb.physics.conformance.variants import apart
from fourdcb.physics.engine import Engine
from fourdcb.world import Geometry

_TUMBLE = {"pos": (0.0, 0.0, 0.3), "ang_vel": (3.0, 5.0, 1.0), "vel": (0.5, 0.2, 0.0)}
_SLIDE = {"pos": (0.0, 0.0, 0.05), "vel": (1.0, 0.4, 0.0)}
_ROLL = {"pos": (0.0, 0.0, 0.05), "vel": (1.0, 0.0, 0.0), "rot": ON_SIDE}
_BOUNCE = {"pos": (0.0, 0.0, 0.4), "vel": (1.0, 0.3, 0.0)}
_TWINS: tuple[tuple[str, Geometry, Callable[[], str], dict[str, Any]], ...] = (
    ("cube tumbles", "box", lambda: cube(0.1), _TUMBLE),
    ("cube slides", "box", lambda: cube(0.1), _SLIDE),
    ("cylinder slides", "cylinder", lambda: prism(0.05, 0.1, 48), _SLIDE),
    ("cylinder rolls", "cylinder", lambda: prism(0.05, 0.1, 48), _ROLL),
    ("icosphere rolls", "sphere", lambda: icosphere(0.05, 3), _SLIDE),
    ("icosphere bounces", "sphere", lambda: icosphere(0.05, 3), _BOUNCE),
)


def standing_in(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A cube, a 48-sided cylinder and an icosphere as meshes move as the primitives do."""
    with tempfile.TemporaryDirectory() as folder:
        for name, geometry, text, given in _TWINS:
            fields = {"size": (0.1,) * 3, "mass": 0.5, "friction": 0.4, "restitution": 0.3, **given}
            own = thing("b", geometry, **fields)
            file = Path(folder, "mesh.obj")
            file.write_text(text(), encoding="ascii")
            mesh = replace(own, geometry="mesh", mesh=file.name)
            worlds = (stage(b, duration=1.0, planes=(floor(),), base_dir=folder) for b in (own, mesh))
            run, other = (engine.rollout(world, rate_hz=rate_hz) for world in worlds)
            yield ConformanceRow(
                name=f"{name}, mesh and primitive apart in 1 s @ {rate_hz:g} Hz",
                measured=apart(run, other), expected=0.0, tolerance=1e-3, unit="m",
            )  # fmt: skip
            file.unlink()


def mesh_floor(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """On a flat floor of many triangles a body moves as on a plane."""
    fields = {"vel": (1.0, 0.37, 0.0), "friction": 0.3}
    bodies = (
        thing("ball", "sphere", (-0.6, 0.013, 0.25), restitution=0.7, **fields),
        thing("box", "box", (-0.4, 0.013, 0.03), **fields),
        thing("can", "cylinder", (-0.4, 0.013, 0.05), **fields),
        thing("roller", "cylinder", (-0.4, 0.013, 0.04), rot=ON_SIDE, **fields),
        thing("capsule", "capsule", (-0.4, 0.013, 0.03), rot=ON_SIDE, **fields),
        thing("cone", "cone", (-0.4, 0.013, 0.06), **fields),
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tray.obj").write_text(tray(2.0, 16, 0.02), encoding="ascii")
        base = thing(
            "tray", "mesh", NOTHING, mesh="tray.obj", size=(2.0, 2.0, 0.12), fixed=True, mass=None,
            friction=1.0, restitution=1.0, acc=NOTHING,
        )  # fmt: skip
        for body in bodies:
            run = engine.rollout(stage(body, duration=1.0, planes=(floor(),)), rate_hz=rate_hz)
            other = engine.rollout(stage(body, base, duration=1.0, base_dir=folder), rate_hz=rate_hz)
            yield ConformanceRow(
                name=f"{body.name} on a floor of triangles and on a plane, apart in 1 s @ {rate_hz:g} Hz",
                measured=apart(run, other), expected=0.0, tolerance=1e-3, unit="m",
            )  # fmt: skip


def channel(engine: Engine, rate_hz: float) -> Iterator[ConformanceRow]:
    """A ball swings in a half pipe of 48 segments: its period, and its amplitude kept."""
    radius, ball, start = 0.5, 0.04, 0.15
    arm = radius - ball
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pipe.obj").write_text(half_pipe(radius, 0.4, 48), encoding="ascii")
        base = thing(
            "pipe", "mesh", NOTHING, mesh="pipe.obj", size=(0.87, 0.4, 0.35), fixed=True, mass=None,
            friction=1.0, restitution=1.0, acc=NOTHING,
        )  # fmt: skip
        body = thing(
            "ball", "sphere", (arm * math.sin(start), 0.01, radius - arm * math.cos(start)),
            size=(2 * ball,) * 3, friction=1.0,
        )  # fmt: skip
        run = engine.rollout(stage(body, base, duration=4.0, base_dir=folder), rate_hz=rate_hz)
    x = run.position[:, 0, 0]
    crossings = np.flatnonzero(np.diff(np.sign(x)))
    zero = run.times[crossings] - x[crossings] * (1 / rate_hz) / (x[crossings + 1] - x[crossings])
    exact = 2 * math.pi * math.sqrt(7 * arm / (5 * G)) * (1 + start**2 / 16 + 11 * start**4 / 3072)
    yield ConformanceRow(
        name=f"ball in a half pipe, period @ {rate_hz:g} Hz",
        measured=float(2 * np.diff(zero).mean()), expected=exact, tolerance=0.005 * exact, unit="s",
    )  # fmt: skip
    last = np.abs(x[crossings[-2] :]).max() if len(crossings) > 1 else 0.0
    yield ConformanceRow(
        name=f"ball in a half pipe, share of its amplitude after 4 s @ {rate_hz:g} Hz",
        measured=float(last / abs(x[0])), expected=1.0, tolerance=0.01,
    )  # fmt: skip

"""A fluid against hydrostatics: what floats how deep, what a cup keeps, what a clip costs."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from fourdcb.physics.engine import make_engine
from fourdcb.world import Fluid, Object, World

_STILL = (0.0, 0.0, 0.0)
_GRAVITY = (0.0, 0.0, -9.81)
LENGTH, WIDTH, DEPTH, WALL = 0.6, 0.5, 0.2, 0.05  # of the water and of the tank's walls [m]
DIAMETER = 0.2
RATE_HZ = 960.0


def tank(*bodies: Object, density: float = 1000.0, height: float = 0.35, duration: float) -> World:
    """A tank of water, and bodies."""
    out = WIDTH + 2.0 * WALL
    walls = (
        ("bottom", (LENGTH + 2.0 * WALL, out, WALL), (0.0, 0.0, -WALL / 2.0)),
        ("left", (WALL, out, height), (-(LENGTH + WALL) / 2.0, 0.0, height / 2.0)),
        ("right", (WALL, out, height), ((LENGTH + WALL) / 2.0, 0.0, height / 2.0)),
        ("front", (LENGTH, WALL, height), (0.0, -(WIDTH + WALL) / 2.0, height / 2.0)),
        ("back", (LENGTH, WALL, height), (0.0, (WIDTH + WALL) / 2.0, height / 2.0)),
    )
    fixed = tuple(
        Object(
            name=name, geometry="box", size=size, pos=pos, vel=_STILL, acc=_STILL, fixed=True, friction=1.0,
            restitution=1.0,
        )
        for name, size, pos in walls
    )  # fmt: skip
    water = Fluid(
        name="water", size=(LENGTH, WIDTH, DEPTH), pos=(0.0, 0.0, DEPTH / 2.0), acc=_GRAVITY, density=density
    )
    return World(duration=duration, fps=30.0, objects=(*fixed, *bodies), fluids=(water,))


def ball(density: float, *, z: float, name: str = "ball") -> Object:
    """A ball of a density [kg/m³] with its centre at a height [m]."""
    volume = np.pi / 6.0 * DIAMETER**3
    return Object(
        name=name, geometry="sphere", size=(DIAMETER,) * 3, mass=float(density * volume), pos=(0.02, 0.01, z),
        vel=_STILL, acc=_GRAVITY, friction=0.3, restitution=0.3,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Floating:
    """How a ball of a density floats in water.

    Attributes:
        density: [kg/m³].
        share: volume below the water's level over the volume of water that weighs as much; 1 by Archimedes.
        height: of its centre over the level [m].
    """

    density: float
    share: float
    height: float


def floats(density: float, *, duration: float = 6.0) -> Floating:
    """Let a ball float from a twentieth of its radius too high, and take the mean of the second half.

    Water without viscosity lets it bob on for long. The level is that of the particles away from it: twice
    their mean height, because they fill the room below it evenly.
    """
    radius, sunk = DIAMETER / 2.0, density / 1000.0
    depth = _depth(sunk) * radius
    world = tank(ball(density, z=DEPTH + radius - depth + 0.05 * radius), duration=duration)
    with make_engine() as engine:
        run = engine.rollout(world, rate_hz=RATE_HZ)
    assert run.particles is not None
    half = run.n_frames // 2
    late = run.particles.position[half:]
    away = late[np.hypot(late[..., 0], late[..., 1]) > 2.2 * radius]
    level = 2.0 * float(away[:, 2].mean())
    height = float(run.position[run.frame_steps()[half:], run.index("ball"), 2].mean()) - level
    below = float(np.clip(radius - height, 0.0, 2.0 * radius))
    volume = np.pi * below**2 * (3.0 * radius - below) / 3.0
    return Floating(density=density, share=volume / (sunk * 4.0 / 3.0 * np.pi * radius**3), height=height)


def _depth(share: float) -> float:
    """Height of the cap of a ball of radius 1 that holds a share of its volume: h² (3 − h) = 4 share."""
    roots = np.roots([-1.0, 3.0, 0.0, -4.0 * share])
    real = roots[np.abs(roots.imag) < 1e-9].real
    return float(next(h for h in real if 0.0 <= h <= 2.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a cup keeps of a fluid that a ball was dropped into.

    Attributes:
        particles: how many there are.
        left: how many were outside at any frame.
        mass_error: largest change of the whole mass, as a share.
        volume_error: of the level at the end from that at the start, as a share.
        cpu_s: [s] for ``seconds`` of clip, one thread.
    """

    particles: int
    left: int
    mass_error: float
    volume_error: float
    seconds: float
    cpu_s: float


def cup_keeps(*, seconds: float = 10.0) -> Kept:
    """Drop a ball into the tank from a hand's breadth, and count what is outside of it at any frame."""
    world = tank(ball(500.0, z=DEPTH + 0.15), duration=seconds)
    begun = time.process_time()
    with make_engine() as engine:
        run = engine.rollout(world, rate_hz=RATE_HZ)
    cpu = time.process_time() - begun
    track = run.particles
    assert track is not None
    x, y, z = np.moveaxis(track.position, -1, 0)
    outside = (np.abs(x) > LENGTH / 2.0) | (np.abs(y) > WIDTH / 2.0) | (z < 0.0)
    # A ball of 500 kg/m³ lifts the level by half of its volume over the tank's area.
    lifted = DEPTH + 0.5 * np.pi / 6.0 * DIAMETER**3 / (LENGTH * WIDTH)
    away = track.position[-30:][np.hypot(x, y)[-30:] > 1.1 * DIAMETER]
    return Kept(
        particles=track.n_particles, left=int(outside.any(axis=0).sum()),
        mass_error=abs(float(track.mass.sum()) / (1000.0 * LENGTH * WIDTH * DEPTH) - 1.0),
        volume_error=2.0 * float(away[:, 2].mean()) / lifted - 1.0, seconds=seconds, cpu_s=cpu,
    )  # fmt: skip


def momentum_error(*, duration: float = 0.5) -> float:
    """Largest change of the momentum of ball and water together that gravity does not explain.

    In free fall (no tank, nothing below) a ball inside a block of water may push it about as it likes:
    together they fall. In units of the momentum that gravity gives them in that time.
    """
    source = Fluid(name="water", size=(0.3, 0.3, 0.3), pos=(0.0, 0.0, 0.0), vel=(0.0, 0.0, 0.5), acc=_GRAVITY)
    moving = replace(ball(700.0, z=0.02), vel=(0.4, 0.0, -0.3))
    world = World(duration=duration, fps=30.0, objects=(moving,), fluids=(source,))
    with make_engine() as engine:
        run = engine.rollout(world, rate_hz=RATE_HZ)
    track = run.particles
    assert track is not None
    mass = np.array([track.mass.sum(), moving.mass])
    water = np.gradient(track.position.mean(axis=1), 1.0 / 30.0, axis=0)[1:-1]
    own = np.gradient(run.position[run.frame_steps(), 0], 1.0 / 30.0, axis=0)[1:-1]
    times = np.arange(track.n_frames)[1:-1] / 30.0
    together = mass[0] * water + mass[1] * own
    fallen = together - mass.sum() * times[:, None] * np.array(_GRAVITY)
    return float(np.ptp(fallen, axis=0).max() / (mass.sum() * 9.81 * duration))

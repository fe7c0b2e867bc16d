"""What the rendering benchmarks draw, and how they take its measure."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fourdcb.trajectory import Trajectory
    from fourdcb.world import World

SIZE = 256
_FRAMES, _ROUNDS = 12, 6


def benchmark_world() -> World:
    """A ball, a block and a cup over a table on a floor: 4,238 triangles."""
    from fourdcb.world import DirectionalLight, Geometry, Material, Object, Plane, World
    from fourdcb.world.fields import Vec3

    def thing(
        name: str, shape: Geometry, size: Vec3, pos: Vec3, color: Vec3, *, fixed: bool = False
    ) -> Object:
        still = (0.0, 0.0, 0.0)
        return Object(
            name=name, geometry=shape, size=size, pos=pos, vel=still, acc=still, fixed=fixed,
            material=Material(base_color=color, roughness=0.4),
        )  # fmt: skip

    return World(
        duration=1.0,
        fps=30.0,
        objects=(
            thing("ball", "sphere", (0.2, 0.2, 0.2), (0.25, 0.1, 0.5), (0.8, 0.2, 0.2)),
            thing("block", "box", (0.15, 0.15, 0.15), (-0.2, 0.2, 0.4), (0.2, 0.4, 0.8)),
            thing("cup", "cylinder", (0.12, 0.12, 0.15), (-0.1, -0.2, 0.4), (0.9, 0.9, 0.85)),
            thing("table", "box", (1.2, 0.9, 0.1), (0.0, 0.0, 0.05), (0.5, 0.35, 0.2), fixed=True),
        ),
        planes=(Plane(),),
        lights=(DirectionalLight(),),
    )


def benchmark_trajectory(world: World) -> Trajectory:
    """Bodies on circles while they turn, sampled at 240 Hz."""
    from fourdcb.conventions import quaternion_from_axis_angle
    from fourdcb.trajectory import ContactTable, Trajectory

    n, steps = len(world.bodies), 241
    times = np.arange(steps) / 240.0
    position, orientation = np.zeros((steps, n, 3)), np.zeros((steps, n, 4))
    orientation[..., 0] = 1.0
    for b, obj in enumerate(world.objects):
        position[:, b] = obj.pos
        if obj.kind != "static":
            angle = 2.0 * np.pi * times
            position[:, b, :2] += 0.1 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
            turns = [quaternion_from_axis_angle((1.0, 0.3, 0.2), a) for a in angle]
            orientation[:, b] = np.where(np.array(turns) @ turns[0] < 0.0, -1.0, 1.0)[:, None] * turns
    zeros, rows = np.zeros((steps, n, 3)), np.empty((0, 3))
    index, value = np.empty(0, np.int32), np.empty(0)
    return Trajectory(
        names=tuple(body.name for body in world.bodies),
        kinds=tuple("static" if i >= 3 else "dynamic" for i in range(n)),
        fps=30.0, rate_hz=240.0, times=times, position=position, orientation_wxyz=orientation,
        linear_velocity=zeros, angular_velocity=zeros, kinetic_energy=zeros[..., 0],
        potential_energy=zeros[..., 0], events=(),
        contacts=ContactTable(
            step=index, body_a=index, body_b=index, position=rows, normal=rows, distance=value,
            normal_impulse=value, tangential_impulse=rows, velocity_before=rows, velocity_after=rows,
        ),
    )  # fmt: skip


def best_rate(draw: Callable[[int], object]) -> float:
    """Frames per second of the fastest round: other load on the machine only ever slows it."""
    draw(0)
    seconds = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        for k in range(_FRAMES):
            draw(k)
        seconds.append(time.perf_counter() - start)
    return _FRAMES / min(seconds)


def peak_mb() -> float:
    """Most memory that this process has held [MB]."""
    try:
        import resource
    except ImportError:  # Windows keeps the peak elsewhere
        import psutil  # type: ignore[import-untyped]

        return float(psutil.Process().memory_info().peak_wset) / 2**20
    scale = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale

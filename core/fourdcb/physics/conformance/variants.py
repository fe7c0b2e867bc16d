"""The same world told otherwise: turned, mirrored, scaled, of other masses, its objects in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import (
    multiply_quaternions,
    normalized,
    quaternion_from_axis_angle,
    rotation_from_quaternion,
)
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, Plane, World

Triple = tuple[float, float, float]


def turned(world: World, axis: Triple, angle_rad: float) -> World:
    """The whole scene, gravity included, turned about an axis through the origin."""
    quaternion = quaternion_from_axis_angle(axis, angle_rad)
    turn = rotation_from_quaternion(quaternion)

    def moved(o: Object) -> Object:
        rot = multiply_quaternions(quaternion, np.array(o.rot)).tolist()
        return replace(
            o, pos=_triple(turn @ o.pos), vel=_triple(turn @ o.vel), acc=_triple(turn @ o.acc),
            ang_vel=_triple(turn @ o.ang_vel), rot=(rot[0], rot[1], rot[2], rot[3]),
        )  # fmt: skip

    def tilted(p: Plane) -> Plane:
        return replace(p, normal=_triple(turn @ p.normal))

    return replace(world, objects=tuple(map(moved, world.objects)), planes=tuple(map(tilted, world.planes)))


def mirrored(world: World) -> World:
    """The scene in a mirror across the plane y = 0; its shapes are their own mirror images."""
    across, about = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])

    def moved(o: Object) -> Object:
        w, x, y, z = o.rot
        return replace(
            o, pos=_triple(across * o.pos), vel=_triple(across * o.vel), acc=_triple(across * o.acc),
            ang_vel=_triple(about * o.ang_vel), rot=(w, -x, y, -z),
        )  # fmt: skip

    planes = tuple(replace(p, normal=_triple(across * p.normal)) for p in world.planes)
    return replace(world, objects=tuple(map(moved, world.objects)), planes=planes)


def scaled(world: World, factor: float) -> World:
    """Lengths × factor, times × √factor, masses × factor³: the same motion scaled (Froude), step by step."""
    root = factor**0.5

    def moved(o: Object) -> Object:
        return replace(
            o, size=_triple(factor * np.array(o.size)), pos=_triple(factor * np.array(o.pos)),
            vel=_triple(root * np.array(o.vel)), ang_vel=_triple(np.array(o.ang_vel) / root),
            mass=None if o.mass is None else o.mass * factor**3, rolling_friction=o.rolling_friction * factor,
        )  # fmt: skip

    return replace(
        world,
        duration=world.duration * root,
        fps=world.fps / root,
        objects=tuple(map(moved, world.objects)),
        planes=tuple(replace(p, offset=p.offset * factor) for p in world.planes),
    )


def shifted(world: World, way: Triple) -> World:
    """The whole scene moved by ``way`` [m]."""

    def moved(p: Plane) -> Plane:
        normal = normalized(p.normal)
        return replace(p, offset=p.offset + float(normal @ np.array(way)))

    objects = (replace(o, pos=_triple(np.add(o.pos, way))) for o in world.objects)
    return replace(world, objects=tuple(objects), planes=tuple(map(moved, world.planes)))


def of_mass(world: World, factor: float) -> World:
    """Every stated mass × factor."""
    objects = (replace(o, mass=None if o.mass is None else o.mass * factor) for o in world.objects)
    return replace(world, objects=tuple(objects))


def reordered(world: World, order: Sequence[int]) -> World:
    """The objects in another order; names stay with them."""
    return replace(world, objects=tuple(world.objects[k] for k in order))


def apart(run: Trajectory, other: Trajectory, *, expected: F64 | None = None, scale: float = 1.0) -> float:
    """Largest distance of a body from where it should be, at any frame of both [m] of the first run.

    Args:
        run, other: runs of a world and of its variant, of the same number of substeps.
        expected: matrix that takes the first run's positions to the other's, shape (3, 3).
        scale: lengths of the other run over those of the first.
    """
    names = [n for n, kind in zip(run.names, run.kinds, strict=True) if kind == "dynamic"]
    own = run.position[:, [run.names.index(n) for n in names]]
    its = other.position[:, [other.names.index(n) for n in names]]
    count = min(len(own), len(its))
    mapped = own[:count] if expected is None else own[:count] @ expected.T
    return float(np.linalg.norm(its[:count] / scale - mapped, axis=2).max())


def _triple(v: F64) -> Triple:
    return (float(v[0]), float(v[1]), float(v[2]))

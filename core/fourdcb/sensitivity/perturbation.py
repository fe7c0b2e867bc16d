"""Small changes of how a world starts: what the predictability horizon is probed with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fourdcb.conventions import multiply_quaternions, normalized, quaternion_from_axis_angle
from fourdcb.world import World
from fourdcb.world.fields import Quat, Vec3

POSITION = 1e-4
VELOCITY = 1e-3
ANGLE_DEG = 0.05
DIRECTIONS = tuple(sign * axis for axis in np.eye(3) for sign in (1.0, -1.0))


def perturbed_starts(world: World) -> tuple[World, ...]:
    """Twelve worlds whose dynamic objects start a little differently.

    Six shift by ±0.1 mm along an axis and turn by ±0.05° about the next one; six add ±1 mm/s along an
    axis. Neighbouring objects are pushed opposite ways, because only relative changes alter a collision.
    """
    moves = [(POSITION * d, np.zeros(3), np.deg2rad(ANGLE_DEG) * np.roll(d, 1)) for d in DIRECTIONS]
    moves += [(np.zeros(3), VELOCITY * d, np.zeros(3)) for d in DIRECTIONS]
    return tuple(_moved(world, *move) for move in moves)


def _moved(world: World, shift: np.ndarray, push: np.ndarray, turn: np.ndarray) -> World:
    objects, sign = [], 1.0
    for obj in world.objects:
        if obj.kind != "dynamic":
            objects.append(obj)
            continue
        rot = np.asarray(obj.rot, dtype=np.float64)
        angle = float(np.linalg.norm(turn))
        if angle > 0:
            rot = multiply_quaternions(quaternion_from_axis_angle(sign * turn, angle), normalized(rot))
        pos, vel = np.add(obj.pos, sign * shift), np.add(obj.vel, sign * push)
        objects.append(replace(obj, pos=_vec3(pos), vel=_vec3(vel), rot=_quat(rot)))
        sign = -sign
    return replace(world, objects=tuple(objects))


def _vec3(v: np.ndarray) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))


def _quat(q: np.ndarray) -> Quat:
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))

"""Poses between and beyond the recorded substeps."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import multiply_quaternions, normalized


class States(Protocol):
    """Poses and velocities at substeps, see :class:`fourdcb.trajectory.Trajectory`."""

    @property
    def rate_hz(self) -> float: ...
    @property
    def times(self) -> F64: ...
    @property
    def position(self) -> F64: ...
    @property
    def orientation_wxyz(self) -> F64: ...
    @property
    def linear_velocity(self) -> F64: ...
    @property
    def angular_velocity(self) -> F64: ...


def pose_at(trajectory: States, t: float) -> tuple[F64, F64]:
    """See :meth:`fourdcb.trajectory.Trajectory.pose_at`."""
    times = trajectory.times
    if t <= times[0]:
        return _extrapolated(trajectory, 0, t - float(times[0]))
    if t >= times[-1]:
        return _extrapolated(trajectory, len(times) - 1, t - float(times[-1]))
    step = t * trajectory.rate_hz
    i = min(int(step), len(times) - 2)
    w = step - i
    if w < 1e-9:
        return trajectory.position[i], trajectory.orientation_wxyz[i]
    position = (1 - w) * trajectory.position[i] + w * trajectory.position[i + 1]
    a, b = trajectory.orientation_wxyz[i], trajectory.orientation_wxyz[i + 1]
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)
    return position, normalized((1 - w) * a + w * b)


def _extrapolated(trajectory: States, i: int, dt: float) -> tuple[F64, F64]:
    if abs(dt) < 1e-12:
        return trajectory.position[i], trajectory.orientation_wxyz[i]
    position = trajectory.position[i] + dt * trajectory.linear_velocity[i]
    rotation_vector = dt * trajectory.angular_velocity[i]
    angle = np.linalg.norm(rotation_vector, axis=-1, keepdims=True)
    sinc = np.where(angle > 1e-12, np.sin(angle / 2) / np.maximum(angle, 1e-12), 0.5)
    step = np.concatenate([np.cos(angle / 2), sinc * rotation_vector], axis=-1)
    return position, normalized(multiply_quaternions(step, trajectory.orientation_wxyz[i]))

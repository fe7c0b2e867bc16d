"""The trajectory out of recorded states and contact rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import (
    conjugate_quaternion,
    multiply_quaternions,
    normalized,
    rotation_from_quaternion,
    wxyz_from_xyzw,
)
from fourdcb.physics.keyframes import sample_keyframes, velocities
from fourdcb.physics.recording import STATE_WIDTH, contact_table
from fourdcb.physics.scene import LoadedBody
from fourdcb.physics.shapes import IDENTITY
from fourdcb.trajectory import ContactTable, Trajectory, with_events
from fourdcb.world import Object, World

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class _States:
    """Arrays over S + 1 times and N bodies; ``center`` is the centre of mass, ``body_wxyz`` its frame."""

    center: F64
    body_wxyz: F64
    linear: F64
    angular: F64


def assemble(
    world: World,
    bodies: Sequence[LoadedBody],
    *,
    rate_hz: float,
    states: F64,
    steps: I32,
    rows: F64,
    velocity_lag: float,
) -> Trajectory:
    """Builds the trajectory.

    Args:
        states: Bullet's states of the dynamic bodies, shape (S + 1, D, 13).
        steps, rows: contact rows, see :class:`~fourdcb.physics.recording.ContactLog`.
        velocity_lag: share of a substep's acceleration by which Bullet's velocities lag their positions.
    """
    raw = _states(bodies, states, rate_hz)
    contacts = contact_table(
        steps,
        rows,
        handles=[body.handle for body in bodies],
        center=raw.center,
        linear=raw.linear,
        angular=raw.angular,
        dt=1.0 / rate_hz,
    )
    synced = replace(raw, linear=_synchronised(raw.linear, bodies, contacts, velocity_lag / rate_hz))
    position, orientation = _object_poses(bodies, synced)
    kinetic, potential = _energies(bodies, synced)
    recorded = Trajectory(
        names=tuple(body.source.name for body in bodies),
        kinds=tuple(body.kind for body in bodies),
        fps=world.fps,
        rate_hz=rate_hz,
        times=np.arange(len(states), dtype=np.float64) / rate_hz,
        position=position,
        orientation_wxyz=orientation,
        linear_velocity=synced.linear,
        angular_velocity=synced.angular,
        kinetic_energy=kinetic,
        potential_energy=potential,
        contacts=contacts,
        events=(),
    )
    balls = [b.source.name for b in bodies if isinstance(b.source, Object) and b.source.geometry == "sphere"]
    return with_events(recorded, round_bodies=balls)


def object_poses(bodies: Sequence[LoadedBody], states: F64, *, dt: float) -> tuple[F64, F64]:
    """Poses of the objects out of states that are ``dt`` [s] apart: position and orientation_wxyz."""
    return _object_poses(bodies, _states(bodies, states, 1.0 / dt))


def _states(bodies: Sequence[LoadedBody], states: F64, rate_hz: float) -> _States:
    shape = (len(states), len(bodies))
    center, linear, angular = np.zeros((*shape, 3)), np.zeros((*shape, 3)), np.zeros((*shape, 3))
    body_wxyz = np.zeros((*shape, 4))
    moving = 0
    for n, body in enumerate(bodies):
        if body.kind == "dynamic":
            own = states[:, moving]
            center[:, n], linear[:, n], angular[:, n] = own[:, :3], own[:, 7:10], own[:, 10:STATE_WIDTH]
            body_wxyz[:, n] = wxyz_from_xyzw(own[:, 3:7])
            moving += 1
        elif body.kind == "kinematic" and isinstance(body.source, Object):
            times = np.arange(len(states) + 1) / rate_hz
            position, orientation = sample_keyframes(body.source.trajectory, times)
            speed, spin = velocities(position, orientation, 1.0 / rate_hz)
            linear[0, n], angular[0, n] = speed[0], spin[0]
            # A substep's contacts see the velocity that it is driven with: keep that one at its end.
            linear[1:, n], angular[1:, n] = speed[:-1], spin[:-1]
            center[:, n] = position[:-1] + _rotated(orientation[:-1], body.center)
            body_wxyz[:, n] = multiply_quaternions(orientation[:-1], body.axes_wxyz)
        else:
            start, _ = body.body_pose(body.position, body.orientation_wxyz)
            center[:, n] = start
            body_wxyz[:, n] = multiply_quaternions(body.orientation_wxyz, body.axes_wxyz)
    return _States(center=center, body_wxyz=body_wxyz, linear=linear, angular=angular)


def _synchronised(linear: F64, bodies: Sequence[LoadedBody], contacts: ContactTable, lag: float) -> F64:
    """Velocities at the times of the positions.

    Bullet's velocity lags its position by ``lag`` [s] of acceleration: half a substep (leapfrog, after the
    half kick of the first one). Free bodies get that half back, which makes their velocity and energy exact;
    a body in contact keeps what the contact solver gave it.
    """
    out = linear.copy()
    touched = np.zeros(linear.shape[:2], dtype=bool)
    touched[contacts.step, contacts.body_a] = True
    touched[contacts.step, contacts.body_b] = True
    touched[0] = True  # the authored start velocity needs nothing
    for n, body in enumerate(bodies):
        if body.kind == "dynamic":
            out[~touched[:, n], n] += lag * np.array(body.acc)
    return out


def _object_poses(bodies: Sequence[LoadedBody], states: _States) -> tuple[F64, F64]:
    position, orientation = np.empty_like(states.center), np.empty_like(states.body_wxyz)
    for n, body in enumerate(bodies):
        turn = states.body_wxyz[:, n]
        if body.axes_wxyz != IDENTITY:
            turn = multiply_quaternions(turn, conjugate_quaternion(body.axes_wxyz))
        turn = normalized(turn)
        orientation[:, n] = turn if body.kind == "static" else _continuous(turn)
        position[:, n] = states.center[:, n] - _rotated(turn, body.center)
    return position, orientation


def _continuous(quaternions: F64) -> F64:
    """Starts with w >= 0 and never jumps to the opposite sign; shape (S + 1, 4)."""
    step = np.sum(quaternions[1:] * quaternions[:-1], axis=1)
    signs = np.cumprod(
        np.concatenate([[1.0 if quaternions[0, 0] >= 0 else -1.0], np.where(step < 0, -1.0, 1.0)])
    )
    return signs[:, None] * quaternions


def _energies(bodies: Sequence[LoadedBody], states: _States) -> tuple[F64, F64]:
    """Kinetic and potential energy [J] of the dynamic bodies; 0 for the others, which no energy moves."""
    kinetic, potential = np.zeros(states.linear.shape[:2]), np.zeros(states.linear.shape[:2])
    for n, body in enumerate(bodies):
        if body.kind != "dynamic":
            continue
        spin = np.einsum("sji,sj->si", rotation_from_quaternion(states.body_wxyz[:, n]), states.angular[:, n])
        rotational = np.sum(np.array(body.inertia) * spin**2, axis=1)
        kinetic[:, n] = 0.5 * (body.mass * np.sum(states.linear[:, n] ** 2, axis=1) + rotational)
        potential[:, n] = -body.mass * (states.center[:, n] @ np.array(body.acc))
    return kinetic, potential


def _rotated(orientation_wxyz: F64, vector: tuple[float, float, float]) -> F64:
    if vector == (0.0, 0.0, 0.0):
        return np.zeros((len(orientation_wxyz), 3))
    rotated: F64 = rotation_from_quaternion(orientation_wxyz) @ np.array(vector)
    return rotated

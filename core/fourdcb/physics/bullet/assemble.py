"""The trajectory out of recorded states and contact rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import (
    conjugate_quaternion,
    multiply_quaternions,
    normalized,
    rotation_from_quaternion,
    wxyz_from_xyzw,
)
from fourdcb.physics.bullet.collision_shape import IDENTITY
from fourdcb.physics.bullet.recording import STATE_WIDTH, add_velocities, run_of
from fourdcb.physics.bullet.scene import LoadedBody
from fourdcb.physics.keyframes import sample_keyframes, velocities
from fourdcb.trajectory import ContactTable, Trajectory, with_events
from fourdcb.world import Object, World

_BLOCK = 4096  # substeps that are worked on at once


@dataclass(frozen=True, slots=True, kw_only=True)
class _States:
    """Arrays over K times and N bodies; ``center`` is the centre of mass, ``body_wxyz`` its frame."""

    center: F64
    body_wxyz: F64
    linear: F64
    angular: F64

    def since(self, row: int) -> _States:
        """Without the rows before ``row``."""
        center, body_wxyz = self.center[row:], self.body_wxyz[row:]
        return _States(
            center=center, body_wxyz=body_wxyz, linear=self.linear[row:], angular=self.angular[row:]
        )


def assemble(
    world: World,
    bodies: Sequence[LoadedBody],
    *,
    rate_hz: float,
    states: F64,
    contacts: ContactTable,
    velocity_lag: float,
) -> Trajectory:
    """Builds the trajectory, a few seconds at a time: a long one leaves no room for copies of itself.

    Args:
        states: Bullet's states of the dynamic bodies, shape (S + 1, D, 13).
        contacts: from :meth:`~fourdcb.physics.bullet.recording.ContactLog.table`; gets its velocities here.
        velocity_lag: share of a substep's acceleration by which Bullet's velocities lag their positions.
    """
    recorded = _blank(world, bodies, rate_hz=rate_hz, n_times=len(states), contacts=contacts)
    moves = np.array([body.kind != "static" for body in bodies], dtype=bool)
    for start in range(0, len(states), _BLOCK):
        first = max(start - 1, 0)  # what a contact's velocity was before it is in the substep before
        raw = _states(bodies, states[first : start + _BLOCK], first, rate_hz)
        add_velocities(
            contacts, first=first, moves=moves, center=raw.center, linear=raw.linear, angular=raw.angular
        )
        _record(recorded, bodies, raw.since(start - first), start, velocity_lag / rate_hz)
    balls = [b.source.name for b in bodies if isinstance(b.source, Object) and b.source.geometry == "sphere"]
    return with_events(recorded, round_bodies=balls)


def object_poses(bodies: Sequence[LoadedBody], states: F64, *, dt: float) -> tuple[F64, F64]:
    """Poses of the objects out of states that are ``dt`` [s] apart: position and orientation_wxyz."""
    raw = _states(bodies, states, 0, 1.0 / dt)
    position, orientation = np.empty_like(raw.center), np.empty_like(raw.body_wxyz)
    _put_poses(bodies, raw, position, orientation, 0)
    return position, orientation


def _blank(
    world: World, bodies: Sequence[LoadedBody], *, rate_hz: float, n_times: int, contacts: ContactTable
) -> Trajectory:
    """A trajectory whose states are not filled in."""
    shape = (n_times, len(bodies))
    return Trajectory(
        names=tuple(body.source.name for body in bodies),
        kinds=tuple(body.kind for body in bodies),
        fps=world.fps,
        rate_hz=rate_hz,
        times=np.arange(n_times, dtype=np.float64) / rate_hz,
        position=np.empty((*shape, 3)),
        orientation_wxyz=np.empty((*shape, 4)),
        linear_velocity=np.empty((*shape, 3)),
        angular_velocity=np.empty((*shape, 3)),
        kinetic_energy=np.zeros(shape),
        potential_energy=np.zeros(shape),
        contacts=contacts,
        events=(),
    )


def _states(bodies: Sequence[LoadedBody], states: F64, first: int, rate_hz: float) -> _States:
    """States of all bodies at a run of substeps, the first of which is ``first``."""
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
            before = max(first - 1, 0)
            times = np.arange(before, first + len(states) + 1) / rate_hz
            position, orientation = sample_keyframes(body.source.trajectory, times)
            speed, spin = velocities(position, orientation, 1.0 / rate_hz)
            # A substep's contacts see the velocity that it is driven with: keep that one at its end.
            driven = np.maximum(np.arange(first, first + len(states)) - 1, 0) - before
            linear[:, n], angular[:, n] = speed[driven], spin[driven]
            position, orientation = position[first - before : -1], orientation[first - before : -1]
            center[:, n] = position + _rotated(orientation, body.center)
            body_wxyz[:, n] = multiply_quaternions(orientation, body.axes_wxyz)
        else:
            start, _ = body.body_pose(body.position, body.orientation_wxyz)
            center[:, n] = start
            body_wxyz[:, n] = multiply_quaternions(body.orientation_wxyz, body.axes_wxyz)
    return _States(center=center, body_wxyz=body_wxyz, linear=linear, angular=angular)


def _record(out: Trajectory, bodies: Sequence[LoadedBody], raw: _States, start: int, lag: float) -> None:
    """Fills in the substeps from ``start`` on; ``lag`` as in :func:`_synchronise`."""
    run = slice(start, start + len(raw.center))
    _put_poses(bodies, raw, out.position, out.orientation_wxyz, start)
    out.linear_velocity[run], out.angular_velocity[run] = raw.linear, raw.angular
    _synchronise(out.linear_velocity[run], bodies, out.contacts, start, lag)
    for n, body in enumerate(bodies):
        if body.kind == "dynamic":
            linear = out.linear_velocity[run, n]
            out.kinetic_energy[run, n] = _kinetic(body, linear, raw.angular[:, n], raw.body_wxyz[:, n])
            out.potential_energy[run, n] = -body.mass * (raw.center[:, n] @ np.array(body.acc))


def _synchronise(
    linear: F64, bodies: Sequence[LoadedBody], contacts: ContactTable, start: int, lag: float
) -> None:
    """Takes velocities of the substeps from ``start`` on to the times of the positions.

    Bullet's velocity lags its position by ``lag`` [s] of acceleration: half a substep (leapfrog, after the
    half kick of the first one). Free bodies get that half back, which makes their velocity and energy exact;
    a body in contact keeps what the contact solver gave it.
    """
    touched = np.zeros(linear.shape[:2], dtype=bool)
    run = run_of(contacts, start, start + len(linear))
    for side in (contacts.body_a, contacts.body_b):
        touched[contacts.step[run] - start, side[run]] = True
    if start == 0:
        touched[0] = True  # the authored start velocity needs nothing
    for n, body in enumerate(bodies):
        if body.kind == "dynamic":
            linear[~touched[:, n], n] += lag * np.array(body.acc)


def _put_poses(
    bodies: Sequence[LoadedBody], raw: _States, position: F64, orientation: F64, start: int
) -> None:
    """Writes the poses of the objects from substep ``start`` on, after those that are there already."""
    run = slice(start, start + len(raw.center))
    for n, body in enumerate(bodies):
        turn = raw.body_wxyz[:, n]
        if body.axes_wxyz != IDENTITY:
            turn = multiply_quaternions(turn, conjugate_quaternion(body.axes_wxyz))
        turn = normalized(turn)
        position[run, n] = raw.center[:, n] - _rotated(turn, body.center)
        if body.kind != "static":
            turn = _continuous(turn, orientation[start - 1, n] if start else np.array(IDENTITY))
        orientation[run, n] = turn


def _continuous(quaternions: F64, before: F64) -> F64:
    """With signs that never jump, the first as near to ``before`` as it can be; shape (K, 4)."""
    step = np.sum(quaternions * np.concatenate([before[None], quaternions[:-1]]), axis=1)
    return np.cumprod(np.where(step < 0, -1.0, 1.0))[:, None] * quaternions


def _kinetic(body: LoadedBody, linear: F64, angular: F64, body_wxyz: F64) -> F64:
    """Kinetic energy [J], shape (K,)."""
    spin = np.einsum("sji,sj->si", rotation_from_quaternion(body_wxyz), angular)
    rotational = np.sum(np.array(body.inertia) * spin**2, axis=1)
    energy: F64 = 0.5 * (body.mass * np.sum(linear**2, axis=1) + rotational)
    return energy


def _rotated(orientation_wxyz: F64, vector: tuple[float, float, float]) -> F64:
    if vector == (0.0, 0.0, 0.0):
        return np.zeros((len(orientation_wxyz), 3))
    rotated: F64 = rotation_from_quaternion(orientation_wxyz) @ np.array(vector)
    return rotated

"""The trajectory out of what a rollout has recorded."""

from __future__ import annotations

import numpy as np

from fourdcb.conventions import (
    conjugate_quaternion,
    multiply_quaternions,
    normalized,
    rotation_from_quaternion,
)
from fourdcb.physics.contact.bodies import Body, drive
from fourdcb.physics.contact.layout import (
    F64,
    LOG_A,
    LOG_AFTER,
    LOG_B,
    LOG_BEFORE,
    LOG_DISTANCE,
    LOG_FRICTION,
    LOG_NORMAL,
    LOG_POSITION,
    LOG_PUSH,
    LOG_STEP,
)
from fourdcb.trajectory import ContactTable, Trajectory, with_events
from fourdcb.world import Object, World


def contact_table(log: F64) -> ContactTable:
    """The contact table of logged rows, shape (C, LOG_WIDTH)."""

    def column(at: int) -> F64:
        return log[:, at].copy()

    def vectors(at: int) -> F64:
        return log[:, at : at + 3].copy()

    return ContactTable(
        step=log[:, LOG_STEP].astype(np.int32),
        body_a=log[:, LOG_A].astype(np.int32),
        body_b=log[:, LOG_B].astype(np.int32),
        position=vectors(LOG_POSITION),
        normal=vectors(LOG_NORMAL),
        distance=column(LOG_DISTANCE),
        normal_impulse=column(LOG_PUSH),
        tangential_impulse=vectors(LOG_FRICTION),
        velocity_before=vectors(LOG_BEFORE),
        velocity_after=vectors(LOG_AFTER),
    )


def trajectory_of(
    world: World, bodies: tuple[Body, ...], *, rate_hz: float, states: F64, log: F64
) -> Trajectory:
    """States, contacts and events of a rollout.

    Args:
        world, bodies: what was rolled out.
        rate_hz: substeps per second.
        states: of the dynamic bodies, shape (S + 1, D, 13): centre of mass, orientation wxyz of the principal
            axes, velocity, spin.
        log: contacts, shape (C, LOG_WIDTH).
    """
    shape = (len(states), len(bodies))
    run = Trajectory(
        names=tuple(body.source.name for body in bodies),
        kinds=tuple(body.kind for body in bodies),
        fps=world.fps,
        rate_hz=rate_hz,
        times=np.arange(len(states), dtype=np.float64) / rate_hz,
        position=np.empty((*shape, 3)),
        orientation_wxyz=np.empty((*shape, 4)),
        linear_velocity=np.zeros((*shape, 3)),
        angular_velocity=np.zeros((*shape, 3)),
        kinetic_energy=np.zeros(shape),
        potential_energy=np.zeros(shape),
        contacts=contact_table(log),
        events=(),
    )
    run.position[:], run.orientation_wxyz[:] = object_poses(bodies, states, rate_hz=rate_hz)
    dynamic = kinematic = 0
    driven = drive(bodies, first=0, stop=len(states), rate_hz=rate_hz)
    before = np.maximum(np.arange(len(states)) - 1, 0)  # what drove a body through the substep that ends here
    for n, body in enumerate(bodies):
        if body.kind == "dynamic":
            own = states[:, dynamic]
            run.linear_velocity[:, n], run.angular_velocity[:, n] = own[:, 7:10], own[:, 10:13]
            run.kinetic_energy[:, n] = _kinetic(body, own)
            run.potential_energy[:, n] = -body.mass * (own[:, :3] @ body.acc)
            dynamic += 1
        elif body.kind == "kinematic":
            own = driven[before, kinematic]
            run.linear_velocity[:, n], run.angular_velocity[:, n] = own[:, 7:10], own[:, 10:13]
            kinematic += 1
    balls = [b.source.name for b in bodies if isinstance(b.source, Object) and b.source.geometry == "sphere"]
    return with_events(run, round_bodies=balls)


def object_poses(bodies: tuple[Body, ...], states: F64, *, rate_hz: float) -> tuple[F64, F64]:
    """Position [m] and orientation_wxyz (without jumps of sign) of the objects, 1 / ``rate_hz`` [s] apart."""
    n_times = len(states)
    position, orientation = np.empty((n_times, len(bodies), 3)), np.empty((n_times, len(bodies), 4))
    driven = drive(bodies, first=0, stop=n_times, rate_hz=rate_hz)
    dynamic = kinematic = 0
    for n, body in enumerate(bodies):
        if body.kind == "static":
            position[:, n], orientation[:, n] = body.position, body.orientation_wxyz
            continue
        if body.kind == "dynamic":
            own = states[:, dynamic]
            dynamic += 1
        else:
            own = driven[:, kinematic]
            kinematic += 1
        turn = normalized(multiply_quaternions(own[:, 3:7], conjugate_quaternion(body.form.axes_wxyz)))
        position[:, n] = own[:, :3] - rotation_from_quaternion(turn) @ np.array(body.form.center)
        orientation[:, n] = _continuous(turn)
    return position, orientation


def _continuous(quaternions: F64) -> F64:
    """With signs that never jump, the first with w >= 0; shape (K, 4)."""
    before = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], quaternions[:-1]])
    step = np.sum(quaternions * before, axis=1)
    return np.cumprod(np.where(step < 0, -1.0, 1.0))[:, None] * quaternions


def _kinetic(body: Body, states: F64) -> F64:
    """Kinetic energy [J], shape (K,)."""
    spin = np.einsum("sji,sj->si", rotation_from_quaternion(states[:, 3:7]), states[:, 10:13])
    energy: F64 = 0.5 * (body.mass * np.sum(states[:, 7:10] ** 2, axis=1) + spin**2 @ body.inertia)
    return energy

"""Motion at frame times, and the errors between two motions that the time panel shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, I32
from fourdcb.trajectory import Event, Trajectory
from fourdcb.world import Object
from fourdcb.world.symmetry import rotation_errors, symmetry


@dataclass(frozen=True, slots=True, eq=False)
class FrameContacts:
    """Contacts of a clip, one row a pair of bodies and frame, in the order of the frames.

    Attributes:
        frame: the frame at or after which the impulse was given, shape (C,).
        position: middle of the contact, weighted by impulse [m], shape (C, 3).
        impulse: on the pair's first body since the frame before, friction included [N·s], shape (C, 3).
    """

    frame: I32
    position: F64
    impulse: F64

    def at(self, frame: int) -> tuple[F64, F64]:
        """(position, impulse) at a frame, shape (K, 3) each."""
        low, high = np.searchsorted(self.frame, [frame, frame + 1])
        return self.position[low:high], self.impulse[low:high]


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """A trajectory sampled at its frames: small enough to send on every edit.

    Attributes:
        names: body names, length N.
        moving: whether each body is no static one, length N.
        rate_hz: substeps per second of the rollout [1/s].
        times: [s], shape (T,).
        position: [m], shape (T, N, 3).
        orientation_wxyz: shape (T, N, 4).
        velocity: of the centre of mass [m/s], shape (T, N, 3).
        speed: its length [m/s], shape (T, N).
        energy: kinetic plus potential [J], shape (T, N).
        kinetic: kinetic energy [J], shape (T, N).
        spin: angular speed [rad/s], shape (T, N).
        impulse: normal contact impulses since the frame before, summed [N·s], shape (T, N).
        events: in time order.
        contacts: where bodies push each other, by frame.
        particles: centres of what moves along without being a body [m], shape (T, P, 3); None for none.
    """

    names: tuple[str, ...]
    moving: tuple[bool, ...]
    rate_hz: float
    times: F64
    position: F64
    orientation_wxyz: F64
    velocity: F64
    speed: F64
    energy: F64
    kinetic: F64
    spin: F64
    impulse: F64
    events: tuple[Event, ...]
    contacts: FrameContacts | None = None
    particles: NDArray[np.float32] | None = None

    @property
    def moving_names(self) -> tuple[str, ...]:
        """Names of the bodies that can move."""
        return tuple(n for n, m in zip(self.names, self.moving, strict=True) if m)


def motion_of(trajectory: Trajectory) -> Motion:
    """The frames of a trajectory."""
    steps = trajectory.frame_steps()
    velocity = trajectory.linear_velocity[steps]
    return Motion(
        names=trajectory.names,
        moving=tuple(kind != "static" for kind in trajectory.kinds),
        rate_hz=trajectory.rate_hz,
        times=trajectory.times[steps],
        position=trajectory.position[steps],
        orientation_wxyz=trajectory.orientation_wxyz[steps],
        velocity=velocity,
        speed=np.linalg.norm(velocity, axis=-1),
        energy=trajectory.kinetic_energy[steps] + trajectory.potential_energy[steps],
        kinetic=trajectory.kinetic_energy[steps],
        spin=np.linalg.norm(trajectory.angular_velocity[steps], axis=-1),
        impulse=_impulses(trajectory, steps),
        events=trajectory.events,
        contacts=_frame_contacts(trajectory, steps),
        particles=None if trajectory.particles is None else trajectory.particles.position.astype(np.float32),
    )


def _frame_contacts(trajectory: Trajectory, steps: NDArray[np.integer]) -> FrameContacts:
    table, n = trajectory.contacts, len(trajectory.names)
    frame = np.searchsorted(steps, table.step)
    inside = frame < len(steps)
    weight = table.normal_impulse[inside]
    pair = (frame * n + table.body_a) * n + table.body_b
    keys, row = np.unique(pair[inside], return_inverse=True)
    total = np.bincount(row, weight, minlength=len(keys))
    position, impulse = np.zeros((len(keys), 3)), np.zeros((len(keys), 3))
    np.add.at(position, row, weight[:, None] * table.position[inside])
    np.add.at(impulse, row, weight[:, None] * table.normal[inside] + table.tangential_impulse[inside])
    there = total > 0  # a touch without an impulse pushes nothing
    frames = (keys[there] // (n * n)).astype(np.int32)
    return FrameContacts(frames, position[there] / total[there, None], impulse[there])


def _impulses(trajectory: Trajectory, steps: NDArray[np.integer]) -> F64:
    """Normal impulses on each body between one frame and the next [N·s], shape (T, N)."""
    contacts = trajectory.contacts
    found = np.zeros((len(steps), len(trajectory.names)))
    frame = np.searchsorted(steps, contacts.step)  # the first frame at or after the substep
    inside = frame < len(steps)
    for bodies in (contacts.body_a, contacts.body_b):
        np.add.at(found, (frame[inside], bodies[inside]), contacts.normal_impulse[inside])
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectErrors:
    """Candidate minus reference of one object, per frame.

    Attributes:
        position_mm: signed [mm], shape (T, 3).
        rotation_deg: angle modulo the symmetry of the shapes, as the judge measures it [deg], shape (T,).
        energy: signed, as a fraction of the reference's energy range over the clip, shape (T,).
        velocity: length of the difference of the velocities [m/s], shape (T,).
    """

    position_mm: F64
    rotation_deg: F64
    energy: F64
    velocity: F64


def object_errors(
    candidate: Motion,
    reference: Motion,
    name: str,
    *,
    objects: tuple[Object, Object],
    horizon: int | None = None,
) -> ObjectErrors | None:
    """Errors of an object that both motions know by that name, over their common frames; else None.

    The judge's matching is finer; this is what can be shown while a slider moves.

    Args:
        objects: the object in the candidate's and in the reference's world.
        horizon: frames that can be predicted: a turn that nobody sees is the best over them; None is all.
    """
    if name not in candidate.names or name not in reference.names:
        return None
    c, r = candidate.names.index(name), reference.names.index(name)
    n = min(len(candidate.times), len(reference.times))
    energy = reference.energy[:n, r]
    spread = max(float(np.ptp(energy)), 1e-9)
    own, true = objects
    unseen = symmetry(true, own, np.asarray(own.size, np.float64), np.asarray(true.size, np.float64))
    rotation, _ = rotation_errors(
        reference.orientation_wxyz[:n, r], candidate.orientation_wxyz[:n, c], unseen, frames=horizon
    )
    return ObjectErrors(
        position_mm=1000.0 * (candidate.position[:n, c] - reference.position[:n, r]),
        rotation_deg=rotation,
        energy=(candidate.energy[:n, c] - energy) / spread,
        velocity=np.linalg.norm(candidate.velocity[:n, c] - reference.velocity[:n, r], axis=-1),
    )

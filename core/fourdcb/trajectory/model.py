"""What a rollout records: states per substep, the contact table and events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.arrays import F64, I32
from fourdcb.trajectory.interpolation import pose_at
from fourdcb.trajectory.particles import ParticleTrack
from fourdcb.world import BodyKind

EventKind = Literal["touch", "bounce", "slide_start", "slide_stop", "rest", "topple", "penetration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactTable:
    """Contact rows in time order, as columns of length C.

    Only rows that carry weight are kept: distance <= 0 (Bullet goes on reporting an old impulse at
    distances > 0).

    Attributes:
        step: substep at whose end the row was read, 1 … S.
        body_a, body_b: indices into ``Trajectory.names``, a < b.
        position: [m], shape (C, 3), on the surface of b.
        normal: unit, shape (C, 3), from b towards a.
        distance: [m], negative inside.
        normal_impulse: [N·s], >= 0, over the substep.
        tangential_impulse: [N·s], shape (C, 3), on a.
        velocity_before, velocity_after: velocity of a relative to b at the contact point [m/s], shape
            (C, 3), at the start and the end of the substep.
    """

    step: I32
    body_a: I32
    body_b: I32
    position: F64
    normal: F64
    distance: F64
    normal_impulse: F64
    tangential_impulse: F64
    velocity_before: F64
    velocity_after: F64

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened: ``bodies`` are names; ``value`` has the unit that the kind implies.

    touch, bounce: speed along the normal before / after [m/s]; slide_start, slide_stop: speed [m/s];
    rest: 0; topple: angle [deg]; penetration: depth [m].
    """

    kind: EventKind
    time: float
    bodies: tuple[str, ...]
    value: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """States of N bodies at S + 1 substep times (t = 0 included).

    Attributes:
        names, kinds: body names and kinds, length N: the world's objects, then its planes.
        fps: frames per second [1/s]; rate_hz: substeps per second, an integer multiple of fps.
        times: [s], shape (S + 1,).
        position: body ``pos`` in the world [m], shape (S + 1, N, 3): the point that the script calls pos.
        orientation_wxyz: shape (S + 1, N, 4), unit, continuous in sign along time.
        linear_velocity [m/s], angular_velocity [rad/s]: of the centre of mass, shape (S + 1, N, 3).
        kinetic_energy, potential_energy: [J], shape (S + 1, N); of dynamic bodies, 0 for others; potential is
            −m acc · (centre of mass).
        contacts: the contact table.
        events: in time order.
        particles: what moves along without being a body, frame by frame; None where there is nothing.
    """

    names: tuple[str, ...]
    kinds: tuple[BodyKind, ...]
    fps: float
    rate_hz: float
    times: F64
    position: F64
    orientation_wxyz: F64
    linear_velocity: F64
    angular_velocity: F64
    kinetic_energy: F64
    potential_energy: F64
    contacts: ContactTable
    events: tuple[Event, ...]
    particles: ParticleTrack | None = None

    @property
    def substeps_per_frame(self) -> int:
        """Substeps between two frames."""
        return round(self.rate_hz / self.fps)

    @property
    def n_frames(self) -> int:
        """Frames that this trajectory covers: k with k / fps < duration (and the one at t = 0)."""
        return max(1, (len(self.times) - 1) // self.substeps_per_frame)

    def frame_steps(self) -> I32:
        """Substep index of every frame, shape (T,)."""
        return np.arange(self.n_frames, dtype=np.int32) * self.substeps_per_frame

    def frame_at(self, t: float) -> int:
        """Frame nearest to a time [s], 0 … T − 1: the last frame also stands for what happens after it."""
        return min(max(round(t * self.fps), 0), self.n_frames - 1)

    def index(self, name: str) -> int:
        """Index of a body on the N axis. Raises ValueError."""
        return self.names.index(name)

    def pose_at(self, t: float) -> tuple[F64, F64]:
        """(position [N, 3], orientation_wxyz [N, 4]) at a time [s].

        Between substeps positions are interpolated linearly and orientations by normalised lerp; outside
        the recorded range both are extrapolated with the end velocities (motion blur opens its shutter
        before t = 0).
        """
        return pose_at(self, t)

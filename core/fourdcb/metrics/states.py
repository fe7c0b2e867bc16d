"""States of matched objects at the frames, ready to be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.metrics.matching import Match, Matching
from fourdcb.metrics.rotation import Symmetry, rotation_errors, symmetry
from fourdcb.metrics.shape import centre, extents
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World

if TYPE_CHECKING:
    from fourdcb.replay import Replay

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStates:
    """One matched pair over the T common frames.

    Attributes:
        match: which two.
        reference, candidate: the objects as scripted.
        reference_size, candidate_size: full extents in own axes [m], shape (3,).
        reference_position, candidate_position: box centre in the world [m], shape (T, 3).
        rotation_error: modulo symmetry [deg], shape (T,).
        turn: the symmetry element g that was chosen, rotation [3, 3].
        velocity_error: |difference of linear velocities| [m/s], shape (T,).
        reference_energy, candidate_energy: kinetic + potential [J], shape (T,).
        frames: how many frames lie within the object's predictability horizon, 0 … T.
    """

    match: Match
    reference: Object
    candidate: Object
    reference_size: F64
    candidate_size: F64
    reference_position: F64
    candidate_position: F64
    rotation_error: F64
    turn: F64
    velocity_error: F64
    reference_energy: F64
    candidate_energy: F64
    frames: int

    @property
    def name(self) -> str:
        """The reference's name of the object."""
        return self.match.reference

    @property
    def position_error(self) -> F64:
        """Candidate minus reference [m], shape (T, 3)."""
        return self.candidate_position - self.reference_position

    @property
    def diagonal(self) -> float:
        """Of the reference's bounding box [m]."""
        return float(np.linalg.norm(self.reference_size))


def pair_states(
    matching: Matching, reference: Replay, candidate: Replay, horizon: Mapping[str, float]
) -> tuple[PairStates, ...]:
    """States of all matched pairs.

    Args:
        horizon: predictability horizon by reference object [s]; absent names are predictable throughout.
    """
    return tuple(_states(m, reference, candidate, horizon) for m in matching.pairs)


def frames_within(seconds: float, *, fps: float, n_frames: int) -> int:
    """Number of frames k with k / fps <= seconds, at most ``n_frames``."""
    return int(min(n_frames, np.floor(seconds * fps + 1e-6) + 1))


def _states(m: Match, reference: Replay, candidate: Replay, horizon: Mapping[str, float]) -> PairStates:
    a, b = reference.world.object(m.reference), candidate.world.object(m.candidate)
    size_a, size_b = extents(a, reference.world), extents(b, candidate.world)
    n = min(reference.trajectory.n_frames, candidate.trajectory.n_frames)
    ra, rb = _Frames(reference.trajectory, m.reference, n), _Frames(candidate.trajectory, m.candidate, n)
    sym: Symmetry = symmetry(a, b, size_b, size_a)
    rotation, turn = rotation_errors(ra.orientation, rb.orientation, sym)
    seconds = horizon.get(m.reference, reference.world.duration)
    return PairStates(
        match=m,
        reference=a,
        candidate=b,
        reference_size=size_a,
        candidate_size=size_b,
        reference_position=ra.centres(a, reference.world),
        candidate_position=rb.centres(b, candidate.world),
        rotation_error=rotation,
        turn=turn,
        velocity_error=np.linalg.norm(rb.velocity - ra.velocity, axis=-1),
        reference_energy=ra.energy,
        candidate_energy=rb.energy,
        frames=frames_within(seconds, fps=reference.trajectory.fps, n_frames=n),
    )


class _Frames:
    """One body of a trajectory at its first ``n`` frames."""

    def __init__(self, trajectory: Trajectory, name: str, n: int) -> None:
        steps, i = trajectory.frame_steps()[:n], trajectory.index(name)
        self.position = trajectory.position[steps, i]
        self.orientation = trajectory.orientation_wxyz[steps, i]
        self.velocity = trajectory.linear_velocity[steps, i]
        self.energy = trajectory.kinetic_energy[steps, i] + trajectory.potential_energy[steps, i]

    def centres(self, obj: Object, world: World) -> F64:
        """Centre of the bounding box; ``pos`` of a mesh file is its own origin."""
        if obj.geometry != "mesh":
            return self.position
        return self.position + rotation_from_quaternion(self.orientation) @ centre(obj, world)

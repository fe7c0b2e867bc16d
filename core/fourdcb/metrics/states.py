"""States of matched objects at the frames, ready to be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.metrics.geometry.shape import centre, extents
from fourdcb.metrics.geometry.turns import pair_symmetry
from fourdcb.metrics.matching import Match, Matching
from fourdcb.sensitivity.shown_turns import shown_turns
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World
from fourdcb.world.symmetry import Symmetry, rotation_errors

if TYPE_CHECKING:
    from fourdcb.replay import Replay


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
        symmetry: what a turn may change without being seen.
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
    symmetry: Symmetry
    velocity_error: F64
    reference_energy: F64
    candidate_energy: F64
    frames: int

    @property
    def name(self) -> str:
        """The reference's name of the object."""
        return self.match.reference

    def ends_early(self, share: float) -> bool:
        """Whether the horizon covers less than ``share`` (0 … 1) of the frames, or fewer than two."""
        total = len(self.rotation_error)
        return self.frames < max(min(2, total), share * total)

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
    """Number of frames k with k / fps < seconds, at most ``n_frames``: from ``seconds`` on nothing counts."""
    return int(min(n_frames, np.ceil(seconds * fps - 1e-6)))


def _states(m: Match, reference: Replay, candidate: Replay, horizon: Mapping[str, float]) -> PairStates:
    a, b = reference.world.object(m.reference), candidate.world.object(m.candidate)
    size_a, size_b = extents(a, reference.world), extents(b, candidate.world)
    n = min(reference.trajectory.n_frames, candidate.trajectory.n_frames)
    ra, rb = _Frames(reference.trajectory, m.reference, n), _Frames(candidate.trajectory, m.candidate, n)
    shown = shown_turns(a, reference.world, ra.position, ra.orientation)
    sym = pair_symmetry((a, reference.world), (b, candidate.world), (size_a, size_b), shown)
    seconds = horizon.get(m.reference, reference.world.duration)
    frames = frames_within(seconds, fps=reference.trajectory.fps, n_frames=n)
    rotation, turn = rotation_errors(ra.orientation, rb.orientation, sym, frames=frames)
    return PairStates(
        match=m,
        reference=a,
        candidate=b,
        reference_size=size_a,
        candidate_size=size_b,
        reference_position=box_centres(a, reference.world, ra.position, ra.orientation),
        candidate_position=box_centres(b, candidate.world, rb.position, rb.orientation),
        rotation_error=rotation,
        turn=turn,
        symmetry=sym,
        velocity_error=np.linalg.norm(rb.velocity - ra.velocity, axis=-1),
        reference_energy=ra.energy,
        candidate_energy=rb.energy,
        frames=frames,
    )


def pose_errors(
    pair: PairStates, reference: Replay, world: World, position: F64, orientation_wxyz: F64
) -> tuple[F64, F64]:
    """Deviation of other poses of a pair's candidate, as :class:`PairStates` defines it.

    Args:
        pair: which two objects.
        reference: the truth's replay.
        world: the candidate's world that the poses belong to.
        position, orientation_wxyz: of the candidate's object at the frames, shapes (T, 3) and (T, 4).

    Returns:
        position error [m], shape (T, 3), and rotation error [deg], shape (T,).
    """
    obj = world.object(pair.match.candidate)
    n = len(pair.reference_position)
    truth = _Frames(reference.trajectory, pair.match.reference, n)
    rotation, _ = rotation_errors(truth.orientation, orientation_wxyz[:n], pair.symmetry, frames=pair.frames)
    centres = box_centres(obj, world, position[:n], orientation_wxyz[:n])
    return centres - pair.reference_position, rotation


def box_centres(obj: Object, world: World, position: F64, orientation_wxyz: F64) -> F64:
    """Centres of an object's bounding box [m], shape (T, 3); ``pos`` of a mesh file is its own origin."""
    if obj.geometry != "mesh":
        return position
    return position + rotation_from_quaternion(orientation_wxyz) @ centre(obj, world)


class _Frames:
    """One body of a trajectory at its first ``n`` frames."""

    def __init__(self, trajectory: Trajectory, name: str, n: int) -> None:
        steps, i = trajectory.frame_steps()[:n], trajectory.index(name)
        self.position = trajectory.position[steps, i]
        self.orientation = trajectory.orientation_wxyz[steps, i]
        self.velocity = trajectory.linear_velocity[steps, i]
        self.energy = trajectory.kinetic_energy[steps, i] + trajectory.potential_energy[steps, i]

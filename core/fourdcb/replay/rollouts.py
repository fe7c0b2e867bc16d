"""Rollouts kept by what they depend on: the part of the world that an engine reads, the engine, the rate."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64, Poses
from fourdcb.errors import SimulationDivergedError
from fourdcb.physics import Engine, Rate, Rollout, preview_rate
from fourdcb.physics.rates import rate_hz
from fourdcb.replay.steps import Steps
from fourdcb.trajectory import Trajectory
from fourdcb.world import World, with_value
from fourdcb.world.parts import WorldPart, part_of

_KEPT_TRAJECTORIES = 8
_LEAST_TRAJECTORIES = 3  # reference, candidate, and the candidate before its edits
_MOTION_BYTES = 256 * 2**20
_SLICE = 0.004  # [s] work between two looks at what else there is to do


@dataclass(slots=True)
class _Live:
    """The rollout that the engine holds now."""

    part: WorldPart
    rate: Rate
    rollout: Rollout
    so_far: Trajectory | None = None  # as far as it was simulated when last asked


class RolloutCache:
    """Rolls worlds out with one engine, which a new rollout resets; belongs to the engine's thread.

    A world that differs from a simulated one in looks only is not simulated again.

    Args:
        engine: plays the worlds; closed with the cache.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.engine = f"{engine.id} {engine.version}"  # in the key of everything that it has played
        self._live: _Live | None = None
        self._reduced: tuple[WorldPart, F64, F64] | None = None
        self._truth: tuple[WorldPart, F64] | None = None  # positions that distances are from
        self._whole: OrderedDict[tuple[WorldPart, Rate], Trajectory] = OrderedDict()

    def __len__(self) -> int:
        return len(self._whole)

    def close(self) -> None:
        """Give the engine back."""
        self._engine.close()

    def rest(self) -> None:
        """Make room for the next rollout while nobody waits."""
        if self._live is None:
            self._engine.empty()

    def holds(self, trajectory: Trajectory) -> bool:
        """Whether this is one of the whole rollouts that are kept."""
        return any(trajectory is whole for whole in self._whole.values())

    def whole(self, world: World, rate: Rate) -> Steps[Trajectory]:
        """The whole rollout.

        Raises:
            UserError: when the world cannot be simulated.
            SimulationDivergedError: when a state explodes.
        """
        part = self._part(world)
        known = self._known(part, rate)
        if known is not None:
            return known
        frame = 0
        while True:
            live = self._running(part, world, rate)
            until = time.perf_counter() + _SLICE
            while frame < world.n_frames:
                frame += 1  # at least one a slice, however short
                self._advance(live, frame / world.fps)
                if time.perf_counter() >= until:
                    break
            if frame >= world.n_frames:
                break  # read before anybody else's world takes the engine
            yield None
        trajectory = live.rollout.trajectory()
        self._keep(part, rate, trajectory)
        return trajectory

    def until(self, world: World, rate: Rate, frame: int) -> Trajectory:
        """A rollout that reaches a frame at least, simulated no further than that needs."""
        part = self._part(world)
        known = self._known(part, rate)
        if known is not None:
            return known
        live, t = self._running(part, world, rate), frame / world.fps
        if live.so_far is None or live.so_far.times[-1] < t - 0.5 / live.so_far.rate_hz:
            # The shutter stays open a little beyond the frame's own time; poses there are extrapolated.
            self._advance(live, t)
            live.so_far = live.rollout.trajectory()
        return live.so_far

    def poses(self, world: World, frame: int) -> Poses:
        """Poses at one frame, at the preview rate; contacts are not read, which halves the time.

        Returns:
            position [m], shape (N, 3), and orientation_wxyz, shape (N, 4).
        """
        part = self._part(world)
        known = self._known(part, "preview")
        if known is not None:
            return known.pose_at(frame / world.fps)
        if self._reduced is None or self._reduced[0] != part or len(self._reduced[1]) <= frame:
            self._live = None
            rollout = self._engine.start(world, rate_hz=preview_rate(world.fps))
            self._reduced = (part, *rollout.frame_poses(frame + 1))
        return self._reduced[1][frame], self._reduced[2][frame]

    def distances(
        self, world: World, reference: World, path: str, values: tuple[float, ...]
    ) -> Steps[tuple[float, ...]]:
        """Root mean square distance of the moving objects from the reference [m], at each value.

        Objects are paired by name; both worlds are played at the preview rate, so that equal ones are at
        distance 0. NaN stands where the simulation fails. Yields after each rollout.
        """
        expected = yield from self._expected(reference)
        names, known = [b.name for b in world.bodies], [b.name for b in reference.bodies]
        moving = [o.name for o in world.objects if o.kind == "dynamic" and o.name in known]
        own, other = [names.index(n) for n in moving], [known.index(n) for n in moving]
        found = []
        for value in values:
            yield None
            self._live = None  # the engine's rollout is about to end
            edited = with_value(world, path, value)
            try:
                position, _ = self._engine.frame_poses(edited, rate_hz=preview_rate(edited.fps))
            except SimulationDivergedError:
                found.append(float("nan"))
                continue
            n = min(len(position), len(expected))
            found.append(_root_mean_square(position[:n, own] - expected[:n, other]))
        return tuple(found)

    def _expected(self, reference: World) -> Steps[F64]:
        """Positions of the reference's bodies by frame at the preview rate [m], shape (T, N, 3)."""
        part = self._part(reference)
        if self._truth is None or self._truth[0] != part:
            yield None
            self._live = None  # the engine's rollout is about to end
            position, _ = self._engine.frame_poses(reference, rate_hz=preview_rate(reference.fps))
            self._truth = (part, position)
        return self._truth[1]

    def _part(self, world: World) -> WorldPart:
        return part_of(world, "rollout", engine=self.engine)

    def _known(self, part: WorldPart, rate: Rate) -> Trajectory | None:
        """The whole rollout if there is one; the judging rate's will do for a preview."""
        rates: tuple[Rate, ...] = ("judging", "preview") if rate == "preview" else ("judging",)
        for candidate in rates:
            found = self._whole.get((part, candidate))
            if found is not None:
                self._whole.move_to_end((part, candidate))
                return found
        return None

    def _running(self, part: WorldPart, world: World, rate: Rate) -> _Live:
        live = self._live
        if live is None or live.part != part or live.rate != rate:
            rollout = self._engine.start(world, rate_hz=rate_hz(rate, world.fps))
            live = self._live = _Live(part, rate, rollout)
        return live

    def _advance(self, live: _Live, t: float) -> None:
        try:
            live.rollout.advance_to(t)
        except SimulationDivergedError:
            self._live = None  # the engine has let go of it: asked again, it must diverge again
            raise

    def _keep(self, part: WorldPart, rate: Rate, trajectory: Trajectory) -> None:
        self._whole[part, rate] = trajectory
        while len(self._whole) > _KEPT_TRAJECTORIES or (
            len(self._whole) > _LEAST_TRAJECTORIES and sum(map(_size, self._whole.values())) > _MOTION_BYTES
        ):
            self._whole.popitem(last=False)


def _size(trajectory: Trajectory) -> int:
    """Memory of the states [bytes], without the contacts, which are fewer."""
    states = (trajectory.position, trajectory.orientation_wxyz, trajectory.linear_velocity)
    return sum(array.nbytes for array in states) + trajectory.angular_velocity.nbytes


def _root_mean_square(differences: F64) -> float:
    return float(np.sqrt(np.mean(np.sum(differences**2, axis=-1)))) if differences.size else 0.0

"""The engine: whole rollouts, and rollouts that advance on demand."""

from __future__ import annotations

from types import TracebackType

import numpy as np

from fourdcb.errors import FourDCBError, SimulationDivergedError
from fourdcb.physics.contact.bodies import Body, drive, load_bodies, simulation, start_states
from fourdcb.physics.contact.layout import (
    ACC,
    DONE,
    DYNAMIC,
    F64,
    LOG_WIDTH,
    LOGGED,
    MOM,
    OVERFLOW,
    STATE_WIDTH,
)
from fourdcb.physics.contact.loop import MOST_CUTS, advance
from fourdcb.physics.contact.record import object_poses, trajectory_of
from fourdcb.physics.rates import substeps_per_frame
from fourdcb.progress import Progress
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

VERSION = 4
LIMIT = 1e5  # [m], [m/s]: beyond it a state is taken for an explosion
_CHUNK = 256  # substeps between two checks for explosions
_CONTACTS = 64  # that there is room for at first, and as many again for every body


class ContactEngine:
    """Rolls worlds out with a contact solver of its own; see the package.

    A context manager. It keeps nothing between rollouts, so results do not depend on what ran before.

    Attributes:
        id, version: see :class:`fourdcb.physics.Engine`.
    """

    id = "contact-solver"
    version = VERSION

    def __init__(self) -> None:
        self._closed = False
        self._current: ContactRollout | None = None

    def __enter__(self) -> ContactEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the rollout that stands. A second call does nothing."""
        self._closed, self._current = True, None

    def empty(self) -> None:
        """Ends the rollout that stands."""
        self._current = None

    def rollout(
        self,
        world: World,
        *,
        rate_hz: float,
        duration: float | None = None,
        progress: Progress | None = None,
    ) -> Trajectory:
        """States over time from t = 0; see :class:`fourdcb.physics.Engine`."""
        rollout = self.start(world, rate_hz=rate_hz)
        frames = _frames(world, duration)
        if progress is not None:
            progress.start("simulating", frames)
        rollout.advance_to(frames / world.fps, progress=progress)
        self._current = None  # what it has recorded is as large as the trajectory
        return rollout.trajectory()

    def frame_poses(self, world: World, *, rate_hz: float, duration: float | None = None) -> tuple[F64, F64]:
        """Poses of that rollout at its frames only; see :class:`fourdcb.physics.Engine`."""
        return self.start(world, rate_hz=rate_hz).frame_poses(_frames(world, duration))

    def start(self, world: World, *, rate_hz: float) -> ContactRollout:
        """A rollout that stands at t = 0. It ends any other rollout of this engine.

        Raises:
            UserError: for a rate that does not fit, or a body that cannot be simulated.
            SimulationDivergedError: for a start that is not finite.
        """
        if self._closed:
            raise FourDCBError("the engine is closed")
        rollout = ContactRollout(self, world, rate_hz=rate_hz)
        self._current = rollout
        return rollout


def _frames(world: World, duration: float | None) -> int:
    return max(1, round((world.duration if duration is None else duration) * world.fps))


class ContactRollout:
    """A simulation that advances when asked, and can be read at any time.

    Advancing in pieces gives bit for bit what one go gives.
    """

    def __init__(self, engine: ContactEngine, world: World, *, rate_hz: float) -> None:
        self._engine, self._world, self._rate_hz = engine, world, rate_hz
        self._substeps_per_frame = substeps_per_frame(rate_hz, world.fps)
        self._bodies = load_bodies(world)
        self._moving = [body for body in self._bodies if body.kind == "dynamic"]
        self._capacity = _CONTACTS * (1 + len(self._bodies))
        self._states = np.empty((1, len(self._moving), STATE_WIDTH))
        self._generation = -1
        self._restart()

    def _restart(self) -> None:
        """Back to t = 0: at the start, and where there was not room for all contacts."""
        self._sim = simulation(self._world, self._bodies, capacity=self._capacity)
        self._log = np.empty((0, LOG_WIDTH))
        self._done = 0
        self._generation += 1
        self._states[0] = start_states(self._bodies)

    @property
    def time(self) -> float:
        """Simulated time so far [s]."""
        return self._done / self._rate_hz

    def advance_to(self, t: float, *, progress: Progress | None = None) -> None:
        """Simulates up to ``t`` [s] (the first substep at or after it); nothing when that is already done.

        Args:
            t: [s].
            progress: told of every simulated frame; may cancel.

        Raises:
            SimulationDivergedError: when a state explodes.
            FourDCBError: when the engine has started another rollout since.
        """
        self._must_stand()
        stop = int(np.ceil(t * self._rate_hz - 1e-6))
        self._reserve(stop)
        while self._done < stop:
            end_of_frame = (self._done // self._substeps_per_frame + 1) * self._substeps_per_frame
            until = min(stop, self._done + _CHUNK if progress is None else end_of_frame)
            self._run(self._done, until, self._states[self._done + 1 :], stride=1, keep_log=True)
            if progress is not None and self._done == end_of_frame:
                progress.advance()

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies of the world, in its order."""
        return self._bodies

    @property
    def state(self) -> F64:
        """Of the dynamic bodies now, shape (D, 13), as in ``bodies.start_states``."""
        return self._states[self._done].copy()

    @property
    def generation(self) -> int:
        """How often it began anew: whoever has pushed bodies must do so again, from t = 0."""
        return self._generation

    def push(self, acceleration: F64, torque: F64) -> None:
        """Lets a field act on the dynamic bodies from now on, and turns them at once.

        Args:
            acceleration: in place of their own field [m/s²], shape (D, 3).
            torque: impulses [N m s], shape (D, 3).
        """
        moving = np.flatnonzero(self._sim.kind == DYNAMIC)
        self._sim.body[moving, ACC : ACC + 3] = acceleration
        self._sim.body[moving, MOM : MOM + 3] += torque

    def trajectory(self) -> Trajectory:
        """What was simulated so far: substeps 0 … S."""
        return trajectory_of(
            self._world,
            self._bodies,
            rate_hz=self._rate_hz,
            states=self._states[: self._done + 1],
            log=self._log[: self._sim.counts[LOGGED]],
        )

    def frame_poses(self, n_frames: int) -> tuple[F64, F64]:
        """Advances a fresh rollout to its last frame: position (T, N, 3), orientation_wxyz (T, N, 4).

        Substeps between frames are not recorded, so the rollout ends with it.
        """
        self._must_stand()
        if self._done:
            raise FourDCBError("only a rollout that stands at t = 0 can be reduced to its frames")
        stride = self._substeps_per_frame
        states = np.empty((n_frames, len(self._moving), STATE_WIDTH))
        states[0] = self._states[0]
        frame = 0
        while frame < n_frames - 1:
            ahead = min(n_frames - 1, frame + max(_CHUNK // stride, 1))
            self._run(frame * stride, ahead * stride, states[frame + 1 :], stride=stride, keep_log=False)
            frame = self._done // stride
        self._engine.empty()
        return object_poses(self._bodies, states, rate_hz=self._rate_hz / stride)

    def _must_stand(self) -> None:
        if self._engine._current is not self:
            raise FourDCBError("this rollout has ended: its engine has started another one or was closed")

    def _reserve(self, stop: int) -> None:
        if stop + 1 > len(self._states):
            room = np.empty((max(stop + 1, 2 * self._done), *self._states.shape[1:]))
            room[: self._done + 1] = self._states[: self._done + 1]
            self._states = room

    def _run(self, first: int, stop: int, states: F64, *, stride: int, keep_log: bool) -> None:
        """Makes substeps ``first`` … ``stop`` - 1, or starts anew with more room for contacts."""
        drives = drive(self._bodies, first=first, stop=stop, rate_hz=self._rate_hz)
        begin = first
        while self._done < stop:
            if keep_log:
                self._make_room_in_log()
            advance(
                self._sim, drives[begin - first :], states[(begin - first) // stride :], self._log, keep_log,
                1.0 / self._rate_hz, begin, stop, stride,
            )  # fmt: skip
            self._done = begin = int(self._sim.counts[DONE])
            if self._sim.counts[OVERFLOW]:
                self._capacity *= 2
                self._restart()
                return
        self._check(states[: (stop - first) // stride], first, stride)

    def _make_room_in_log(self) -> None:
        used = int(self._sim.counts[LOGGED])
        needed = used + (MOST_CUTS + 3) * len(self._sim.tag)
        if needed > len(self._log):
            room = np.empty((max(needed, 2 * len(self._log)), LOG_WIDTH))
            room[:used] = self._log[:used]
            self._log = room

    def _check(self, block: F64, first: int, stride: int) -> None:
        """Raises SimulationDivergedError for the first state that is not finite or out of range."""
        wild = ~(np.abs(block[..., [0, 1, 2, 7, 8, 9]]) < LIMIT).all(axis=-1)
        if wild.any():
            step, moving = np.argwhere(wild)[0]
            self._engine.empty()
            finite = bool(np.isfinite(block[step, moving]).all())
            raise SimulationDivergedError(
                body=self._moving[moving].source.name,
                time=(first + (int(step) + 1) * stride) / self._rate_hz,
                reason="left every reasonable range" if finite else "has a state that is not a number",
            )

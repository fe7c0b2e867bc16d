"""The Bullet engine: whole rollouts, and rollouts that advance on demand."""

from __future__ import annotations

from types import TracebackType

import numpy as np

from fourdcb.arrays import F64
from fourdcb.errors import FourDCBError, SimulationDivergedError
from fourdcb.physics.bullet.assemble import assemble, object_poses
from fourdcb.physics.bullet.client import BulletClient
from fourdcb.physics.bullet.forces import StepForces
from fourdcb.physics.bullet.recording import ContactLog, StateLog
from fourdcb.physics.bullet.scene import RECIPE_VERSION, LoadedBody, configure, load_bodies
from fourdcb.physics.bullet.selfcheck import check_recipe
from fourdcb.physics.bullet.urdf import UrdfStore
from fourdcb.physics.rates import substeps_per_frame
from fourdcb.progress import Progress
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

LIMIT = 1e5  # [m], [m/s]: beyond it a state is taken for an explosion
_CHUNK = 64  # substeps between two conversions of what Bullet says, and two checks for explosions


class BulletEngine:
    """One Bullet client that rolls worlds out, one at a time.

    A context manager. Every rollout starts from an empty client, so results do not depend on what ran before.
    An engine belongs to one thread; engines in several threads step at the same time.

    Attributes:
        id, version: see :class:`fourdcb.physics.Engine`.
        first_kick: share of its acceleration that a body gets in the first substep.
    """

    id = "bullet-recipe"
    version = RECIPE_VERSION

    # Half a kick turns Bullet's steps into leapfrog steps: exact positions in a constant field.
    first_kick = 0.5

    def __init__(self) -> None:
        check_recipe()
        self._client = BulletClient()
        self._closed = False
        self._store = UrdfStore()
        self._current: BulletRollout | None = None
        self._is_empty = False

    def __enter__(self) -> BulletEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the client and its files back. A second call does nothing."""
        if not self._closed:
            self._closed, self._current = True, None
            self._client.close()
            self._store.close()

    def rollout(
        self,
        world: World,
        *,
        rate_hz: float,
        duration: float | None = None,
        progress: Progress | None = None,
    ) -> Trajectory:
        """Simulates a world from t = 0.

        Args:
            world: what to simulate.
            rate_hz: substeps per second, an integer multiple of ``world.fps``.
            duration: [s], rounded to whole frames; the world's own when None.
            progress: told of every simulated frame; may cancel.

        Raises:
            UserError: for a rate that does not fit, or a body that cannot be simulated.
            SimulationDivergedError: when a state explodes.
        """
        rollout = self.start(world, rate_hz=rate_hz)
        seconds = world.duration if duration is None else duration
        frames = max(1, round(seconds * world.fps))
        if progress is not None:
            progress.start("simulating", frames)
        rollout.advance_to(frames / world.fps, progress=progress)
        self._current = None  # what it has recorded is as large as the trajectory
        return rollout.trajectory()

    def frame_poses(self, world: World, *, rate_hz: float, duration: float | None = None) -> tuple[F64, F64]:
        """Poses at the frames only: those of a rollout (quaternions up to sign), in less than half its time.

        For work that compares many rollouts frame by frame; contacts and energies are not read.

        Args:
            world: what to simulate.
            rate_hz: substeps per second, an integer multiple of ``world.fps``.
            duration: [s], rounded to whole frames; the world's own when None.

        Returns:
            position [m], shape (T, N, 3), and orientation_wxyz, shape (T, N, 4), of frames k = 0 … T-1.

        Raises:
            UserError: for a rate that does not fit, or a body that cannot be simulated.
            SimulationDivergedError: when a state explodes.
        """
        rollout = self.start(world, rate_hz=rate_hz)
        seconds = world.duration if duration is None else duration
        return rollout.frame_poses(max(1, round(seconds * world.fps)))

    def start(self, world: World, *, rate_hz: float) -> BulletRollout:
        """A rollout that stands at t = 0. It ends any other rollout of this engine."""
        if self._closed:
            raise FourDCBError("the engine is closed")
        spf = substeps_per_frame(rate_hz, world.fps)
        self.empty()
        self._is_empty = False
        bodies = self._prepare(world, rate_hz=rate_hz)
        rollout = BulletRollout(self, world, bodies, rate_hz=rate_hz, substeps_per_frame=spf)
        self._current = rollout
        return rollout

    def empty(self) -> None:
        """Ends the rollout that stands and empties the client, ahead of the next :meth:`start`.

        That takes as long as a hundred substeps: a good use of the time in which nobody waits.
        """
        self._current = None
        if not self._is_empty and not self._closed:
            self._client.reset()
            self._is_empty = True

    def _prepare(self, world: World, *, rate_hz: float) -> tuple[LoadedBody, ...]:
        """Parameters and bodies into the empty client."""
        configure(self._client, rate_hz=rate_hz)
        return load_bodies(self._client, world, self._store)


class BulletRollout:
    """A simulation that advances when asked, and can be read at any time.

    Advancing in pieces gives bit for bit what one go gives.
    """

    def __init__(
        self,
        engine: BulletEngine,
        world: World,
        bodies: tuple[LoadedBody, ...],
        *,
        rate_hz: float,
        substeps_per_frame: int,
    ) -> None:
        self._engine, self._world, self._bodies = engine, world, bodies
        self._rate_hz, self._substeps_per_frame = rate_hz, substeps_per_frame
        self._moving = [body for body in bodies if body.kind == "dynamic"]
        self._client = engine._client
        self._forces = StepForces(self._client, bodies, rate_hz=rate_hz, first_kick=engine.first_kick)
        self._read_states = self._client.state_reader([body.handle for body in self._moving])
        self._read_contacts = self._client.contact_reader()
        self._states = StateLog(len(self._moving))
        self._contacts = ContactLog([body.handle for body in bodies], dt=1.0 / rate_hz)
        self._done = 0
        self._states.extend(self._read_states(), 1)

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
        if self._engine._current is not self:
            raise FourDCBError("this rollout has ended: its engine has started another one or was closed")
        stop = int(np.ceil(t * self._rate_hz - 1e-6))
        self._states.reserve(max(stop - self._done, 0))
        while self._done < stop:
            end_of_frame = (self._done // self._substeps_per_frame + 1) * self._substeps_per_frame
            stops = (stop, self._done + _CHUNK) if progress is None else (stop, end_of_frame)
            self._run(min(stops))
            if progress is not None and self._done == end_of_frame:
                progress.advance()

    def trajectory(self) -> Trajectory:
        """What was simulated so far: substeps 0 … S."""
        return assemble(
            self._world,
            self._bodies,
            rate_hz=self._rate_hz,
            states=self._states.states(),
            contacts=self._contacts.table(),
            velocity_lag=1.0 - self._engine.first_kick,
        )

    def frame_poses(self, n_frames: int) -> tuple[F64, F64]:
        """Advances a fresh rollout to its last frame and returns all frames' poses.

        Substeps between frames are not recorded, so the rollout ends with it.
        """
        if self._done or self._engine._current is not self:
            raise FourDCBError("only a rollout that stands at t = 0 can be reduced to its frames")
        step, forces, states, stride = (
            self._client.step,
            self._forces,
            self._read_states,
            self._substeps_per_frame,
        )
        self._states.reserve(n_frames - 1)
        for first in range(1, n_frames, _CHUNK):
            parts: list[bytes] = []
            frames = range(first, min(first + _CHUNK, n_frames))
            for frame in frames:
                for index in range((frame - 1) * stride, frame * stride):
                    if forces.needed or index <= 1:
                        forces.apply(index)
                    step()
                parts += states()
            self._check(self._states.extend(parts, len(frames)), stride=stride)
            self._done = frames[-1] * stride
        self._engine._current = None
        return object_poses(self._bodies, self._states.states(), dt=stride / self._rate_hz)

    def _run(self, stop: int) -> None:
        # The hot loop: what Bullet says is kept as it lies in memory, everything else waits.
        step, forces = self._client.step, self._forces
        contacts, states = self._read_contacts, self._read_states
        rows: list[bytes] = []
        parts: list[bytes] = []
        for index in range(self._done, stop):
            if forces.needed or index <= 1:
                forces.apply(index)
            step()
            rows.append(contacts())
            parts += states()
        self._contacts.extend(rows)
        self._check(self._states.extend(parts, stop - self._done))
        self._done = stop

    def _check(self, block: F64, *, stride: int = 1) -> None:
        """Raises SimulationDivergedError for the first state that is not finite or out of range.

        Args:
            block: states that follow what is done already.
            stride: substeps from one to the next.
        """
        wild = ~(np.abs(block[..., [0, 1, 2, 7, 8, 9]]) < LIMIT).all(axis=-1)
        if wild.any():
            step, moving = np.argwhere(wild)[0]
            self._engine._current = None
            finite = bool(np.isfinite(block[step, moving]).all())
            raise SimulationDivergedError(
                body=self._moving[moving].source.name,
                time=(self._done + (int(step) + 1) * stride) / self._rate_hz,
                reason="left every reasonable range" if finite else "has a state that is not a number",
            )

"""The Bullet engine: whole rollouts, and rollouts that advance on demand."""

from __future__ import annotations

from array import array
from types import TracebackType
from typing import Any

import numpy as np

from fourdcb.errors import FourDCBError, SimulationDivergedError
from fourdcb.physics.assemble import assemble
from fourdcb.physics.forces import StepForces
from fourdcb.physics.native import bullet, silenced
from fourdcb.physics.rates import judging_rate, substeps_per_frame
from fourdcb.physics.recording import STATE_WIDTH, ContactLog
from fourdcb.physics.scene import LoadedBody, configure, load_bodies
from fourdcb.physics.urdf import UrdfStore
from fourdcb.progress import Progress
from fourdcb.trajectory import Trajectory
from fourdcb.world import World

LIMIT = 1e5  # [m], [m/s]: beyond it a state is taken for an explosion
_CHUNK = 256  # substeps between two conversions of contact tuples


class BulletEngine:
    """One Bullet client that rolls worlds out, one at a time.

    A context manager. Every rollout starts from an empty client, so results do not depend on what ran before.
    Not thread-safe: Bullet never releases the GIL and crashes when threads share a client.
    """

    def __init__(self) -> None:
        self._bullet = bullet()
        self._client: int = self._bullet.connect(self._bullet.DIRECT)
        if self._client < 0:
            raise FourDCBError("Bullet gave no client; too many engines are open in this process")
        self._store = UrdfStore()
        self._current: Rollout | None = None

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
        if self._client >= 0:
            self._bullet.disconnect(physicsClientId=self._client)
            self._client = -1
            self._current = None
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
        return rollout.trajectory()

    def start(self, world: World, *, rate_hz: float) -> Rollout:
        """A rollout that stands at t = 0. It ends any other rollout of this engine."""
        if self._client < 0:
            raise FourDCBError("the engine is closed")
        spf = substeps_per_frame(rate_hz, world.fps)
        self._current = None
        with silenced(1):
            self._bullet.resetSimulation(physicsClientId=self._client)
            configure(self._bullet, self._client, rate_hz=rate_hz)
            bodies = load_bodies(self._bullet, self._client, world, self._store)
        rollout = Rollout(self, world, bodies, rate_hz=rate_hz, substeps_per_frame=spf)
        self._current = rollout
        return rollout


class Rollout:
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
        self._forces = StepForces(engine._bullet, engine._client, bodies, rate_hz=rate_hz)
        self._states = array("d")
        self._contacts = ContactLog()
        self._done = 0
        self._record_start()

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
        while self._done < stop:
            frame_end = (self._done // self._substeps_per_frame + 1) * self._substeps_per_frame
            self._run(min(stop, frame_end) if progress else min(stop, self._done + _CHUNK))
            if progress is not None and self._done == frame_end:
                progress.advance()

    def trajectory(self) -> Trajectory:
        """What was simulated so far: substeps 0 … S."""
        steps, rows = self._contacts.columns()
        states = np.array(self._states, dtype=np.float64).reshape(
            self._done + 1, len(self._moving), STATE_WIDTH
        )
        return assemble(
            self._world, self._bodies, rate_hz=self._rate_hz, states=states, steps=steps, rows=rows
        )

    def _record_start(self) -> None:
        pose, velocity = (
            self._engine._bullet.getBasePositionAndOrientation,
            self._engine._bullet.getBaseVelocity,
        )
        client = self._engine._client
        for body in self._moving:
            for part in (*pose(body.handle, client), *velocity(body.handle, client)):
                self._states.extend(part)

    def _run(self, stop: int) -> None:
        # The hot loop: one contact query a step, two state queries a moving body; everything else waits.
        api: Any = self._engine._bullet
        client = self._engine._client
        step, points = api.stepSimulation, api.getContactPoints
        pose, velocity = api.getBasePositionAndOrientation, api.getBaseVelocity
        handles = [body.handle for body in self._moving]
        extend = self._states.extend
        steps: list[int] = []
        rows: list[tuple[Any, ...]] = []
        for index in range(self._done, stop):
            self._forces.apply(index)
            step(client)
            for row in points(physicsClientId=client):
                if row[8] <= 0.0:  # beyond 0 Bullet still reports the impulse of an earlier substep
                    rows.append(row)
                    steps.append(index + 1)
            for handle in handles:
                position, orientation = pose(handle, client)
                linear, angular = velocity(handle, client)
                extend(position)
                extend(orientation)
                extend(linear)
                extend(angular)
                if not -LIMIT < position[0] + position[1] + position[2] < LIMIT:
                    self._diverged(handle, index + 1, "has left every reasonable range")
        self._contacts.extend(steps, rows)
        self._done = stop
        self._check_speeds()

    def _check_speeds(self) -> None:
        if not self._moving:
            return
        last = np.array(self._states[-len(self._moving) * STATE_WIDTH :]).reshape(-1, STATE_WIDTH)
        wild = ~(np.linalg.norm(last[:, 7:10], axis=1) < LIMIT)
        if wild.any():
            self._diverged(
                self._moving[int(np.argmax(wild))].handle, self._done, "moves faster than 100 km/s"
            )

    def _diverged(self, handle: int, step: int, reason: str) -> None:
        name = next(body.source.name for body in self._bodies if body.handle == handle)
        self._engine._current = None
        raise SimulationDivergedError(body=name, time=step / self._rate_hz, reason=reason)


def simulate(
    world: World,
    *,
    rate_hz: float | None = None,
    duration: float | None = None,
    progress: Progress | None = None,
) -> Trajectory:
    """Simulates a world from t = 0 in an engine of its own.

    Args:
        world: what to simulate.
        rate_hz: substeps per second, an integer multiple of ``world.fps``; None is the judging rate.
        duration: [s], rounded to whole frames; the world's own when None.
        progress: told of every simulated frame; may cancel.

    Raises:
        UserError: for a rate that does not fit, or a body that cannot be simulated.
        SimulationDivergedError: when a state explodes.
    """
    rate = judging_rate(world.fps) if rate_hz is None else rate_hz
    with BulletEngine() as engine:
        return engine.rollout(world, rate_hz=rate, duration=duration, progress=progress)

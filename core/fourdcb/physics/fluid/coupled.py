"""Bodies and a fluid in one rollout: the fluid steps a few times a frame, bodies at their own rate."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType

import numpy as np

from fourdcb.arrays import F64, Poses
from fourdcb.conventions import conjugate_quaternion, multiply_quaternions, rotation_from_quaternion
from fourdcb.errors import FourDCBError, UserError
from fourdcb.physics.contact.bodies import Body, drive
from fourdcb.physics.contact.engine import ContactEngine, ContactRollout
from fourdcb.physics.fluid.simulation import FluidSimulation, solid_rows
from fourdcb.physics.fluid.solids import (
    BOX,
    CAPSULE,
    CYLINDER,
    HALF,
    PLANE,
    POS,
    ROT,
    SHAPE,
    SPHERE,
    SPIN,
    VEL,
)
from fourdcb.progress import Progress
from fourdcb.trajectory import ParticleTrack, Trajectory
from fourdcb.world import Plane, World

FLUID_HZ = 120.0  # steps per second, about: a whole number of them to a frame, and of substeps to them
VERSION = 0  # added to the contact solver's; raised whenever a fluid flows differently than before
_SHAPES = {"sphere": SPHERE, "box": BOX, "cylinder": CYLINDER, "capsule": CAPSULE}


class CoupledEngine:
    """The contact solver, and a fluid where a world has one; see :class:`fourdcb.physics.Engine`.

    A world without a fluid is the contact solver's alone, bit for bit.
    """

    id = ContactEngine.id

    def __init__(self) -> None:
        self._contact = ContactEngine()
        self._current: CoupledRollout | None = None

    @property
    def version(self) -> int:
        """Of both: raised whenever a world rolls out differently than before."""
        return ContactEngine.version + VERSION

    def __enter__(self) -> CoupledEngine:
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
        self._contact.close()

    def empty(self) -> None:
        """Ends the rollout that stands."""
        self._contact.empty()

    def rollout(
        self,
        world: World,
        *,
        rate_hz: float,
        duration: float | None = None,
        progress: Progress | None = None,
    ) -> Trajectory:
        """States over time from t = 0."""
        if not world.fluids:
            return self._contact.rollout(world, rate_hz=rate_hz, duration=duration, progress=progress)
        rollout, frames = CoupledRollout(self._contact, world, rate_hz=rate_hz), _frames(world, duration)
        if progress is not None:
            progress.start("simulating", frames)
        rollout.advance_to(frames / world.fps, progress=progress)
        return rollout.trajectory()

    def frame_poses(self, world: World, *, rate_hz: float, duration: float | None = None) -> Poses:
        """Poses of that rollout at its frames only."""
        if not world.fluids:
            return self._contact.frame_poses(world, rate_hz=rate_hz, duration=duration)
        return CoupledRollout(self._contact, world, rate_hz=rate_hz).frame_poses(_frames(world, duration))

    def start(self, world: World, *, rate_hz: float) -> ContactRollout | CoupledRollout:
        """A rollout that stands at t = 0. It ends any other rollout of this engine.

        Raises:
            UserError: for a rate that does not fit, or a body that cannot be simulated or meet a fluid.
            SimulationDivergedError: for a start that is not finite.
        """
        if not world.fluids:
            return self._contact.start(world, rate_hz=rate_hz)
        return CoupledRollout(self._contact, world, rate_hz=rate_hz)


def _frames(world: World, duration: float | None) -> int:
    return max(1, round((world.duration if duration is None else duration) * world.fps))


class CoupledRollout:
    """A simulation of bodies and a fluid that advances when asked, and can be read at any time.

    In every step of the fluid the pressure is found with the bodies' masses in its equations; the force that
    it means then acts on the bodies, evenly, while they take their own substeps through that step.
    """

    def __init__(self, engine: ContactEngine, world: World, *, rate_hz: float) -> None:
        self._engine, self._world, self._rate_hz = engine, world, rate_hz
        self._inner = engine.start(world, rate_hz=rate_hz)
        per_frame = round(rate_hz / world.fps)
        wanted = max(1, round(FLUID_HZ / world.fps))
        self._steps = max(k for k in range(1, wanted + 1) if per_frame % k == 0)
        self._begin()

    def _begin(self) -> None:
        bodies = self._bodies = self._inner.bodies
        self._moving = np.array([i for i, b in enumerate(bodies) if b.kind != "static"], dtype=np.int64)
        self._solid = solid_rows(len(bodies))
        for row, body in zip(self._solid, bodies, strict=True):
            _shape(row, body)
            _place(row, body.position, rotation_from_quaternion(body.orientation_wxyz))
        self._fluid = FluidSimulation(self._world.fluids[0], self._solid, self._moving)
        self._frames = [self._fluid.position.copy()]
        self._made, self._generation = 0, self._inner.generation

    @property
    def time(self) -> float:
        """Simulated time so far [s]."""
        return self._inner.time

    def advance_to(self, t: float, *, progress: Progress | None = None) -> None:
        """Simulates up to ``t`` [s], rounded up to a step of the fluid."""
        dt = 1.0 / (self._steps * self._world.fps)
        until = int(np.ceil(t / dt - 1e-6))
        while self._made < until:
            self._step(dt)
            if self._inner.generation != self._generation:  # it began anew, with more room for contacts
                self._begin()
                continue
            if self._made % self._steps == 0:
                self._frames.append(self._fluid.position.copy())
                if progress is not None:
                    progress.advance()

    def _step(self, dt: float) -> None:
        at, velocity, mobility = self._carried(dt)
        given = self._fluid.step(dt, self._solid, at, velocity, mobility)
        dynamic = [self._bodies[i].kind == "dynamic" for i in self._moving]
        own = np.array([self._bodies[i].acc for i, d in zip(self._moving, dynamic, strict=True) if d])
        mass = np.array([self._bodies[i].mass for i, d in zip(self._moving, dynamic, strict=True) if d])
        if len(mass):
            self._inner.push(own + given[dynamic, :3] / (mass[:, None] * dt), given[dynamic, 3:])
        self._inner.advance_to((self._made + 1) * dt)
        self._carried(dt)
        self._fluid.move(dt, self._solid)
        self._made += 1

    def _carried(self, dt: float) -> tuple[F64, F64, F64]:
        """Puts the moving bodies where they are now: centres of mass, velocities after ``dt``, mobilities."""
        state = self._inner.state
        count = len(self._moving)
        at, velocity, mobility = np.zeros((count, 3)), np.zeros((count, 6)), np.zeros((count, 6, 6))
        step = round(self._inner.time * self._rate_hz)
        driven = drive(self._bodies, first=step, stop=step + 1, rate_hz=self._rate_hz)[0]
        d = k = 0
        for b, n in enumerate(self._moving):
            body = self._bodies[n]
            if body.kind == "dynamic":
                own, d = state[d], d + 1
            else:
                own, k = driven[k], k + 1
            at[b], velocity[b] = own[:3], own[7:13]
            axes = rotation_from_quaternion(own[3:7])
            if body.kind == "dynamic":
                velocity[b, :3] += dt * body.acc
                mobility[b, :3, :3] = np.eye(3) / body.mass
                mobility[b, 3:, 3:] = axes @ np.diag(1.0 / body.inertia) @ axes.T
            turn = multiply_quaternions(own[3:7], conjugate_quaternion(body.form.axes_wxyz))
            rotation = rotation_from_quaternion(turn)
            row = self._solid[n]
            _place(row, own[:3] - rotation @ np.array(body.form.center), rotation)
            row[VEL : VEL + 3], row[SPIN : SPIN + 3] = own[7:10], own[10:13]
        return at, velocity, mobility

    def trajectory(self) -> Trajectory:
        """What was simulated so far: substeps 0 … S, and the particles at its frames."""
        found = self._inner.trajectory()
        count = len(self._frames[0])
        track = ParticleTrack(
            fps=self._world.fps,
            position=np.stack(self._frames[: found.n_frames]),
            radius=np.full(count, self._fluid.radius),
            mass=np.full(count, self._fluid.mass),
        )
        return replace(found, particles=track)

    def frame_poses(self, n_frames: int) -> Poses:
        """Advances a fresh rollout to its last frame: position (T, N, 3), orientation_wxyz (T, N, 4)."""
        if self._made:
            raise FourDCBError("only a rollout that stands at t = 0 can be reduced to its frames")
        self.advance_to((n_frames - 1) / self._world.fps)
        found = self._inner.trajectory()
        steps = np.arange(n_frames) * found.substeps_per_frame
        self._engine.empty()
        return found.position[steps], found.orientation_wxyz[steps]


def _shape(row: F64, body: Body) -> None:
    """Writes shape and half extents. Raises UserError for a shape that a fluid cannot meet."""
    source = body.source
    if isinstance(source, Plane):
        row[SHAPE] = PLANE
        return
    if source.geometry not in _SHAPES:
        raise UserError(
            "a fluid cannot meet this shape", where=source.name, got=source.geometry,
            expected=", ".join(_SHAPES), hint="build it of boxes, or leave the fluid out",
        )  # fmt: skip
    row[SHAPE] = _SHAPES[source.geometry]
    row[HALF : HALF + 3] = 0.5 * np.array(source.size)


def _place(row: F64, position: F64, rotation: F64) -> None:
    row[POS : POS + 3] = position
    row[ROT : ROT + 9] = rotation.ravel()

"""Rollouts and renderers of the simulation process, kept between requests."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import SimulationDivergedError
from fourdcb.physics import Rollout, judging_rate, make_engine, preview_rate
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import is_kept
from fourdcb.trajectory import Trajectory
from fourdcb.world import Camera, Material, Object, World, with_value
from fourdcb_studio.session.messages import Rate

PREVIEW_SUPERSAMPLE = 1  # while a slider moves; half the time of a full picture
_KEPT_TRAJECTORIES = 8
_LEAST_TRAJECTORIES = 3  # reference, candidate, and the candidate before its edits
_MOTION_BYTES = 256 * 2**20
_KEPT_RENDERERS = 3
_KEPT_ALBUMS = 2
KEPT_BYTES = 128 * 2**20  # pictures of a clip that need more are made again whenever they are needed
_T = TypeVar("_T")
F64 = NDArray[np.float64]
Poses = tuple[F64, F64]
Depths = NDArray[np.float32]
Instances = NDArray[np.int16]
Normals = NDArray[np.float16]
_SLICE = 0.004  # [s] work between two looks at the pipe


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture and what simulating and drawing took [ms]."""

    image: NDArray[np.uint8]
    simulate_ms: float
    draw_ms: float


def finished(work: Generator[None, None, _T]) -> _T:
    """What work that is done in slices gives, all of them done at once."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: _T = end.value
            return result


@dataclass(slots=True)
class _Live:
    """The rollout that the engine holds now."""

    physics: World
    rate: Rate
    rollout: Rollout
    so_far: Trajectory | None = None  # as far as it was simulated when last asked


class Replays:
    """Simulates and draws worlds, doing again only what an edit changed.

    One Bullet client is kept; a new rollout resets it. A world that differs from a simulated one in looks
    only is not simulated again.
    """

    def __init__(self, settings: RenderSettings) -> None:
        self._settings = settings
        self._preview = replace(settings, supersample=PREVIEW_SUPERSAMPLE)
        self._engine = make_engine()
        self._live: _Live | None = None
        self._reduced: tuple[World, F64, F64] | None = None
        self._whole: OrderedDict[tuple[World, Rate], Trajectory] = OrderedDict()
        self._renderers: OrderedDict[tuple[World, RenderSettings], RasterRenderer] = OrderedDict()
        self._albums: OrderedDict[World, tuple[Trajectory, dict[int, NDArray[np.uint8]]]] = OrderedDict()

    @property
    def settings(self) -> RenderSettings:
        """How pictures are drawn."""
        return self._settings

    def set_preview(self, supersample: int) -> None:
        """Samples a pixel has a side while a slider moves."""
        self._preview = replace(self._settings, supersample=supersample)

    def close(self) -> None:
        """Give the Bullet client back."""
        self._engine.close()

    def draw(self, world: World, rate: Rate, frame: int) -> Drawn:
        """One frame; simulates no further than it needs.

        Raises:
            UserError: when the world cannot be simulated or drawn.
        """
        begun = time.perf_counter()
        if rate == "judging":
            trajectory = self._until(world, rate, frame)
            simulated = time.perf_counter()
            image = self.picture(world, trajectory, frame)
        else:
            poses = self._poses(world, frame)
            simulated = time.perf_counter()
            image = self._render(world, poses, frame, self._preview)
        drawn = time.perf_counter()
        return Drawn(image, 1e3 * (simulated - begun), 1e3 * (drawn - simulated))

    def rest(self) -> None:
        """Make room for the next preview while nobody waits."""
        if self._live is None:
            self._engine.empty()

    def picture(self, world: World, trajectory: Trajectory, frame: int) -> NDArray[np.uint8]:
        """One frame of a trajectory, sRGB, uint8, shape (H, W, 3).

        Pictures of the last whole rollouts are kept while they are small: the clip is drawn once, for screen
        and judge.
        """
        album = self._album(world, trajectory)
        known = album.get(frame) if album is not None else None
        if known is not None:
            return known
        image = self._render(world, trajectory, frame, self._settings)
        if album is not None:
            album[frame] = image
        return image

    def probe(self, world: World, trajectory: Trajectory, frame: int) -> tuple[Depths, Instances, Normals]:
        """Depth [m], index of the body, shapes (H, W), and normal (H, W, 3) under every pixel of a frame."""
        drawn = self._renderer(world, self._settings).render(trajectory, frame / world.fps)
        return drawn.depth, drawn.instance, drawn.normal.astype(np.float16)

    def keeps(self, world: World) -> bool:
        """Whether the pictures of a clip are small enough to be kept as a whole."""
        return is_kept(world, self._settings, KEPT_BYTES)

    def _album(self, world: World, trajectory: Trajectory) -> dict[int, NDArray[np.uint8]] | None:
        if not self.keeps(world) or not any(trajectory is whole for whole in self._whole.values()):
            return None
        found = self._albums.get(world)
        if found is None or found[0] is not trajectory:
            found = self._albums[world] = (trajectory, {})
            while len(self._albums) > _KEPT_ALBUMS:
                self._albums.popitem(last=False)
        self._albums.move_to_end(world)
        return found[1]

    def whole(self, world: World, rate: Rate) -> Generator[None, None, Trajectory]:
        """The whole rollout, returned at the end; yields every few milliseconds.

        Raises:
            UserError: when the world cannot be simulated.
        """
        physics = physics_part(world)
        known = self._known(physics, rate)
        if known is not None:
            return known
        frame = 0
        while frame < world.n_frames:
            live = self._running(physics, world, rate)
            until = time.perf_counter() + _SLICE
            while frame < world.n_frames and time.perf_counter() < until:
                frame += 1
                self._advance(live, frame / world.fps)
            yield
        trajectory = self._running(physics, world, rate).rollout.trajectory()
        self._keep(physics, rate, trajectory)
        return trajectory

    def distances(
        self, world: World, reference: World, path: str, values: tuple[float, ...]
    ) -> Generator[None, None, tuple[float, ...]]:
        """Root mean square distance of the moving objects from the reference [m], at each value.

        Objects are paired by name. NaN stands where the simulation fails. Yields after each rollout.
        """
        truth = yield from self.whole(reference, "judging")
        expected = truth.position[truth.frame_steps()]
        names = [b.name for b in world.bodies]
        moving = [o.name for o in world.objects if o.kind == "dynamic" and o.name in truth.names]
        own, other = [names.index(n) for n in moving], [truth.index(n) for n in moving]
        found = []
        for value in values:
            yield
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

    def _until(self, world: World, rate: Rate, frame: int) -> Trajectory:
        physics = physics_part(world)
        known = self._known(physics, rate)
        if known is not None:
            return known
        live, t = self._running(physics, world, rate), frame / world.fps
        if live.so_far is None or live.so_far.times[-1] < t - 0.5 / live.so_far.rate_hz:
            # The shutter stays open a little beyond the frame's own time; poses there are extrapolated.
            self._advance(live, t)
            live.so_far = live.rollout.trajectory()
        return live.so_far

    def _poses(self, world: World, frame: int) -> Poses:
        """Poses at one frame, at the preview rate; contacts are not read, which halves the time."""
        physics = physics_part(world)
        known = self._known(physics, "preview")
        if known is not None:
            return known.pose_at(frame / world.fps)
        if self._reduced is None or self._reduced[0] != physics or len(self._reduced[1]) <= frame:
            self._live = None
            rollout = self._engine.start(world, rate_hz=preview_rate(world.fps))
            self._reduced = (physics, *rollout.frame_poses(frame + 1))
        return self._reduced[1][frame], self._reduced[2][frame]

    def _known(self, physics: World, rate: Rate) -> Trajectory | None:
        """The whole rollout if there is one; the judging rate's will do for a preview."""
        rates: tuple[Rate, ...] = ("judging", "preview") if rate == "preview" else ("judging",)
        for candidate in rates:
            found = self._whole.get((physics, candidate))
            if found is not None:
                self._whole.move_to_end((physics, candidate))
                return found
        return None

    def _running(self, physics: World, world: World, rate: Rate) -> _Live:
        live = self._live
        if live is None or live.physics != physics or live.rate != rate:
            hz = judging_rate(world.fps) if rate == "judging" else preview_rate(world.fps)
            live = self._live = _Live(physics, rate, self._engine.start(world, rate_hz=hz))
        return live

    def _advance(self, live: _Live, t: float) -> None:
        try:
            live.rollout.advance_to(t)
        except SimulationDivergedError:
            self._live = None  # the engine has let go of it: asked again, it must diverge again
            raise

    def _keep(self, physics: World, rate: Rate, trajectory: Trajectory) -> None:
        self._whole[physics, rate] = trajectory
        while len(self._whole) > _KEPT_TRAJECTORIES or (
            len(self._whole) > _LEAST_TRAJECTORIES and sum(map(_size, self._whole.values())) > _MOTION_BYTES
        ):
            self._whole.popitem(last=False)

    def _render(
        self, world: World, motion: Trajectory | Poses, frame: int, settings: RenderSettings
    ) -> NDArray[np.uint8]:
        renderer = self._renderer(world, settings)
        return renderer.render(motion, frame / world.fps, aux=False).rgb

    def _renderer(self, world: World, settings: RenderSettings) -> RasterRenderer:
        """A renderer that knows these looks, so that what never moves is not drawn again."""
        name = (looks_part(world), settings)
        renderer = self._renderers.get(name)
        if renderer is None:
            renderer = self._renderers[name] = RasterRenderer(world, settings)
            while len(self._renderers) > _KEPT_RENDERERS:
                self._renderers.popitem(last=False)
        self._renderers.move_to_end(name)
        renderer.world = world  # it reads exposure and the lights' intensities from here at every frame
        return renderer


def _size(trajectory: Trajectory) -> int:
    """Memory of the states [bytes], without the contacts, which are fewer."""
    states = (trajectory.position, trajectory.orientation_wxyz, trajectory.linear_velocity)
    return sum(array.nbytes for array in states) + trajectory.angular_velocity.nbytes


def _root_mean_square(differences: F64) -> float:
    return float(np.sqrt(np.mean(np.sum(differences**2, axis=-1)))) if differences.size else 0.0


def physics_part(world: World) -> World:
    """The world without anything that only changes its looks: equal parts roll out equally."""
    return replace(
        world,
        objects=tuple(replace(o, material=_contact_part(o.material)) for o in world.objects),
        planes=tuple(replace(p, material=_contact_part(p.material)) for p in world.planes),
        lights=(),
        camera=Camera(),
        ambient=0.0,
        background=(0.0, 0.0, 0.0),
        exposure=1.0,
    )


def _contact_part(material: Material) -> Material:
    return Material(friction=material.friction, restitution=material.restitution, density=material.density)


def looks_part(world: World) -> World:
    """The part of a world that a renderer is built from: worlds with equal parts can share one.

    Motion is left out (poses come from the trajectory; only the kind of a body stays, because what never
    moves is drawn once), and so are intensities and exposure, which are factors on what was drawn.
    """
    return replace(
        world,
        objects=tuple(_object_looks(o) for o in world.objects),
        planes=tuple(replace(p, friction=None, restitution=None) for p in world.planes),
        lights=tuple(replace(light, intensity=1.0) for light in world.lights),
        exposure=1.0,
    )


def _object_looks(obj: Object) -> Object:
    return replace(
        obj,
        mass=None if obj.kind != "static" or obj.fixed else 0.0,
        friction=None,
        restitution=None,
        rolling_friction=0.0,
        pos=(0.0, 0.0, 0.0),
        rot=(1.0, 0.0, 0.0, 0.0),
        vel=(0.0, 0.0, 0.0),
        ang_vel=(0.0, 0.0, 0.0),
        acc=(0.0, 0.0, 0.0),
    )

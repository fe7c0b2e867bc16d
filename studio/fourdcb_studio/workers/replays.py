"""Rollouts and renderers of the simulation process, kept between requests."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics import BulletEngine, Rollout, judging_rate, preview_rate
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import Camera, Material, World
from fourdcb_studio.session.messages import Rate

_KEPT_TRAJECTORIES = 8
_KEPT_RENDERERS = 4
_KEPT_ALBUMS = 3
_SLICE = 0.004  # [s] work between two looks at the pipe


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture, the quality of its physics, and what both took [ms]."""

    image: NDArray[np.uint8]
    rate: Rate
    simulate_ms: float
    draw_ms: float


@dataclass(slots=True)
class _Live:
    """The rollout that the engine holds now."""

    physics: World
    rate: Rate
    rollout: Rollout


class Replays:
    """Simulates and draws worlds, doing again only what an edit changed.

    One Bullet client is kept; a new rollout resets it. A world that differs from a simulated one in looks
    only is not simulated again.
    """

    def __init__(self, settings: RenderSettings) -> None:
        self._settings = settings
        self._engine = BulletEngine()
        self._live: _Live | None = None
        self._whole: OrderedDict[tuple[World, Rate], Trajectory] = OrderedDict()
        self._renderers: OrderedDict[World, RasterRenderer] = OrderedDict()
        self._albums: OrderedDict[World, tuple[Trajectory, dict[int, NDArray[np.uint8]]]] = OrderedDict()

    @property
    def settings(self) -> RenderSettings:
        """How pictures are drawn."""
        return self._settings

    def close(self) -> None:
        """Give the Bullet client back."""
        self._engine.close()

    def draw(self, world: World, rate: Rate, frame: int) -> Drawn:
        """One frame; simulates no further than it needs.

        Raises:
            UserError: when the world cannot be simulated or drawn.
        """
        begun = time.perf_counter()
        trajectory, rate = self._until(world, rate, frame)
        simulated = time.perf_counter()
        image = self.picture(world, trajectory, frame)
        drawn = time.perf_counter()
        return Drawn(image, rate, 1e3 * (simulated - begun), 1e3 * (drawn - simulated))

    def picture(self, world: World, trajectory: Trajectory, frame: int) -> NDArray[np.uint8]:
        """One frame of a trajectory, sRGB, uint8, shape (H, W, 3).

        Pictures of the last whole rollouts are kept: the clip is drawn once, for screen and judge.
        """
        album = self._album(world, trajectory)
        known = album.get(frame) if album is not None else None
        if known is not None:
            return known
        image = self._renderer(world).render(trajectory, frame / world.fps, aux=False).rgb
        if album is not None:
            album[frame] = image
        return image

    def _album(self, world: World, trajectory: Trajectory) -> dict[int, NDArray[np.uint8]] | None:
        if not any(trajectory is whole for whole in self._whole.values()):
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
            return known[0]
        frame = 0
        while frame < world.n_frames:
            live = self._running(physics, world, rate)
            until = time.perf_counter() + _SLICE
            while frame < world.n_frames and time.perf_counter() < until:
                frame += 1
                live.rollout.advance_to(frame / world.fps)
            yield
        trajectory = self._running(physics, world, rate).rollout.trajectory()
        self._keep(physics, rate, trajectory)
        return trajectory

    def _until(self, world: World, rate: Rate, frame: int) -> tuple[Trajectory, Rate]:
        physics = physics_part(world)
        known = self._known(physics, rate)
        if known is not None:
            return known
        live = self._running(physics, world, rate)
        # The shutter stays open a little beyond the frame's own time; poses there are extrapolated.
        live.rollout.advance_to(frame / world.fps)
        return live.rollout.trajectory(), rate

    def _known(self, physics: World, rate: Rate) -> tuple[Trajectory, Rate] | None:
        rates: tuple[Rate, ...] = ("judging", "preview") if rate == "preview" else ("judging",)
        for candidate in rates:
            found = self._whole.get((physics, candidate))
            if found is not None:
                self._whole.move_to_end((physics, candidate))
                return found, candidate
        return None

    def _running(self, physics: World, world: World, rate: Rate) -> _Live:
        live = self._live
        if live is None or live.physics != physics or live.rate != rate:
            hz = judging_rate(world.fps) if rate == "judging" else preview_rate(world.fps)
            live = self._live = _Live(physics, rate, self._engine.start(world, rate_hz=hz))
        return live

    def _keep(self, physics: World, rate: Rate, trajectory: Trajectory) -> None:
        self._whole[physics, rate] = trajectory
        while len(self._whole) > _KEPT_TRAJECTORIES:
            self._whole.popitem(last=False)

    def _renderer(self, world: World) -> RasterRenderer:
        renderer = self._renderers.get(world)
        if renderer is None:
            renderer = self._renderers[world] = RasterRenderer(world, self._settings)
            while len(self._renderers) > _KEPT_RENDERERS:
                self._renderers.popitem(last=False)
        self._renderers.move_to_end(world)
        return renderer


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

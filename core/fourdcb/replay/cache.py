"""Replays kept between requests: an edit does again only what it changed."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import Poses
from fourdcb.physics import Engine, Rate, make_engine
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay.frames import DrawnFrames, FrameSequence
from fourdcb.replay.player import Replay, is_kept
from fourdcb.replay.rollouts import RolloutCache
from fourdcb.replay.steps import Steps
from fourdcb.trajectory import Trajectory
from fourdcb.world import World
from fourdcb.world.parts import WorldPart, part_of

PREVIEW_SUPERSAMPLE = 1  # while a slider moves; half the time of a full picture
KEPT_BYTES = 128 * 2**20  # pictures of a clip that need more are made again whenever they are needed
_KEPT_RENDERERS = 3
_KEPT_ALBUMS = 2
Depths = NDArray[np.float32]
Instances = NDArray[np.int16]
Normals = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture and what simulating and drawing took [ms]."""

    image: NDArray[np.uint8]
    simulate_ms: float
    draw_ms: float


class ReplayCache:
    """Simulates and draws worlds in one thread.

    Rollouts, renderers and small clips are kept by the part of the world that they depend on.

    Args:
        settings: how pictures are drawn.
        new_engine: makes the engine that plays the worlds, and others of its kind for other threads.
        kept_bytes: pictures of a clip that need more than this are made again whenever they are needed.
    """

    def __init__(
        self,
        settings: RenderSettings,
        *,
        new_engine: Callable[[], Engine] = make_engine,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self.settings, self.new_engine, self.kept_bytes = settings, new_engine, kept_bytes
        self.rollouts = RolloutCache(new_engine())
        self._preview = replace(settings, supersample=PREVIEW_SUPERSAMPLE)
        self._renderers: OrderedDict[tuple[WorldPart, RenderSettings], RasterRenderer] = OrderedDict()
        self._albums: OrderedDict[WorldPart, tuple[Trajectory, dict[int, NDArray[np.uint8]]]] = OrderedDict()

    def set_preview(self, supersample: int) -> None:
        """Samples a pixel has a side while a slider moves."""
        self._preview = replace(self.settings, supersample=supersample)

    def close(self) -> None:
        """Give the engine back."""
        self.rollouts.close()

    def draw(self, world: World, rate: Rate, frame: int) -> Drawn:
        """One frame; simulates no further than it needs.

        Raises:
            UserError: when the world cannot be simulated or drawn.
        """
        begun = time.perf_counter()
        if rate == "judging":
            trajectory = self.rollouts.until(world, rate, frame)
            simulated = time.perf_counter()
            image = self.picture(world, trajectory, frame)
        else:
            poses = self.rollouts.poses(world, frame)
            simulated = time.perf_counter()
            image = self._render(world, poses, frame, self._preview)
        drawn = time.perf_counter()
        return Drawn(image, 1e3 * (simulated - begun), 1e3 * (drawn - simulated))

    def whole(self, world: World, rate: Rate) -> Steps[Trajectory]:
        """The whole rollout. Raises UserError when the world cannot be simulated."""
        return self.rollouts.whole(world, rate)

    def replay(self, world: World, *, draw: bool) -> Steps[Replay]:
        """A world played back at the judging rate, with its pictures or without."""
        trajectory = yield from self.whole(world, "judging")
        frames = (yield from self.pictures(world, trajectory)) if draw else None
        return Replay(world=world, trajectory=trajectory, frames=frames, settings=self.settings)

    def pictures(self, world: World, trajectory: Trajectory) -> Steps[FrameSequence]:
        """All frames of a trajectory: drawn one a slice, or on demand where the clip is too long to keep."""
        if not self.keeps(world):
            return DrawnFrames(world, trajectory, self.settings)
        kept = np.empty((world.n_frames, world.camera.height, world.camera.width, 3), dtype=np.uint8)
        for k in range(len(kept)):
            kept[k] = self.picture(world, trajectory, k)
            yield None
        return kept

    def picture(self, world: World, trajectory: Trajectory, frame: int) -> NDArray[np.uint8]:
        """One frame of a trajectory, sRGB, uint8, shape (H, W, 3).

        Pictures of the last whole rollouts are kept while they are small: the clip is drawn once, for screen
        and judge.
        """
        album = self._album(world, trajectory)
        known = album.get(frame) if album is not None else None
        if known is not None:
            return known
        image = self._render(world, trajectory, frame, self.settings)
        if album is not None:
            album[frame] = image
        return image

    def probe(self, world: World, trajectory: Trajectory, frame: int) -> tuple[Depths, Instances, Normals]:
        """Depth [m], index of the body, shapes (H, W), and normal (H, W, 3) under every pixel of a frame."""
        drawn = self._renderer(world, self.settings).render(trajectory, frame / world.fps)
        return drawn.depth, drawn.instance, drawn.normal.astype(np.float16)

    def keeps(self, world: World) -> bool:
        """Whether the pictures of a clip are small enough to be kept as a whole."""
        return is_kept(world, self.settings, self.kept_bytes)

    def _album(self, world: World, trajectory: Trajectory) -> dict[int, NDArray[np.uint8]] | None:
        if not self.keeps(world) or not self.rollouts.holds(trajectory):
            return None
        name = part_of(world, "pictures", engine=self.rollouts.engine)
        found = self._albums.get(name)
        if found is None or found[0] is not trajectory:
            found = self._albums[name] = (trajectory, {})
            while len(self._albums) > _KEPT_ALBUMS:
                self._albums.popitem(last=False)
        self._albums.move_to_end(name)
        return found[1]

    def _render(
        self, world: World, motion: Trajectory | Poses, frame: int, settings: RenderSettings
    ) -> NDArray[np.uint8]:
        renderer = self._renderer(world, settings)
        return renderer.render(motion, frame / world.fps, aux=False).rgb

    def _renderer(self, world: World, settings: RenderSettings) -> RasterRenderer:
        """A renderer that knows these looks, so that what never moves is not drawn again."""
        name = (part_of(world, "looks"), settings)
        renderer = self._renderers.get(name)
        if renderer is None:
            renderer = self._renderers[name] = RasterRenderer(world, settings)
            while len(self._renderers) > _KEPT_RENDERERS:
                self._renderers.popitem(last=False)
        self._renderers.move_to_end(name)
        renderer.world = world  # it reads exposure and the lights' intensities from here at every frame
        return renderer

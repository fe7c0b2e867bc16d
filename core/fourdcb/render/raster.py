"""The default renderer: a deterministic CPU z-buffer with physically based shading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, Poses
from fourdcb.conventions import srgb_from_linear
from fourdcb.progress import NullProgress, Progress
from fourdcb.render._stage import image_plane, poses_at
from fourdcb.render.lens import pick, warp
from fourdcb.render.motion import blur_times
from fourdcb.render.presence import presences
from fourdcb.render.settings import Fragments, Frame, FrameBuffers, RenderSettings, no_buffers
from fourdcb.trajectory import Trajectory
from fourdcb.world import World
from fourdcb.world.lights import moves
from fourdcb.world.parts import part_of

if TYPE_CHECKING:
    from fourdcb.render._fluid import Surface
    from fourdcb.render._layers import Layers


class RasterRenderer:
    """Renders one world at many times. Not thread-safe; make one per thread.

    Everything that never moves is drawn once; a frame costs what moves in it.
    """

    def __init__(self, world: World, settings: RenderSettings | None = None) -> None:
        """Raises UserError for a degenerate camera and for missing meshes or textures."""
        from fourdcb.render._scene import compile_scene

        self.world = world
        self.settings = settings or RenderSettings()
        camera = self.settings.camera(world.camera)
        self.width, self.height = camera.width, camera.height
        self._plane = image_plane(camera)
        self._scene = compile_scene(world, area_samples=self.settings.area_samples)
        self._drawn = part_of(world, "looks")
        self._layers: dict[int, Layers] = {}
        self._mixed = [(p, RasterRenderer(p.world, self.settings)) for p in presences(world)]
        self._lights_move = any(moves(light) for light in world.lights)

    def for_world(self, world: World) -> RasterRenderer:
        """A renderer of another world: this one when only physics, light intensities or exposure differ.

        It then keeps what it has drawn, which makes a frame under a moving slider cheap.
        """
        if part_of(world, "looks") != self._drawn:
            return RasterRenderer(world, self.settings)
        self.world = world
        self._mixed = [
            (new, drawn.for_world(new.world))
            for new, (_, drawn) in zip(presences(world), self._mixed, strict=True)
        ]
        return self

    def render(self, trajectory: Trajectory | Poses, t: float, *, aux: bool = True) -> Frame:
        """The picture at time ``t`` [s].

        Args:
            trajectory: a trajectory of this world, or poses at ``t``: position (N, 3), orientation_wxyz
                (N, 4) in the order of ``world.bodies``; with poses nothing is blurred.
            aux: whether depth, normal, instance, albedo and shadow are wanted too.
        """
        from fourdcb.render._scene import light_intensities

        self._pour(trajectory, t)
        times = blur_times(self.world, trajectory, t, self.settings)
        poses = [poses_at(self.world, trajectory, time) for time in times]
        linear, rgb = self._ideal(poses, times, t)
        if self._plane.lens is not None:
            linear = warp(linear, self._plane.lens)
            rgb = np.round(255.0 * srgb_from_linear(linear * self.world.exposure)).astype(np.uint8)
        if not aux:
            return Frame(rgb, linear, *no_buffers())
        self._place_lights(t)
        scale = light_intensities(self.world, self._scene, t)
        return Frame(rgb, linear, *self._buffers(poses_at(self.world, trajectory, t), scale))

    def _ideal(
        self, poses: list[Poses], times: Sequence[float], t: float
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """(radiance, sRGB) of the undistorted picture, the mean over ``poses`` at ``times`` [s]."""
        from fourdcb.render._scene import light_intensities

        if self._mixed:
            pictures = [
                np.float32(part.weight) * drawn._ideal([part.poses(p) for p in poses], times, t)[0]
                for part, drawn in self._mixed
            ]
            linear = np.asarray(np.sum(pictures, axis=0), dtype=np.float32)
            return linear, np.round(255.0 * srgb_from_linear(linear * self.world.exposure)).astype(np.uint8)
        self._place_lights(t)
        scales = [light_intensities(self.world, self._scene, time) for time in times]
        return self._layers_at(self.settings.supersample).radiance(
            [self._with_fluids(p) for p in poses], scales, exposure=self.world.exposure
        )

    def fragments(self, trajectory: Trajectory | Poses, t: float) -> Fragments:
        """Faces, barycentrics and depth at the pixel centres of the ideal (undistorted) picture."""
        from fourdcb.render._buffers import fragments
        from fourdcb.render._scene import light_intensities

        self._pour(trajectory, t)
        self._place_lights(t)
        scale = light_intensities(self.world, self._scene, t)
        poses = self._with_fluids(poses_at(self.world, trajectory, t))
        return fragments(self._layers_at(1), poses, scale)

    def _pour(self, trajectory: Trajectory | Poses, t: float) -> None:
        """Make the surface of a fluid at the frame's own time, which no shutter blurs; none for poses."""
        if not self.world.fluids:
            return
        from fourdcb.render._fluid import surface_at

        track = trajectory.particles if isinstance(trajectory, Trajectory) else None
        self._take(None if track is None else surface_at(track, t))

    def _take(self, surface: Surface | None) -> None:
        from fourdcb.render._fluid import pour

        if self.world.fluids:
            body = len(self.world.bodies)
            pour(self._scene.mesh, body, surface)
            for layers in self._layers.values():
                layers.pour(body, surface)
        for _, drawn in self._mixed:
            drawn._take(surface)

    def _with_fluids(self, poses: Poses) -> Poses:
        """Poses with one row more for a fluid, whose surface is in the world already."""
        count = len(self.world.fluids)
        if not count:
            return poses
        still = np.zeros((count, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        return np.concatenate([poses[0], still[0]]), np.concatenate([poses[1], still[1]])

    def _place_lights(self, t: float) -> None:
        """Move the lights to where they stand at ``t`` [s]: for all samples of a blurred frame alike."""
        if not self._lights_move:
            return
        from fourdcb.render._scene import light_rows

        rows = light_rows(self.world, t, area_samples=self.settings.area_samples)
        if not np.array_equal(rows, self._scene.lights.rows):
            self._scene.lights.rows[:] = rows
            for layers in self._layers.values():
                layers.relit()

    def _layers_at(self, scale: int) -> Layers:
        from fourdcb.render._layers import Layers
        from fourdcb.render._scene import make_view

        if scale not in self._layers:
            plane = self._plane
            self._layers[scale] = Layers(
                self._scene,
                make_view(
                    self.world.camera, plane.intrinsics, width=plane.width, height=plane.height, scale=scale
                ),
                supersample=scale,
                shadow_size=self.settings.shadow_size if self.settings.shadows else 0,
                ambient=self.world.ambient,
                background=self.world.background,
            )
        return self._layers[scale]

    def _buffers(self, poses: Poses, scale: F64) -> FrameBuffers:
        from fourdcb.render._buffers import geometry_buffers

        buffers = geometry_buffers(self._layers_at(1), self._with_fluids(poses), scale)
        lens = self._plane.lens
        return buffers if lens is None else FrameBuffers._make(pick(image, lens) for image in buffers)


def render_frame(
    world: World, trajectory: Trajectory, t: float, settings: RenderSettings | None = None
) -> Frame:
    """One picture with all buffers; make a :class:`RasterRenderer` for many."""
    return RasterRenderer(world, settings).render(trajectory, t)


def render_clip(
    world: World,
    trajectory: Trajectory,
    settings: RenderSettings | None = None,
    *,
    progress: Progress | None = None,
) -> NDArray[np.uint8]:
    """All frames of a world's clip, uint8, shape (T, H, W, 3)."""
    renderer = RasterRenderer(world, settings)
    progress = progress or NullProgress()
    progress.start("render", world.n_frames)
    clip = np.empty((world.n_frames, renderer.height, renderer.width, 3), np.uint8)
    for frame, t in zip(clip, world.frame_times(), strict=True):
        frame[:] = renderer.render(trajectory, float(t), aux=False).rgb
        progress.advance()
    return clip

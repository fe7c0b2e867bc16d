"""The path-traced picture of a world at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.arrays import F32, Poses
from fourdcb.conventions import srgb_from_linear
from fourdcb.errors import UserError
from fourdcb.identity import array_hash, file_sha256, jsonable
from fourdcb.randomness import generator
from fourdcb.render._fluid import surface_at
from fourdcb.render._stage import image_plane, poses_at
from fourdcb.render.lens import warp
from fourdcb.render.motion import blur_times
from fourdcb.render.pathtrace.settings import PathSettings
from fourdcb.render.pathtrace.variant import load_mitsuba, usable_variant
from fourdcb.render.presence import presences
from fourdcb.render.raster import RasterRenderer
from fourdcb.render.settings import Frame, RenderSettings, no_buffers
from fourdcb.trajectory import Trajectory
from fourdcb.world import World
from fourdcb.world.material import MAPS

_PATHS_AT_ONCE = 2**22  # vectorised variants hold all paths of a picture in memory


class PathTracer:
    """Traces one world at many times. Mitsuba's variant is global: use one variant per process.

    It draws what the raster backend draws – same meshes, materials, lights, camera, lens – and adds what that
    leaves out: interreflection (unless ``direct_only``), the occlusion of the ambient term, and true soft
    shadows of area lights. The camera sees the world's background, never an emitter; an area light's square
    blocks the light of others. Depth, normal, instance, albedo and shadow of a frame come from the raster
    backend: they are geometry, and free of noise there.
    """

    def __init__(
        self, world: World, settings: PathSettings | None = None, image: RenderSettings | None = None
    ) -> None:
        """``image`` gives size, shutter and its samples; its other fields concern the raster buffers.

        Raises:
            UserError: when Mitsuba is missing, for a degenerate camera, and for missing meshes or textures.
        """
        from fourdcb.render._scene import compile_scene
        from fourdcb.render.pathtrace._geometry import BodyMeshes

        self.world = world
        self.settings = settings or PathSettings()
        self.image = image or RenderSettings()
        if not self.image.shadows:
            raise UserError("the path tracer cannot leave out shadows", hint="use the raster backend")
        camera = self.image.camera(world.camera)
        self.width, self.height = camera.width, camera.height
        self.variant = self.settings.variant or usable_variant()
        self._mi = load_mitsuba(self.variant)
        self._plane = image_plane(camera)
        self._meshes = BodyMeshes(self._mi, compile_scene(world), len(world.bodies))
        self._mixed = presences(world)
        self._raster: RasterRenderer | None = None

    def render(self, trajectory: Trajectory | Poses, t: float, *, aux: bool = True) -> Frame:
        """The picture at time ``t`` [s]; arguments as :meth:`RasterRenderer.render`.

        The random numbers depend on seed and time only, so frames can be made in any order.
        """
        if self.world.fluids:
            track = trajectory.particles if isinstance(trajectory, Trajectory) else None
            self._meshes.pour(None if track is None else surface_at(track, t))
        times = blur_times(self.world, trajectory, t, self.image, most=self.settings.spp)
        passes = self._passes(times)
        seeds = generator(self.settings.seed, f"pathtrace/{float(t)!r}").integers(2**31, size=len(passes))
        linear: F32 = np.zeros((self._plane.height, self._plane.width, 3), np.float32)
        for (time, spp), seed in zip(passes, seeds, strict=True):
            poses = poses_at(self.world, trajectory, time)
            picture = self._mixture(poses, time, spp=spp, seed=int(seed))
            linear += np.float32(spp / self.settings.spp) * picture
        if self._plane.lens is not None:
            linear = warp(linear, self._plane.lens)
        rgb = np.round(255.0 * srgb_from_linear(linear * self.world.exposure)).astype(np.uint8)
        if not aux:
            return Frame(rgb, linear, *no_buffers())
        if self._raster is None:
            sharp = replace(self.image, samples=1, supersample=1)
            self._raster = RasterRenderer(self.world, sharp)
        drawn = self._raster.render(trajectory, t)
        return Frame(rgb, linear, drawn.depth, drawn.normal, drawn.instance, drawn.albedo, drawn.shadow)

    def identity(self, trajectory: Trajectory) -> dict[str, Any]:
        """Everything that decides how the frames of a trajectory look, with a JSON form."""
        return {
            "backend": "pathtrace",
            "mitsuba": self._mi.__version__,
            "variant": self.variant,
            "world": jsonable(self.world),
            "files": _file_hashes(self.world),
            "poses": array_hash(trajectory.times, trajectory.position, trajectory.orientation_wxyz),
            "settings": jsonable(self.settings),
            "image": [self.width, self.height, self.image.samples, self.image.shutter],
        }

    def _passes(self, times: list[float]) -> list[tuple[float, int]]:
        """(time [s], paths per pixel) of the pictures whose weighted mean is the frame."""
        at_once = self.settings.spp
        if not self.variant.startswith("scalar"):
            at_once = max(1, _PATHS_AT_ONCE // (self._plane.width * self._plane.height))
        return [
            (time, spp)
            for time, share in zip(times, _shares(self.settings.spp, len(times)), strict=True)
            for spp in _shares(share, -(-share // at_once))
        ]

    def _mixture(self, poses: Poses, t: float, *, spp: int, seed: int) -> F32:
        """Radiance where bodies that let light through are there for their share of the paths."""
        if not self._mixed:
            return self._trace(self._meshes.at(poses), t, spp=spp, seed=seed)
        pictures = [
            np.float32(part.weight)
            * self._trace(
                self._meshes.at(poses, part.kept, fluid=bool(part.world.fluids)),
                t,
                spp=max(1, round(part.weight * spp)),
                seed=seed,
            )
            for part in self._mixed
        ]
        return np.sum(pictures, axis=0, dtype=np.float32)

    def _trace(self, shapes: Mapping[str, Any], t: float, *, spp: int, seed: int) -> F32:
        """Radiance of the ideal picture, sharp at ``t`` [s], shape (h, w, 3)."""
        from fourdcb.render.pathtrace._lights import emitters, sensor

        mi = self._mi
        scene: dict[str, Any] = {
            "type": "scene",
            "integrator": {"type": "path", "max_depth": self.settings.depth, "hide_emitters": True},
            "sensor": sensor(mi, self.world.camera, self._plane, spp=spp),
            **emitters(mi, self.world, t),
            **shapes,
        }
        picture: F32 = np.asarray(mi.render(mi.load_dict(scene), spp=spp, seed=seed), dtype=np.float32)
        background: F32 = np.asarray(self.world.background, dtype=np.float32)
        return picture[..., :3] + (np.float32(1.0) - picture[..., 3:]) * background


def _shares(total: int, n: int) -> list[int]:
    """``total`` as a sum of ``n`` nearly equal parts."""
    return [total // n + (k < total % n) for k in range(n)]


def _file_hashes(world: World) -> dict[str, str]:
    """SHA-256 of the meshes and textures that a world names."""
    names = {o.mesh for o in world.objects if o.mesh}
    for body in (*world.bodies, *world.fluids):
        names |= {file for name in MAPS if (file := getattr(body.material, name))}
    return {name: file_sha256(Path(world.base_dir) / name) for name in sorted(names)}

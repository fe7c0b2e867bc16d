"""One resolution of one scene: the static layer, the working buffers, and a frame's radiance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.render import _dynamic, _project, _rasterise, _resolve, _shadow, _static
from fourdcb.render._arrays import Buffers, StaticLayer, View
from fourdcb.render._scene import Scene, make_shadows
from fourdcb.render._threads import over_parts, over_rows

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Poses = tuple[F64, F64]
TILE = 16


class Layers:
    """Renders one scene at one resolution; keeps what does not move between frames.

    Not thread-safe: one instance belongs to one thread at a time.
    """

    def __init__(
        self,
        scene: Scene,
        view: View,
        *,
        supersample: int,
        shadow_size: int,
        ambient: float,
        background: tuple[float, float, float],
    ) -> None:
        self.scene, self.view = scene, view
        self._supersample = supersample
        self._tile = TILE * supersample
        self._shadow_size = shadow_size
        self._ambient = float(ambient)
        self._background = np.asarray(background, dtype=np.float64)
        self.casts_shadows = shadow_size > 0
        self.shadows = make_shadows(scene, size=max(shadow_size, 1))
        self.layer = _empty_layer(view, lights=len(scene.lights.kind), tile=self._tile)
        self.buffers = Buffers(self.layer.face.copy(), self.layer.inverse_depth.copy())
        shape = (view.height, view.width, 3)
        self._delta = np.zeros(shape, np.float32)
        self._base = np.zeros(shape, np.float32)
        self._base_scale: F64 | None = None
        self._static_poses: Poses | None = None
        self._table = _resolve.encoding_table()
        size = (view.height // supersample, view.width // supersample, 3)
        self._clean_linear = np.zeros(size, np.float32)
        self._clean_rgb = np.zeros(size, np.uint8)
        self._clean_exposure = -1.0

    def radiance(
        self, poses: list[Poses], scales: list[F64], *, exposure: float
    ) -> tuple[F32, NDArray[np.uint8]]:
        """(linear, rgb) of a frame averaged over poses; ``scales`` are the light intensities at each.

        Returns:
            fresh arrays: radiance float32 (H, W, 3), sRGB uint8 (H, W, 3).
        """
        self.prepare(poses[0])
        self._combine(np.mean(scales, axis=0), exposure)
        touched = np.zeros(self.layer.bounds.shape[:2], np.uint8)
        for pose, scale in zip(poses, scales, strict=True):
            touched |= self._add_sample(pose, scale)
        linear, rgb = self._clean_linear.copy(), self._clean_rgb.copy()
        over_parts(
            np.flatnonzero(touched).astype(np.int32),
            lambda tiles: _resolve.resolve_tiles(
                tiles, TILE, self._supersample, len(poses), exposure, self._table, self._base, self._delta,
                linear, rgb,
            ),
            least=16,
        )  # fmt: skip
        return linear, rgb

    def prepare(self, poses: Poses) -> None:
        """Make the static layer for the poses of the bodies that never move, unless it is there."""
        still = self.scene.still
        place = (poses[0][still], poses[1][still])
        if self._static_poses is not None and all(
            np.array_equal(a, b) for a, b in zip(place, self._static_poses, strict=True)
        ):
            return
        self._static_poses = place
        self._base_scale = None
        self._draw_static(poses)
        np.copyto(self.buffers.face, self.layer.face)
        np.copyto(self.buffers.inverse_depth, self.layer.inverse_depth)

    def draw(self, poses: Poses) -> NDArray[np.uint8]:
        """Rasterise the moving bodies over the static layer; returns the tiles that change."""
        dirty = np.empty(self.layer.bounds.shape[:2], np.uint8)
        _dynamic.draw_moving(
            self.scene.moving, poses[0], rotation_from_quaternion(poses[1]), self._shadow_size, self._tile,
            self.view, self.scene.geometry, self.scene.lights, self.shadows, self.layer, self.buffers, dirty,
        )  # fmt: skip
        return dirty

    def restore(self) -> None:
        """Undo :meth:`draw` without shading."""
        np.copyto(self.buffers.face, self.layer.face)
        np.copyto(self.buffers.inverse_depth, self.layer.inverse_depth)

    def _draw_static(self, poses: Poses) -> None:
        scene, view, layer = self.scene, self.view, self.layer
        rotations = rotation_from_quaternion(poses[1])
        layer.face[:] = -1
        layer.inverse_depth[:] = 0.0
        target = Buffers(layer.face, layer.inverse_depth)
        _project.place_bodies(scene.still, poses[0], rotations, view, scene.geometry)
        _rasterise.rasterise(scene.still, view, scene.geometry, target)
        still_casters = np.intersect1d(scene.casters, scene.still).astype(np.int32)
        if self._shadow_size:
            _shadow.shadow_maps(
                still_casters, self._shadow_size, view, scene.geometry, scene.lights, self.shadows
            )
        over_rows(
            view.height,
            lambda top, bottom: _static.shade_static(
                top, bottom, self.casts_shadows, still_casters, view, scene.geometry, scene.materials,
                scene.lights, self.shadows, self._ambient, self._background, layer,
            ),
        )  # fmt: skip
        _static.tile_bounds(self._tile, view, layer)

    def _combine(self, scale: F64, exposure: float) -> None:
        """Radiance of the static layer alone, kept until an intensity or the exposure changes."""
        same = self._base_scale is not None and np.array_equal(scale, self._base_scale)
        if same and exposure == self._clean_exposure:
            return
        self._base_scale, self._clean_exposure = scale.copy(), exposure
        over_rows(
            self.view.height,
            lambda top, bottom: _static.combine_static(top, bottom, scale, self.layer, self._base),
        )
        over_parts(
            np.arange(self.layer.bounds.shape[0] * self.layer.bounds.shape[1], dtype=np.int32),
            lambda tiles: _resolve.resolve_tiles(
                tiles, TILE, self._supersample, 1, exposure, self._table, self._base, self._delta,
                self._clean_linear, self._clean_rgb,
            ),
            least=16,
        )  # fmt: skip

    def _add_sample(self, poses: Poses, scale: F64) -> NDArray[np.uint8]:
        dirty = self.draw(poses)
        scene = self.scene
        over_parts(
            np.flatnonzero(dirty).astype(np.int32),
            lambda tiles: _dynamic.shade_tiles(
                tiles, self._tile, scale, self.casts_shadows, scene.is_moving, scene.casters, scene.moving,
                self.view, scene.geometry, scene.materials, scene.lights, self.shadows, self._ambient,
                self.layer, self.buffers, self._delta,
            ),
            least=4,
        )  # fmt: skip
        return dirty


def _empty_layer(view: View, *, lights: int, tile: int) -> StaticLayer:
    h, w = view.height, view.width
    return StaticLayer(
        face=np.full((h, w), -1, np.int32),
        inverse_depth=np.zeros((h, w), np.float32),
        ambient=np.zeros((h, w, 3), np.float32),
        direct=np.zeros((lights, h, w, 3), np.float32),
        visible=np.ones((lights, h, w), np.float32),
        bounds=np.zeros(((h + tile - 1) // tile, (w + tile - 1) // tile, 4)),
    )

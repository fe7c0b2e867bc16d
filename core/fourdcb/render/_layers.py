"""One resolution of one scene: the static layer, what moves over it, and a frame's radiance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.render._kernels import draw, resolve, shade
from fourdcb.render._kernels.arrays import Drawn, Layer, View
from fourdcb.render._scene import Scene, make_scratch, make_shadows
from fourdcb.render._threads import over_parts, over_rows

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
Poses = tuple[F64, F64]
TILE = 16  # output pixels


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
        """``view`` is at the internal resolution; ``shadow_size`` 0 is without shadows."""
        self.scene, self.view = scene, view
        self.width, self.height = view.width // supersample, view.height // supersample
        self._supersample, self.tile = supersample, TILE * supersample
        self._shadow_size = shadow_size
        self._ambient = float(ambient)
        lights, samples = len(scene.lights.kind), view.width * view.height
        self._shadows = make_shadows(scene, size=max(shadow_size, 1))
        self._scratch = make_scratch(scene.mesh)
        self.still, self.drawn = _empty_drawn(samples), _empty_drawn(samples)
        self.under, self.over = _empty_layer(samples, lights), _empty_layer(samples, lights)
        self.under.ambient[:] = np.asarray(background, dtype=np.float32)
        self._background = np.asarray(background, dtype=np.float32)
        self.n_tiles = n_tiles = -(-view.width // self.tile) * -(-view.height // self.tile)
        self._all_tiles = np.arange(n_tiles, dtype=np.int32)
        self._bounds = np.full((n_tiles, 4), -1.0)
        self._delta, self._base = np.zeros((samples, 3), np.float32), np.zeros((samples, 3), np.float32)
        self._clean_linear = np.zeros((self.height, self.width, 3), np.float32)
        self._clean_rgb = np.zeros((self.height, self.width, 3), np.uint8)
        self._clean_key: tuple[bytes, float] | None = None
        self._static_poses: Poses | None = None
        self._table = resolve.encoding_table()

    def radiance(
        self, poses: list[Poses], scales: list[F64], *, exposure: float
    ) -> tuple[F32, NDArray[np.uint8]]:
        """(linear, rgb) of a frame averaged over poses; ``scales`` are the light intensities at each.

        Returns:
            fresh arrays: radiance float32 (H, W, 3), sRGB uint8 (H, W, 3).
        """
        self._prepare(poses[0])
        self._combine_static(np.mean(scales, axis=0), exposure)
        touched = np.zeros(len(self._bounds), np.uint8)
        for pose, scale in zip(poses, scales, strict=True):
            tiles = self._draw(self.scene.moving, pose, self.drawn)
            self._shade_moving(tiles, scale)
            shade.restore_tiles(tiles, self.tile, self.view, self.still, self.drawn)
            touched[tiles] = 1
        linear, rgb = self._clean_linear.copy(), self._clean_rgb.copy()
        self._resolve(np.flatnonzero(touched).astype(np.int32), len(poses), exposure, linear, rgb)
        return linear, rgb

    def show(self, poses: Poses, scale: F64) -> I32:
        """Draw and shade one sharp sample into ``drawn`` and ``over``; returns the tiles that differ from
        the static layer. Undo it with :meth:`hide`.
        """
        self._prepare(poses)
        tiles = self._draw(self.scene.moving, poses, self.drawn)
        self._shade_moving(tiles, scale)
        self._delta.fill(0.0)
        return tiles

    def hide(self, tiles: I32) -> None:
        """Put the static layer back into ``tiles``."""
        shade.restore_tiles(tiles, self.tile, self.view, self.still, self.drawn)

    def _prepare(self, poses: Poses) -> None:
        """Make the static layer for the poses of the bodies that never move, unless it is there."""
        still = self.scene.still
        place = (poses[0][still], poses[1][still])
        before = self._static_poses
        if before is not None and np.array_equal(place[0], before[0]) and np.array_equal(place[1], before[1]):
            return
        self._static_poses, self._clean_key = place, None
        self.still.face.fill(-1)
        self.still.inverse_depth.fill(0.0)
        self.under.ambient[:] = self._background
        self.under.direct.fill(0.0)
        self.under.visible.fill(1.0)
        self._draw(still, poses, self.still)
        casters = np.intersect1d(self.scene.casters, still).astype(np.int32)
        self._shade(self._all_tiles, 0, casters, self.still, self.under)
        draw.tile_bounds(self.tile, self.view, self.still, self._bounds)
        np.copyto(self.drawn.face, self.still.face)
        np.copyto(self.drawn.inverse_depth, self.still.inverse_depth)

    def _draw(self, bodies: I32, poses: Poses, target: Drawn) -> I32:
        """Rasterise bodies and their shadow maps; returns the tiles that they change."""
        dirty = np.empty(len(self._bounds), np.uint8)
        scene = self.scene
        draw.draw_bodies(
            bodies, np.ascontiguousarray(poses[0]), rotation_from_quaternion(poses[1]), self._shadow_size,
            self.tile, self.view, scene.mesh, scene.lights, self._shadows, self._scratch, self._bounds,
            target, dirty,
        )  # fmt: skip
        return np.flatnonzero(dirty).astype(np.int32)

    def _shade(self, tiles: I32, moving: int, casters: I32, drawn: Drawn, out: Layer) -> None:
        scene = self.scene
        over_parts(
            tiles,
            lambda part: shade.shade_tiles(
                part, self.tile, moving, self._shadow_size > 0, casters, self.view, scene.mesh,
                scene.materials, scene.lights, self._shadows, self._ambient, drawn, out,
            ),
            least=4,
        )  # fmt: skip

    def _shade_moving(self, tiles: I32, scale: F64) -> None:
        scene, shadowed = self.scene, self._shadow_size > 0

        def work(part: I32) -> None:
            shade.shade_tiles(
                part, self.tile, 1, shadowed, scene.casters, self.view, scene.mesh, scene.materials,
                scene.lights, self._shadows, self._ambient, self.drawn, self.over,
            )  # fmt: skip
            shade.add_change(
                part, self.tile, scale, shadowed, scene.moving, self.view, scene.mesh, scene.lights,
                self._shadows, self.still, self.drawn, self.under, self.over, self._delta,
            )  # fmt: skip

        over_parts(tiles, work, least=4)

    def _combine_static(self, scale: F64, exposure: float) -> None:
        """The picture without moving bodies, kept until an intensity or the exposure changes."""
        key = (scale.tobytes(), exposure)
        if key == self._clean_key:
            return
        self._clean_key = key
        over_rows(
            self.view.height,
            lambda top, bottom: shade.combine(top, bottom, self.view.width, scale, self.under, self._base),
        )
        self._resolve(self._all_tiles, 1, exposure, self._clean_linear, self._clean_rgb)

    def _resolve(
        self, tiles: I32, samples: int, exposure: float, linear: F32, rgb: NDArray[np.uint8]
    ) -> None:
        over_parts(
            tiles,
            lambda part: resolve.resolve_tiles(
                part, TILE, self.width, self.height, self._supersample, samples, exposure, self._table,
                self._base, self._delta, linear, rgb,
            ),
            least=16,
        )  # fmt: skip


def _empty_drawn(samples: int) -> Drawn:
    return Drawn(np.full(samples, -1, np.int32), np.zeros(samples, np.float32))


def _empty_layer(samples: int, lights: int) -> Layer:
    return Layer(
        ambient=np.zeros((samples, 3), np.float32),
        direct=np.zeros((lights, samples, 3), np.float32),
        visible=np.ones((lights, samples), np.float32),
        normal=np.zeros((samples, 3), np.float32),
        albedo=np.zeros((samples, 3), np.float32),
    )

"""One resolution of one scene: the static layer, what moves over it, and a frame's radiance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fourdcb.arrays import F32, F64, I32, U8, Poses
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.render._fluid import Surface, pour
from fourdcb.render._kernels import draw, paint, resolve, shade
from fourdcb.render._kernels.arrays import Drawn, Layer, Scratch, View
from fourdcb.render._kernels.paint import CHANGE, DRAW, MAPS, PLACE, RASTER, RESTORE, SHADE
from fourdcb.render._scene import Scene, make_scratch
from fourdcb.render._threads import over_parts, over_rows, run, thread_count
from fourdcb.render._workers import Worker, empty_drawn, empty_layer, make_workers, share_static

TILE = 16  # output pixels
_FEW_FACES = 8000  # which are drawn sooner than a thread is told to
GROUPS = 4  # poses are summed in so many groups, whatever the number of threads: bytes must not depend on it


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
        self._background = np.asarray(background, dtype=np.float32)
        samples = self._samples = view.width * view.height
        self.n_tiles = -(-view.width // self.tile) * -(-view.height // self.tile)
        self._all_tiles = np.arange(self.n_tiles, dtype=np.int32)
        self._bounds = np.full((self.n_tiles, 4), -1.0)
        self.still, self.under = empty_drawn(samples), empty_layer(samples, len(scene.lights.kind))
        self._workers = self._hired(1)
        self._scratches = [make_scratch(scene.mesh) for _ in range(thread_count())]
        self._base = np.zeros((samples, 3), np.float32)
        self._delta = np.zeros((1, samples, 3), np.float32)
        self._clean_linear = np.zeros((self.height, self.width, 3), np.float32)
        self._clean_rgb = np.zeros((self.height, self.width, 3), np.uint8)
        self._clean_key: tuple[bytes, float] | None = None
        self._static_poses: Poses | None = None
        self._is_lit = False
        self._table = resolve.encoding_table()

    @property
    def drawn(self) -> Drawn:
        """The z-buffer of what is shown."""
        return self._workers[0].drawn

    @property
    def over(self) -> Layer:
        """The shaded samples of what is shown, where they differ from ``under``."""
        return self._workers[0].over

    def radiance(self, poses: list[Poses], scales: list[F64], *, exposure: float) -> tuple[F32, U8]:
        """(linear, rgb) of a frame averaged over poses; ``scales`` are the light intensities at each.

        Returns:
            fresh arrays: radiance float32 (H, W, 3), sRGB uint8 (H, W, 3).
        """
        if len(poses) > 1:
            self._expect_many()
        self._prepare(poses[0])
        self._combine_static(np.mean(scales, axis=0), exposure)
        positions = np.stack([position for position, _ in poses])
        rotations = rotation_from_quaternion(np.stack([orientation for _, orientation in poses]))
        if len(poses) == 1:
            self._paint_one(positions, rotations, np.stack(scales))
            touched = self._workers[0].dirty
        else:
            touched = self._paint_many(positions, rotations, np.stack(scales))
        linear, rgb = self._clean_linear.copy(), self._clean_rgb.copy()
        self._resolve(np.flatnonzero(touched).astype(np.int32), len(poses), exposure, linear, rgb)
        return linear, rgb

    def show(self, poses: Poses, scale: F64) -> I32:
        """Draw and shade one sharp sample into ``drawn`` and ``over``, where it stays until the next one;
        returns the tiles that differ from the static layer.
        """
        self._prepare(poses)
        self._paint_one(poses[0][None], rotation_from_quaternion(poses[1])[None], scale[None])
        self._delta.fill(0.0)
        return np.flatnonzero(self._workers[0].dirty).astype(np.int32)

    def pour(self, body: int, surface: Surface | None) -> None:
        """Give a fluid another surface; it has none with None."""
        for worker in self._workers:  # they share all but where their bounding spheres lie
            pour(worker.mesh, body, surface)

    def relit(self) -> None:
        """Lights have moved: what was static is shaded again."""
        self._is_lit = False

    def _hired(self, count: int) -> tuple[Worker, ...]:
        return make_workers(
            self.scene, count, samples=self._samples, tiles=self.n_tiles, shadow_size=self._shadow_size
        )

    def _expect_many(self) -> None:
        """Make room for several poses at a time; what was static is drawn again where that is new."""
        count = min(thread_count(), GROUPS)
        if len(self._workers) < count:
            self._workers = self._hired(count)
            self._static_poses = None
        if len(self._delta) < GROUPS:
            self._delta = np.zeros((GROUPS, self._samples, 3), np.float32)

    def _prepare(self, poses: Poses) -> None:
        """Make the static layer for the poses of the bodies that never move, unless it is there."""
        still = self.scene.still
        place = (poses[0][still], poses[1][still])
        before = self._static_poses
        if before is not None and np.array_equal(place[0], before[0]) and np.array_equal(place[1], before[1]):
            if (
                not self._is_lit
            ):  # the same samples show the same faces, and shading writes all that they hold
                self._is_lit, self._clean_key = True, None
                self._draw_static(poses, PLACE | MAPS)
                share_static(self._workers, still, self.still)
            return
        self._static_poses, self._clean_key, self._is_lit = place, None, True
        self.still.face.fill(-1)
        self.still.inverse_depth.fill(0.0)
        self.under.ambient[:] = self._background
        self.under.direct.fill(0.0)
        self.under.visible.fill(1.0)
        self._draw_static(poses, PLACE | RASTER | MAPS)
        draw.tile_bounds(self.tile, self.view, self.still, self._bounds)
        share_static(self._workers, still, self.still)

    def _draw_static(self, poses: Poses, steps: int) -> None:
        scene = self.scene
        casters = np.intersect1d(scene.casters, scene.still).astype(np.int32)
        worker = self._workers[0]._replace(drawn=self.still, over=self.under)
        positions, rotations = poses[0][None], rotation_from_quaternion(poses[1])[None]
        scales = np.zeros((1, len(scene.lights.kind)))

        def work(steps: int, part: int, parts: int) -> None:
            self._paint(
                steps, worker, positions, rotations, scales,
                part=part, parts=parts, moving=0, bodies=scene.still, casters=casters,
            )  # fmt: skip

        work(steps, 0, 1)
        worker.dirty.fill(1)
        _in_parts(lambda part, parts: work(SHADE, part, parts))

    def _paint_one(self, positions: F64, rotations: F64, scales: F64) -> None:
        """Draw, shade and add one pose with all threads; it stays in the z-buffer."""
        worker = self._workers[0]

        def work(steps: int, part: int = 0, parts: int = 1, scratch: Scratch | None = None) -> None:
            own = worker if scratch is None else worker._replace(scratch=scratch)
            self._paint(steps, own, positions, rotations, scales, part=part, parts=parts)

        if len(self.scene.mesh.faces) < _FEW_FACES:
            work(DRAW)
        else:
            work(RESTORE | PLACE)
            map_parts = max(1, thread_count() - 1)
            maps = [lambda i=i: work(MAPS, i, map_parts, self._scratches[i]) for i in range(map_parts)]
            run([lambda: work(RASTER), *maps])
        _in_parts(lambda part, parts: work(SHADE | CHANGE, part, parts))

    def _paint_many(self, positions: F64, rotations: F64, scales: F64) -> U8:
        """Draw, shade and add several poses, each thread some groups of them; returns the touched tiles."""
        groups = min(len(positions), GROUPS)
        for worker in self._workers:
            worker.touched.fill(0)

        def work(i: int) -> None:
            for group in range(i, groups, len(self._workers)):
                self._paint(
                    DRAW | SHADE | CHANGE, self._workers[i], positions, rotations, scales,
                    first=group, stride=groups,
                )  # fmt: skip

        run([lambda i=i: work(i) for i in range(min(groups, len(self._workers)))])  # type: ignore[misc]
        return np.bitwise_or.reduce([worker.touched for worker in self._workers])

    def _paint(
        self,
        steps: int,
        worker: Worker,
        positions: F64,
        rotations: F64,
        scales: F64,
        *,
        part: int = 0,
        parts: int = 1,
        first: int = 0,
        stride: int = 1,
        moving: int = 1,
        bodies: I32 | None = None,
        casters: I32 | None = None,
    ) -> None:
        scene = self.scene
        paint.paint(
            steps, part, parts, first, stride, moving, self._shadow_size, self.tile, self._ambient,
            scene.moving if bodies is None else bodies, scene.casters if casters is None else casters,
            positions, rotations, scales, self.view, scene.materials, scene.lights, self._bounds, self.still,
            self.under, worker.mesh, worker.shadows, worker.scratch, worker.drawn, worker.over, worker.dirty,
            worker.touched, self._delta,
        )  # fmt: skip

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
        self._resolve(self._all_tiles, 1, exposure, self._clean_linear, self._clean_rgb, whole=True)

    def _resolve(
        self, tiles: I32, samples: int, exposure: float, linear: F32, rgb: U8, *, whole: bool = False
    ) -> None:
        over_parts(
            tiles,
            lambda part: resolve.resolve_tiles(
                part, TILE, self.width, self.height, self._supersample, whole, samples, exposure,
                self._table, self._base, self._delta, linear, rgb,
            ),
            least=16,
        )  # fmt: skip


def _in_parts(work: Callable[[int, int], None]) -> None:
    """Call ``work(part, parts)`` with one part for every thread."""
    parts = thread_count()
    run([lambda i=i: work(i, parts) for i in range(parts)])  # type: ignore[misc]

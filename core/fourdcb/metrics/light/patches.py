"""Pictures of surfaces and of light compared where they differ most: a spot, a second shadow, a flash.

A median tells whether a body is too bright as a whole. What is wrong on a fifth of it, or for three frames,
is found here: in small pictures of the reference's stage, at the moments at which the light is most unlike
the reference's, the worst coherent patch counts. What stands a little aside, as a shadow's edge does while
the light's direction is within its limit, is no difference: a pixel is compared with its nearest look-alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64, Mask
from fourdcb.metrics.light.appearance import stand_ins, transfer_appearance
from fourdcb.metrics.light.lighting import incoming
from fourdcb.metrics.matching import Matching
from fourdcb.world import World

if TYPE_CHECKING:
    from fourdcb.replay import Replay

HEIGHT = 128  # [px] of the small pictures
_SPREAD = 3  # moments that are looked at anyhow
_WORST = 3  # moments at which the light is most unlike the reference's
_ASIDE = 4  # [px] how far aside a look-alike may stand
_PATCH = 5  # [px] side of a patch
_COVERED = 0.6  # share of a patch that must lie on the body
_FLOOR = 0.01
_LEAST_PIXELS = 12
_DIM = 0.35
_QUANTILE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Patches:
    """Differences of small pictures, by reference body [stops].

    Attributes:
        surface: the worst patch in the candidate's materials, under the reference's lights.
        most: the 90th percentile over the body's pixels of the same.
        light: the worst patch in the reference's materials, under the candidate's lights.
        surface_frame, light_frame: where those are worst.
    """

    surface: Mapping[str, float]
    most: Mapping[str, float]
    light: Mapping[str, float]
    surface_frame: Mapping[str, int]
    light_frame: Mapping[str, int]


def compare_patches(reference: Replay, candidate: World, matching: Matching) -> Patches:
    """Draw the reference's stage in the candidate's materials, and in its light, and compare."""
    truth = reference.world
    both = transfer_appearance(truth, candidate, matching)
    surfaces = replace(both, lights=truth.lights, ambient=truth.ambient, background=truth.background)
    lit = replace(truth, lights=both.lights, ambient=both.ambient)
    same_surfaces = (surfaces.objects, surfaces.planes) == (truth.objects, truth.planes)
    same_light = (lit.lights, lit.ambient) == (truth.lights, truth.ambient) and (
        candidate.duration == truth.duration
    )
    spread = _spread_frames(reference.trajectory.n_frames)
    worst = [] if same_light else worst_lit_frames(reference, candidate)
    partner = stand_ins(matching)
    judged = [name for name in (body.name for body in truth.bodies) if name in partner]
    drawn = _Drawn(reference)
    own = _compared(drawn, None if same_surfaces else surfaces, spread, judged)
    shone = _compared(drawn, None if same_light else lit, sorted({*spread, *worst}), list(drawn.names))
    if not same_light:
        for name, (value, frame) in light_at_objects(reference, candidate).items():
            if name in shone and value > shone[name].patch:
                shone[name] = replace(shone[name], patch=value, frame=frame)
    return Patches(
        surface={name: gap.patch for name, gap in own.items()},
        most={name: gap.most for name, gap in own.items()},
        light={name: gap.patch for name, gap in shone.items()},
        surface_frame={name: gap.frame for name, gap in own.items()},
        light_frame={name: gap.frame for name, gap in shone.items()},
    )


def worst_lit_frames(reference: Replay, candidate: World) -> list[int]:
    """Frames in which the two worlds' lights shine most unlike on surfaces of any slope, the worst first.

    Unlike a mean direction, the irradiance on surfaces of many slopes tells sets of lights apart.
    """
    t = reference.trajectory
    steps = t.frame_steps()
    times = t.times[steps]
    gap = np.zeros(len(times))
    normals = _slopes()
    for obj in reference.world.objects:
        points = t.position[steps, t.index(obj.name)]
        own, truth = (_irradiance(world, points, times, normals) for world in (candidate, reference.world))
        gap = np.maximum(gap, np.abs(np.log2((own + _FLOOR) / (truth + _FLOOR))).mean(axis=-1))
    return _apart(gap)


def light_at_objects(reference: Replay, candidate: World) -> dict[str, tuple[float, int]]:
    """By object: how unlike the two sets of lights shine on surfaces of any slope there [stops], and when.

    Unshadowed; slopes that get less than a third of the most light are no darker than that, so that a small
    turn of the light is a small difference.
    """
    t = reference.trajectory
    steps = t.frame_steps()
    found: dict[str, tuple[float, int]] = {}
    for obj in reference.world.objects:
        points = t.position[steps, t.index(obj.name)]
        own, truth = (
            _irradiance(world, points, t.times[steps], _slopes()) for world in (candidate, reference.world)
        )
        floor = _DIM * float(truth.max()) + 1e-9
        gap = np.abs(np.log2((own + floor) / (truth + floor))).max(axis=-1)
        found[obj.name] = (float(gap.max()), int(gap.argmax()))
    return found


def _apart(gap: F64) -> list[int]:
    """The frames with the largest values, no two of them neighbours."""
    chosen: list[int] = []
    for k in np.argsort(-gap, kind="stable"):
        if all(abs(int(k) - other) > 1 for other in chosen) and gap[k] > 0:
            chosen.append(int(k))
        if len(chosen) == _WORST:
            break
    return chosen


def _slopes() -> F64:
    """26 unit normals, evenly around, shape (26, 3)."""
    grid = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3)).reshape(3, -1).T
    grid = grid[np.any(grid != 0, axis=1)]
    return np.asarray(grid / np.linalg.norm(grid, axis=-1, keepdims=True))


def _irradiance(world: World, points: F64, times: F64, normals: F64) -> F64:
    """On surfaces at points over time, without shadows, shape (T, normals)."""
    total = np.full((len(points), len(normals)), world.ambient)
    for light in world.lights:
        total += np.maximum(incoming(light, points, times, world.duration) @ normals.T, 0.0)
    return total


def _spread_frames(n: int) -> list[int]:
    return sorted({int((k + 0.5) / _SPREAD * n) for k in range(_SPREAD)})


@dataclass(frozen=True, slots=True)
class _Gap:
    patch: float
    most: float
    frame: int


class _Drawn:
    """Small pictures of the reference's stage, the truth's kept."""

    def __init__(self, reference: Replay) -> None:
        self._reference = reference
        self._kept: dict[int, tuple[F64, np.ndarray]] = {}
        self._own = self._renderer(reference.world)
        self.names = tuple(body.name for body in reference.world.bodies)

    def truth(self, frame: int) -> tuple[F64, np.ndarray]:
        """Log2 of linear colour (H, W, 3), and which body is seen (H, W)."""
        if frame not in self._kept:
            self._kept[frame] = self._draw(self._own, frame)
        return self._kept[frame]

    def under(self, world: World, frames: list[int]) -> list[F64]:
        """Log2 of linear colour of another world on the same motion."""
        renderer = self._renderer(world)
        return [self._draw(renderer, frame)[0] for frame in frames]

    def _draw(self, renderer: object, frame: int) -> tuple[F64, np.ndarray]:
        t = self._reference.trajectory
        picture = renderer.render(t, frame / t.fps, aux=True)  # type: ignore[attr-defined]
        return np.log2(picture.linear.astype(np.float64) + _FLOOR), picture.instance

    def _renderer(self, world: World) -> object:
        from fourdcb.render import RasterRenderer, RenderSettings

        camera = world.camera
        width = max(8, round(camera.width * HEIGHT / camera.height))
        settings = RenderSettings(samples=1, supersample=1, width=width, height=HEIGHT)
        return RasterRenderer(world, settings)


def _compared(drawn: _Drawn, world: World | None, frames: list[int], names: list[str]) -> dict[str, _Gap]:
    """Worst gap by body over the frames; no difference where there is no other world."""
    others = [None] * len(frames) if world is None else drawn.under(world, frames)
    found: dict[str, _Gap] = {}
    for frame, other in zip(frames, others, strict=True):
        truth, instance = drawn.truth(frame)
        error = None if other is None else picture_gap(truth, other)
        for i, name in enumerate(drawn.names):
            mask = instance == i
            if name not in names or np.count_nonzero(mask) < _LEAST_PIXELS:
                continue
            gap = _Gap(0.0, 0.0, frame) if error is None else _gap(error, mask, frame)
            if name not in found or gap.patch > found[name].patch:
                found[name] = replace(gap, most=max(gap.most, found[name].most if name in found else 0.0))
            elif gap.most > found[name].most:
                found[name] = replace(found[name], most=gap.most)
    return found


def _gap(error: F64, mask: Mask, frame: int) -> _Gap:
    return _Gap(worst_patch(error, mask), float(np.quantile(error[mask], _QUANTILE)), frame)


def picture_gap(a: F64, b: F64, *, aside: int = _ASIDE) -> F64:
    """How unlike two pictures are at each pixel, look-alikes up to ``aside`` pixels away allowed, (H, W).

    Args:
        a, b: log2 of colours, shape (H, W, 3).
    """
    if np.array_equal(a, b):
        return np.zeros(a.shape[:2])
    return np.maximum(_unmatched(a, b, aside), _unmatched(b, a, aside))


def _unmatched(a: F64, b: F64, aside: int) -> F64:
    """Distance of each pixel of ``b`` from the most similar one of ``a`` around it, worst channel."""
    height, width = a.shape[:2]
    own, wanted = a.astype(np.float32), b.astype(np.float32)
    padded = np.pad(own, ((aside, aside), (aside, aside), (0, 0)), mode="edge")
    best = np.full((height, width), np.inf, dtype=np.float32)
    for dy in range(2 * aside + 1):
        for dx in range(2 * aside + 1):
            gap = np.abs(padded[dy : dy + height, dx : dx + width] - wanted).max(axis=-1)
            np.minimum(best, gap, out=best)
    return best.astype(np.float64)


def worst_patch(error: F64, mask: Mask, *, side: int = _PATCH) -> float:
    """Largest mean of an error over a square that lies mostly on a body; its mean where no square does."""
    from scipy.ndimage import uniform_filter

    share = uniform_filter(mask.astype(np.float64), side, mode="constant")
    total = uniform_filter(np.where(mask, error, 0.0), side, mode="constant")
    inside = (share >= _COVERED) & mask
    if not inside.any():
        return float(error[mask].mean())
    return float((total[inside] / share[inside]).max())

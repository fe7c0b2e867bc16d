"""What the camera sees of static bodies in the picture: how large, where, and which shows which.

Few rays tell how far surfaces lie apart; how large a small or thin body is seen only its outline tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from fourdcb.arrays import F64, I64, Mask
from fourdcb.world import Camera, Object, World, is_static
from fourdcb.world.parts import WorldPart, part_of

_HEIGHT = 512  # [px] of the pictures in which outlines are measured
_LEAST_SIDE = 10  # [px] of a body whose outline tells
_STEP = 0.5  # [px] that an outline may differ by rounding


@dataclass(frozen=True, slots=True, eq=False)
class StaticView:
    """Static bodies alone, as a camera sees them in their start poses.

    Attributes:
        body: index into the world's bodies, -1 for none, shape (H, W).
        depth: z in the camera frame [m], inf where nothing is hit, shape (H, W).
    """

    body: I64
    depth: F64


@dataclass(frozen=True, slots=True)
class SeenGap:
    """How one body is seen in two worlds.

    Attributes:
        size: largest relative difference of width and height in the picture.
        shift: of the middle of its outline, at its distance [m].
    """

    size: float
    shift: float


def static_view(world: World, camera: Camera, *, without: frozenset[str]) -> StaticView:
    """See :class:`StaticView`; bodies named in ``without`` are left out.

    Raises:
        UserError: when a mesh file is missing or unreadable.
    """
    objects = tuple(o for o in world.objects if is_static(o) and o.name not in without)
    planes = tuple(p for p in world.planes if p.name not in without)
    alone = replace(world, objects=objects, planes=planes, camera=camera, lights=())
    found = _drawn(alone, part_of(alone, "looks"))
    index = {body.name: i for i, body in enumerate(world.bodies)}
    own = np.array([*(index[body.name] for body in alone.bodies), -1], dtype=np.int64)
    return StaticView(own[found.body], found.depth)


@lru_cache(maxsize=16)
def _drawn(alone: World, _key: WorldPart) -> StaticView:
    from fourdcb.render import RasterRenderer, RenderSettings

    camera = alone.camera
    width = max(8, round(camera.width * _HEIGHT / camera.height))
    settings = RenderSettings(samples=1, supersample=1, shadows=False, width=width, height=_HEIGHT)
    poses = [
        (o.pos, o.rot) if isinstance(o, Object) else ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        for o in alone.bodies
    ]
    position = np.array([p for p, _ in poses], dtype=np.float64).reshape(-1, 3)
    orientation = np.array([q for _, q in poses], dtype=np.float64).reshape(-1, 4)
    picture = RasterRenderer(alone, settings).render((position, orientation), 0.0)
    return StaticView(picture.instance.astype(np.int64), picture.depth.astype(np.float64))


def seen_gaps(
    reference: World, views: tuple[StaticView, StaticView], groups: Mapping[str, list[int]]
) -> dict[str, SeenGap]:
    """Outlines of the reference's static objects compared with those of what stands for them.

    Planes have no outline of their own: they end where the picture does.

    Args:
        views: the reference's and the candidate's, from one camera.
        groups: by reference body the indices of the candidate's bodies that stand for it.
    """
    camera = reference.camera
    found: dict[str, SeenGap] = {}
    for i, body in enumerate(reference.bodies):
        if not isinstance(body, Object) or not groups.get(body.name):
            continue
        own, other = views[0].body == i, np.isin(views[1].body, groups[body.name])
        if not own.any() or not other.any():
            continue
        a, b = _box(own), _box(other)
        sides, others = a[1] - a[0], b[1] - b[0]
        if sides.max() < _LEAST_SIDE:
            continue
        off = np.maximum(np.abs(others - sides) - _STEP, 0.0) / np.maximum(sides, _LEAST_SIDE)
        shift = float(np.linalg.norm(np.maximum(np.abs(0.5 * (b - a).sum(axis=0)) - 0.5 * _STEP, 0.0)))
        scale = float(np.median(views[0].depth[own])) / (camera.intrinsics()[1, 1] * _HEIGHT / camera.height)
        found[body.name] = SeenGap(size=float(off.max()), shift=float(shift * scale))
    return found


def _box(mask: Mask) -> F64:
    """First and last row and column of a mask, ends beyond them, shape (2, 2)."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return np.array([[rows[0], columns[0]], [rows[-1] + 1, columns[-1] + 1]], dtype=np.float64)


def overlaps(views: tuple[StaticView, StaticView], *, least: int) -> Iterator[tuple[int, int, Mask]]:
    """Pairs of bodies seen at the same pixels, away from outlines: reference, candidate and where (H, W)."""
    own, other = views[0].body, views[1].body
    inner = ~(outline(own) | outline(other)) & (own >= 0) & (other >= 0)
    pairs, counts = np.unique(np.stack([own[inner], other[inner]]), axis=1, return_counts=True)
    for i, j in pairs[:, counts >= least].T:
        yield int(i), int(j), inner & (own == i) & (other == j)


def outline(ids: I64) -> Mask:
    """Samples with another body among their eight neighbours, shape (H, W)."""
    padded = np.pad(ids, 1, mode="edge")
    edge = np.zeros(ids.shape, dtype=bool)
    for dy in range(3):
        for dx in range(3):
            edge |= padded[dy : dy + ids.shape[0], dx : dx + ids.shape[1]] != ids
    return edge

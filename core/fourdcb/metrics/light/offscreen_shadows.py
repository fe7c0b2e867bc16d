"""Shadows of static bodies that the camera does not see, on the static surfaces that it sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.arrays import F64, I64
from fourdcb.metrics.geometry.raycast import Hits, cast, static_surfaces
from fourdcb.metrics.geometry.surface import StaticMatch, view_grid, view_rays
from fourdcb.metrics.light.lighting import incoming
from fourdcb.metrics.light.shadow import LIFT, REFERENCE_HEIGHT, OffscreenBody, ShadowLengths, strongest
from fourdcb.world import Camera, World, is_static
from fourdcb.world.camera import project

if TYPE_CHECKING:
    from fourdcb.replay import Replay

_MOMENTS = 5
_LEAST_SAMPLES = 4
_MOST = 0.5  # share of a shadow


def offscreen_shadows(reference: Replay, candidate: World, static: StaticMatch) -> dict[str, ShadowLengths]:
    """Lengths of shadows that one world's bodies out of view throw into the picture, the other's do not.

    Both worlds' bodies stand in the reference's strongest light, so that only the bodies differ. What lies
    in the shadow of something that is seen, or faces away from the light, cannot become darker.

    Returns:
        By name of the body, marked as out of view. The length is the diagonal of the box in the picture that
        holds what the other world does not shade; where most of the shadow is there in both, how far it
        reaches beyond the other's at most.
    """
    world = reference.world
    if not any(static.offscreen):
        return {}
    points, normals = _visible_points(world)
    sides = [
        static_surfaces(side, without=_names(side) - hidden)
        for side, hidden in zip((world, candidate), static.offscreen, strict=True)
    ]
    seen = static_surfaces(world, without=static.offscreen[0])
    t = reference.trajectory
    frames = np.unique(np.linspace(0, t.n_frames - 1, _MOMENTS).round().astype(np.int64))
    found: dict[tuple[str, bool], list[float]] = {}
    for k, frame in enumerate(frames):
        towards = _towards_light(world, points, float(frame) / t.fps)
        if towards is None:
            continue
        lit = np.sum(towards * normals, axis=-1) > 0
        start = points + LIFT * normals
        lit[lit] = ~np.isfinite(cast(seen, start[lit], towards[lit]).distance)
        start, towards, where = start[lit], towards[lit], points[lit]
        shade = [cast(surfaces, start, towards) for surfaces in sides]
        for side, (own, other) in enumerate((shade, shade[::-1])):
            for name, length in _lengths((world, candidate)[side], own, other, where, world.camera):
                found.setdefault((name, side == 1), [0.0] * len(frames))[k] = length
    entries = {}
    for (name, invented), lengths in found.items():
        # Two bodies may have one name, of which neither stands for the other.
        both = not invented and (name, True) in found
        body = OffscreenBody(name, "unseen, of the reference" if both else "unseen")
        entries[f"{name} ({body.mark})"] = _entry(frames, invented, np.array(lengths), body)
    return entries


def _entry(frames: I64, invented: bool, lengths: F64, body: OffscreenBody) -> ShadowLengths:
    nothing = np.zeros_like(lengths)
    pair = (nothing, lengths) if invented else (lengths, nothing)
    return ShadowLengths(frames=frames, reference=pair[0], candidate=pair[1], offscreen=body)


def _names(world: World) -> frozenset[str]:
    return frozenset(body.name for body in world.bodies if is_static(body))


def _visible_points(world: World) -> tuple[F64, F64]:
    """What the camera sees of the static surfaces, with normals facing it, shapes (P, 3)."""
    origins, rays = view_rays(world.camera, view_grid(world.camera))
    hits = cast(static_surfaces(world), origins, rays)
    on = np.isfinite(hits.distance)
    return origins[on] + hits.distance[on, None] * rays[on], hits.normal[on]


def _towards_light(world: World, points: F64, time: float) -> F64 | None:
    """Unit directions from points to the light that is strongest in their middle, None in the dark."""
    light = strongest(world, points.mean(axis=0), time) if len(points) else None
    if light is None:
        return None
    towards = incoming(world.lights[light], points, np.full(len(points), time), world.duration)
    return towards / np.maximum(np.linalg.norm(towards, axis=-1, keepdims=True), 1e-30)


def _lengths(
    world: World, own: Hits, other: Hits, points: F64, camera: Camera
) -> Iterator[tuple[str, float]]:
    """Bodies whose shadows the other world lacks, with lengths [px at 256 px picture height].

    Where most of a shadow is there in both worlds, only how far it reaches beyond the other counts.
    """
    places, shaded = project(camera, points), np.isfinite(other.distance)
    for i in np.unique(own.body[np.isfinite(own.distance) & ~shaded]):
        mine = own.body == i
        pixels = places[mine & ~shaded]
        if len(pixels) < _LEAST_SAMPLES:
            continue
        length = float(np.linalg.norm(np.ptp(pixels, axis=0)))
        if len(pixels) < _MOST * np.count_nonzero(mine):
            length = min(length, _reach(pixels, places[shaded]))
        yield world.bodies[i].name, length * REFERENCE_HEIGHT / camera.height


def _reach(pixels: F64, others: F64) -> float:
    """Largest distance of some pixels from the nearest of others [px]."""
    from scipy.spatial import cKDTree

    return float(cKDTree(others).query(pixels)[0].max())

"""Static bodies are judged by what the camera sees of them, not by their hidden extent."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from fourdcb.arrays import F64, I64, Mask
from fourdcb.metrics.geometry.raycast import Hits, cast, static_surfaces
from fourdcb.metrics.geometry.seen import (
    SeenGap,
    StaticView,
    outline,
    overlaps,
    seen_gaps,
    static_view,
)
from fourdcb.world import Camera, Material, World, is_static
from fourdcb.world.camera import grid_rays

_GRID = 96
_QUANTILE = 0.95
_MIN_SAMPLES = 12
_MIN_PIXELS = 70  # of a part, in a picture of 512 px height
_FEW_SAMPLES = 4  # of a body that the other world lacks altogether
_SAME_SURFACE = 0.1
_ROUNDING = 1e-9
CAP = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Where a candidate's body shows the surface of a reference's for which another one stands.

    Attributes:
        reference, candidate: the bodies' names.
        where: on the grid of view rays, shape (rows, columns).
    """

    reference: str
    candidate: str
    where: Mask


@dataclass(frozen=True, slots=True)
class StaticMatch:
    """Visible static surfaces of two worlds compared.

    Attributes:
        errors: surface distance [m] by reference body, see :func:`match_static`.
        extra: the same by candidate body: where the reference shows nothing static, and all that is seen
            of bodies that stand for nothing.
        counterpart: candidate body name → the reference body whose surface it stands for.
        stand_in: reference body name → the candidate body that shows most of its surface.
        parts: the other candidate bodies that show a part of it.
        seen: outlines in the picture compared, by reference object; empty where the static bodies are equal.
        offscreen: static bodies that the camera does not see, of the reference and of the candidate.
    """

    errors: Mapping[str, float]
    extra: Mapping[str, float]
    counterpart: Mapping[str, str]
    stand_in: Mapping[str, str]
    parts: tuple[Part, ...] = ()
    seen: Mapping[str, SeenGap] = field(default_factory=dict)
    offscreen: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())

    def distances(self) -> dict[str, float]:
        """How far each reference body is from its place, by surface or outline [m]."""
        aside = {name: gap.shift for name, gap in self.seen.items()}
        return {k: max(self.errors.get(k, 0.0), aside.get(k, 0.0)) for k in {**self.errors, **aside}}


def match_static(
    reference: World, candidate: World, *, judged: tuple[Collection[str], Collection[str]] = ((), ())
) -> StaticMatch:
    """Compare the static surfaces that the reference's camera sees, without the moving objects.

    ``judged`` names bodies of the reference and of the candidate that are compared by their own poses (a
    static body that stands for one that rests): they are left out.

    A sample's error is the gap between the two surfaces along its view ray, measured along the reference
    surface's normal [m] and at most :data:`CAP`. A body's error is the 95th percentile over the samples that
    see it, in the reference or in the candidate, whichever is larger: it may neither end too soon nor reach
    too far. Samples beside an outline do not count, unless the body is so thin that it has no others, or the
    other world has nothing like it.
    """
    camera = reference.camera
    shape = view_grid(camera)
    origins, rays = view_rays(camera, shape)
    ref = cast(static_surfaces(reference, without=judged[0]), origins, rays)
    same = _same_statics(reference, candidate, judged)
    cand = ref if same else cast(static_surfaces(candidate, without=judged[1]), origins, rays)
    gaps = _gaps(ref, cand, rays)
    inner = ~(outline(ref.body.reshape(shape)) | outline(cand.body.reshape(shape))).ravel()
    votes = _votes(reference, candidate, ref, cand)
    stand_in = _most_voted(reference, candidate, votes)
    idle = np.array([body.name not in stand_in.values() for body in candidate.bodies] + [False])
    unexpected = np.where((ref.body < 0) | idle[cand.body], cand.body, -1)
    counterpart = _most_voted(candidate, reference, votes.T)
    errors = _per_body(reference, ref.body, gaps, inner)
    errors |= _small(reference, np.where(_has(reference, stand_in)[ref.body], -1, ref.body), gaps, errors)
    beyond = _per_body(reference, _as_reference(reference, candidate, counterpart)[cand.body], gaps, inner)
    extra = _per_body(candidate, unexpected, gaps, inner)
    extra |= _small(candidate, unexpected, gaps, extra)
    errors = {name: max(error, beyond.get(name, 0.0)) for name, error in errors.items()}
    views = None if same else _views(reference, candidate, judged)
    seen = {} if views is None else seen_gaps(reference, views, _groups(reference, candidate, counterpart))
    return StaticMatch(
        errors=errors,
        seen=seen,
        extra={k: v for k, v in extra.items() if v > _ROUNDING},
        counterpart=counterpart,
        stand_in=stand_in,
        parts=() if views is None else _parts(reference, candidate, views, stand_in, counterpart),
        offscreen=(_offscreen(reference, ref, judged[0]), _offscreen(candidate, cand, judged[1])),
    )


def view_grid(camera: Camera) -> tuple[int, int]:
    """Rows and columns of the view rays that are looked along."""
    longest = max(camera.width, camera.height)
    return max(8, round(_GRID * camera.height / longest)), max(8, round(_GRID * camera.width / longest))


def view_rays(camera: Camera, shape: tuple[int, int]) -> tuple[F64, F64]:
    """Origins and directions of the view rays of a grid (rows, columns), shapes (R, 3)."""
    rays = grid_rays(camera, columns=shape[1], rows=shape[0])
    return np.broadcast_to(np.asarray(camera.pos, dtype=np.float64), rays.shape), rays


def _has(world: World, names: Collection[str]) -> Mask:
    """Which of a world's bodies are among ``names``; False at the end, for no body."""
    return np.array([*(body.name in names for body in world.bodies), False])


def _small(world: World, ids: I64, gaps: F64, known: Collection[str]) -> dict[str, float]:
    """Errors of bodies with few samples that stand for nothing: nothing excuses their outlines."""
    found = {}
    for i, body in enumerate(world.bodies):
        own = ids == i
        if body.name not in known and np.count_nonzero(own) >= _FEW_SAMPLES:
            found[body.name] = float(np.median(gaps[own]))
    return found


def _parts(
    reference: World,
    candidate: World,
    views: tuple[StaticView, StaticView],
    stand_in: Mapping[str, str],
    counterpart: Mapping[str, str],
) -> tuple[Part, ...]:
    """Parts large enough to be looked at, away from outlines, on surfaces that lie close to each other."""
    found = []
    for i, j, where in overlaps(views, least=_MIN_PIXELS):
        a, b = reference.bodies[i].name, candidate.bodies[j].name
        gap = np.abs(views[0].depth[where] - views[1].depth[where])
        if counterpart.get(b) == a and stand_in.get(a) != b and float(np.median(gap)) < _SAME_SURFACE:
            found.append(Part(a, b, where))
    return tuple(found)


def _same_statics(
    reference: World, candidate: World, judged: tuple[Collection[str], Collection[str]]
) -> bool:
    """Whether both worlds have the same static shapes of the same names at the same places."""
    sides = [
        [
            (i, replace(body, material=Material()))
            for i, body in enumerate(world.bodies)
            if is_static(body) and body.name not in without
        ]
        for world, without in zip((reference, candidate), judged, strict=True)
    ]
    return sides[0] == sides[1] and reference.base_dir == candidate.base_dir


def _views(
    reference: World, candidate: World, judged: tuple[Collection[str], Collection[str]]
) -> tuple[StaticView, StaticView]:
    camera = reference.camera
    own, other = (
        static_view(world, camera, without=frozenset(without))
        for world, without in zip((reference, candidate), judged, strict=True)
    )
    return own, other


def _groups(reference: World, candidate: World, counterpart: Mapping[str, str]) -> dict[str, list[int]]:
    """By reference body the candidate's bodies that stand for it alone."""
    found: dict[str, list[int]] = {}
    for j, body in enumerate(candidate.bodies):
        if body.name in counterpart:
            found.setdefault(counterpart[body.name], []).append(j)
    return found


def _offscreen(world: World, hits: Hits, judged: Collection[str]) -> frozenset[str]:
    seen = {world.bodies[i].name for i in np.unique(hits.body[hits.body >= 0])}
    return frozenset(b.name for b in world.bodies if is_static(b)) - seen - frozenset(judged)


def _as_reference(reference: World, candidate: World, counterpart: Mapping[str, str]) -> I64:
    """For each candidate body the index of the reference body it stands for, -1 for none and at the end."""
    index = {body.name: i for i, body in enumerate(reference.bodies)}
    return np.array([index.get(counterpart.get(body.name, ""), -1) for body in candidate.bodies] + [-1])


def _gaps(ref: Hits, cand: Hits, rays: F64) -> F64:
    slope = np.where(ref.body >= 0, np.abs(np.sum(ref.normal * rays, axis=-1)), 1.0)
    neither = (ref.body < 0) & (cand.body < 0)
    one = (ref.body < 0) ^ (cand.body < 0)
    both = ~(neither | one)
    gaps = np.where(one, CAP, 0.0)
    gaps[both] = np.abs(cand.distance[both] - ref.distance[both]) * slope[both]
    return np.minimum(gaps, CAP)


def _per_body(world: World, ids: I64, gaps: F64, inner: Mask) -> dict[str, float]:
    errors: dict[str, float] = {}
    for i, body in enumerate(world.bodies):
        own = ids == i
        if np.count_nonzero(own) < _MIN_SAMPLES:
            continue
        if np.count_nonzero(own & inner) >= _MIN_SAMPLES:
            errors[body.name] = float(np.quantile(gaps[own & inner], _QUANTILE))
        elif np.count_nonzero(own) >= 2 * _MIN_SAMPLES:
            errors[body.name] = float(np.median(gaps[own]))
    return errors


def _votes(reference: World, candidate: World, ref: Hits, cand: Hits) -> I64:
    """Samples in which two bodies show the same surface, shape (reference bodies, candidate bodies)."""
    votes = np.zeros((len(reference.bodies), len(candidate.bodies)), dtype=np.int64)
    both = np.flatnonzero((ref.body >= 0) & (cand.body >= 0))
    close = both[np.abs(ref.distance[both] - cand.distance[both]) < _SAME_SURFACE]
    np.add.at(votes, (ref.body[close], cand.body[close]), 1)
    return votes


def _most_voted(these: World, others: World, votes: I64) -> dict[str, str]:
    """Many to one: the hidden extent of a static body is free, so several may share a counterpart."""
    names = [body.name for body in others.bodies]
    return {
        body.name: names[int(np.argmax(row))]
        for body, row in zip(these.bodies, votes, strict=True)
        if row.size and row.max() > 0
    }

"""Which candidate object stands for which reference object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import normalized, rotation_angle_deg
from fourdcb.metrics.assignment import cheapest_assignment
from fourdcb.metrics.geometry.shape import extents
from fourdcb.metrics.geometry.surface import StaticMatch, match_static
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, Plane, World, is_static

_SHAPE_WEIGHT = 0.3
_SIZE_WEIGHT = 0.3
_NAME_BONUS = 1e-9
_REST_DISTANCE = 0.005
_REST_ANGLE_DEG = 1.0
_SAME_NORMAL = 0.99
_SAME_OFFSET = 0.1


@dataclass(frozen=True, slots=True)
class Match:
    """One reference object and the candidate object that stands for it.

    ``same_kind`` is False when one is simulated and the other keyframed or fixed; a body that rests all
    the time may be static on either side.
    """

    reference: str
    candidate: str
    same_kind: bool


@dataclass(frozen=True, slots=True)
class Matching:
    """All correspondences between two worlds.

    Attributes:
        pairs: matched objects (at least one of the two is not static), in reference order.
        missing: reference objects without a counterpart; extra: candidate objects without one.
        static: the static surfaces compared.
        counterpart: candidate body → reference body, moving and static ones together.
    """

    pairs: tuple[Match, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    static: StaticMatch
    counterpart: Mapping[str, str]


def match(reference: World, candidate: World, truth: Trajectory, guess: Trajectory) -> Matching:
    """Hungarian assignment on trajectory, shape and size; names break exact ties only.

    Args:
        truth, guess: trajectories of ``reference`` and ``candidate``, of equal fps.
    """
    ref_moving = [o for o in reference.objects if o.kind != "static"]
    cand_moving = [o for o in candidate.objects if o.kind != "static"]
    sides = _Sides(reference, candidate, truth, guess)
    pairs = sides.assign(ref_moving, cand_moving, gated=False)
    left_ref = [o for o in ref_moving if o.name not in pairs]
    left_cand = [o for o in cand_moving if o.name not in pairs.values()]
    pairs |= sides.assign(left_ref, [o for o in candidate.objects if o.kind == "static"], gated=True)
    pairs |= sides.assign([o for o in reference.objects if o.kind == "static"], left_cand, gated=True)
    static = match_static(reference, candidate, judged=(pairs.keys(), pairs.values()))
    order = {o.name: i for i, o in enumerate(reference.objects)}
    matches = [
        Match(r, c, sides.same_kind(r, c)) for r, c in sorted(pairs.items(), key=lambda p: order[p[0]])
    ]
    taken = set(pairs.values())
    return Matching(
        pairs=tuple(matches),
        missing=tuple(o.name for o in ref_moving if o.name not in pairs),
        extra=tuple(o.name for o in cand_moving if o.name not in taken),
        static=static,
        counterpart=_counterparts(reference, candidate, pairs, static),
    )


def _counterparts(
    reference: World, candidate: World, pairs: Mapping[str, str], static: StaticMatch
) -> dict[str, str]:
    """Static bodies that show no common surface are paired by place, names deciding between several."""
    found = dict(static.counterpart) | {c: r for r, c in pairs.items()}
    free = {b.name: b for b in _static_bodies(reference) if b.name not in (*static.stand_in, *pairs)}
    for body in sorted(_static_bodies(candidate), key=lambda b: b.name not in free):
        if body.name in found:
            continue
        near = [r for r in free.values() if r.name == body.name or _same_place(r, body, reference)]
        if near:
            partner = min(near, key=lambda r: r.name != body.name)
            found[body.name] = partner.name
            del free[partner.name]
    return found


def _static_bodies(world: World) -> list[Object | Plane]:
    return [body for body in world.bodies if is_static(body)]


def _same_place(a: Object | Plane, b: Object | Plane, world: World) -> bool:
    """Whether two planes nearly coincide, or two objects' centres lie within half of the first's diagonal."""
    if isinstance(a, Plane) and isinstance(b, Plane):
        along = float(np.dot(normalized(a.normal), normalized(b.normal)))
        return along > _SAME_NORMAL and abs(a.offset - b.offset) < _SAME_OFFSET
    if isinstance(a, Object) and isinstance(b, Object):
        return float(np.linalg.norm(np.subtract(a.pos, b.pos))) < 0.5 * float(
            np.linalg.norm(extents(a, world))
        )
    return False


@dataclass(frozen=True, slots=True)
class _Sides:
    reference: World
    candidate: World
    truth: Trajectory
    guess: Trajectory

    def assign(self, refs: list[Object], cands: list[Object], *, gated: bool) -> dict[str, str]:
        """Cheapest one-to-one assignment; ``gated`` leaves out pairs that are not near each other."""
        if not refs or not cands:
            return {}
        cost = np.array([[self._cost(r, c) for c in cands] for r in refs])
        return {
            refs[i].name: cands[j].name
            for i, j in cheapest_assignment(cost)
            if not gated or self._near(refs[i], cands[j])
        }

    def same_kind(self, ref: str, cand: str) -> bool:
        """Whether both are simulated alike, or neither ever moves."""
        a, b = self.reference.object(ref).kind, self.candidate.object(cand).kind
        if a == b:
            return True
        rests = _rests(self.truth, ref) and _rests(self.guess, cand)
        return rests and "static" in (a, b)

    def _cost(self, ref: Object, cand: Object) -> float:
        a, b = _path(self.truth, ref.name), _path(self.guess, cand.name)
        frames = min(len(a), len(b))
        size_a, size_b = extents(ref, self.reference), extents(cand, self.candidate)
        diagonal = float(np.linalg.norm(size_a))
        gap = np.linalg.norm(a[:frames] - b[:frames], axis=-1)
        size = float(np.mean(np.abs(np.log(np.sort(size_b) / np.sort(size_a)))))
        cost = float(np.mean(gap / (gap + diagonal))) + _SIZE_WEIGHT * size / (1.0 + size)
        cost += _SHAPE_WEIGHT * (ref.geometry != cand.geometry)
        return cost - _NAME_BONUS * (ref.name == cand.name)

    def _near(self, ref: Object, cand: Object) -> bool:
        size_a, size_b = extents(ref, self.reference), extents(cand, self.candidate)
        gap = np.linalg.norm(np.subtract(ref.pos, cand.pos))
        alike = np.abs(np.log(np.sort(size_b) / np.sort(size_a))).max() < np.log(2.0)
        return bool(alike and gap < 0.5 * np.linalg.norm(size_a))


def _path(trajectory: Trajectory, name: str) -> F64:
    return trajectory.position[trajectory.frame_steps(), trajectory.index(name)]


def _rests(trajectory: Trajectory, name: str) -> bool:
    i, steps = trajectory.index(name), trajectory.frame_steps()
    moved = np.linalg.norm(trajectory.position[steps, i] - trajectory.position[0, i], axis=-1)
    turned = rotation_angle_deg(trajectory.orientation_wxyz[0, i], trajectory.orientation_wxyz[steps, i])
    return bool(moved.max() < _REST_DISTANCE and turned.max() < _REST_ANGLE_DEG)

"""Worlds as vectors of unknowns: size, place, turn, motion and contact of each body, on what it rests on.

A body that rests on something is placed in that thing's own frame, so that no step of a fit lifts it off or
pushes it in. Every unknown is counted in steps of its own scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import (
    multiply_quaternions,
    quaternion_from_axis_angle,
    rotation_from_quaternion,
)
from fourdcb.world import Object, World
from fourdcb.world.contact import primitive_volume

Kind = Literal["size", "pos", "turn", "vel", "spin", "friction", "restitution", "rolling_friction", "mass"]
FLOOR = "floor"
_LEAST_SPEED = 0.05  # [m/s] across the ground: slower, no axis is the one of rolling


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """One body of a hypothesis.

    Attributes:
        thing: what it is; ``pos``, ``rot``, ``vel`` are in the frame of what it rests on, else the world's.
        rests_on: the floor, a fixture's name, or None for a body in the air. A resting body's height follows
            from its size.
        fitted: the kinds of unknowns that are solved for.
    """

    thing: Object
    rests_on: str | None = None
    fitted: frozenset[Kind] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """One number that is solved for.

    Attributes:
        body: index of its body.
        kind, index: which of its numbers.
        scale: what counts as one step; step: of a finite difference, in scales.
        lower, upper: bounds of the value, in its own unit (of a size, mass: of the logarithm).
        prior: (mean, standard deviation) where the clip may say nothing, else None.
    """

    body: int
    kind: Kind
    index: int
    scale: float
    step: float
    lower: float = -np.inf
    upper: float = np.inf
    prior: tuple[float, float] | None = None


_TABLE: dict[Kind, tuple[float, float, float, float, tuple[float, float] | None]] = {
    "size": (0.05, 0.02, math.log(0.01), math.log(10.0), None),
    "pos": (0.02, 0.02, -50.0, 50.0, None),
    "turn": (0.05, 0.02, -7.0, 7.0, None),
    "vel": (0.05, 0.02, -30.0, 30.0, None),
    "spin": (5.0, 0.02, -200.0, 200.0, (0.0, 25.0)),
    "friction": (0.05, 0.04, 0.0, 3.0, (0.35, 0.4)),
    "restitution": (0.02, 0.05, 0.0, 1.0, (0.5, 0.5)),
    "rolling_friction": (0.001, 0.1, 0.0, 0.05, (0.003, 0.004)),
    "mass": (0.1, 0.05, -12.0, 12.0, (0.0, 1.2)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """A world in terms of bodies and what they rest on.

    Attributes:
        stage: world with camera, clock, floor and lights; its own objects are not looked at.
        bodies: fixtures first, so that what rests on them finds them.
    """

    stage: World
    bodies: tuple[Body, ...]

    def unknowns(self) -> tuple[Unknown, ...]:
        """What is solved for, in the order of the vector."""
        return tuple(u for i, body in enumerate(self.bodies) for u in _unknowns_of(i, body))

    def vector(self) -> F64:
        """The present values, in scales, shape (P,)."""
        return np.array([_get(self.bodies[u.body].thing, u) / u.scale for u in self.unknowns()])

    def at(self, x: F64) -> Hypothesis:
        """The hypothesis with other values."""
        bodies = list(self.bodies)
        things = [body.thing for body in bodies]
        for u, value in zip(self.unknowns(), x, strict=True):
            things[u.body] = _set(things[u.body], u, min(max(float(value) * u.scale, u.lower), u.upper))
        return replace(self, bodies=tuple(replace(b, thing=t) for b, t in zip(bodies, things, strict=True)))

    def world(self) -> World:
        """As a world."""
        placed: dict[str, Object] = {}
        for body in self.bodies:
            placed[body.thing.name] = _placed(body, placed)
        return replace(self.stage, objects=tuple(placed.values()))

    def fitting(self, names: Sequence[str], kinds: frozenset[Kind]) -> Hypothesis:
        """The same with only these kinds of unknowns of these bodies."""
        return replace(
            self,
            bodies=tuple(
                replace(b, fitted=b.fitted & kinds if b.thing.name in names else frozenset())
                for b in self.bodies
            ),
        )

    def with_body(self, body: Body) -> Hypothesis:
        """The same with one body in place of the one of its name."""
        return replace(
            self, bodies=tuple(body if b.thing.name == body.thing.name else b for b in self.bodies)
        )

    def body(self, name: str) -> Body:
        """The body of that name. Raises KeyError."""
        for found in self.bodies:
            if found.thing.name == name:
                return found
        raise KeyError(name)


def _unknowns_of(i: int, body: Body) -> list[Unknown]:
    found = []
    for kind, (scale, step, lower, upper, prior) in _TABLE.items():
        if kind not in body.fitted:
            continue
        found += [
            Unknown(
                body=i, kind=kind, index=index, scale=scale, step=step, lower=lower, upper=upper, prior=prior
            )
            for index in _indices(kind, body)
        ]
    return found


def _indices(kind: Kind, body: Body) -> tuple[int, ...]:
    shape, resting = body.thing.geometry, body.rests_on is not None
    if kind == "size":
        return (0,) if shape == "sphere" else (0, 1, 2) if shape == "box" else (0, 2)
    if kind in ("pos", "vel"):
        return (0, 1) if resting else (0, 1, 2)
    if kind == "turn":
        if shape == "sphere":
            return ()
        round_one = shape in ("cylinder", "cone", "capsule")
        return (() if round_one else (2,)) if resting else (0, 1) if round_one else (0, 1, 2)
    if kind == "spin":
        return (0,) if float(np.hypot(*body.thing.vel[:2])) > _LEAST_SPEED else ()
    return (0,)


def _get(thing: Object, u: Unknown) -> float:
    if u.kind == "size":
        return math.log(thing.size[u.index])
    if u.kind == "mass":
        return math.log((thing.mass or 1.0) / (1000.0 * (primitive_volume(thing) or 1e-3)))
    if u.kind == "turn":
        return 0.0
    if u.kind == "spin":
        return float(np.dot(thing.ang_vel, _rolling_axis(thing)))
    value: Any = getattr(thing, u.kind)
    return float(value[u.index]) if isinstance(value, tuple) else float(value or 0.0)


def _set(thing: Object, u: Unknown, value: float) -> Object:
    if u.kind == "size":
        size, new = list(thing.size), math.exp(value)
        for k in (0, 1, 2) if thing.geometry == "sphere" else _round(thing, u.index):
            size[k] = new
        density = (thing.mass or 0.0) / (primitive_volume(thing) or 1.0)
        grown = replace(thing, size=_tuple(np.asarray(size)))
        return grown if not thing.mass else replace(grown, mass=density * (primitive_volume(grown) or 1.0))
    if u.kind == "mass":
        return replace(thing, mass=math.exp(value) * 1000.0 * (primitive_volume(thing) or 1e-3))
    if u.kind == "turn":
        axis = np.eye(3)[u.index]
        turned = multiply_quaternions(quaternion_from_axis_angle(axis, value), thing.rot)
        return replace(thing, rot=_tuple(turned))
    if u.kind == "spin":
        return replace(thing, ang_vel=_tuple(value * _rolling_axis(thing)))
    old: Any = getattr(thing, u.kind)
    if isinstance(old, tuple):
        vector = list(old)
        vector[u.index] = value
        return replace(thing, **{u.kind: tuple(vector)})  # type: ignore[arg-type]
    return replace(thing, **{u.kind: value})  # type: ignore[arg-type]


def _rolling_axis(thing: Object) -> F64:
    """The horizontal axis about which a ball of this velocity rolls; a plain path has spin about no other."""
    x, y, _ = thing.vel
    length = math.hypot(x, y)
    return np.array([-y, x, 0.0]) / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])


def _round(thing: Object, index: int) -> tuple[int, ...]:
    return (0, 1) if index < 2 and thing.geometry in ("cylinder", "cone", "capsule") else (index,)


def _placed(body: Body, placed: dict[str, Object]) -> Object:
    """The body in the world's frame."""
    thing = body.thing
    if body.rests_on is None:
        return thing
    half = 0.5 * thing.size[2]
    if body.rests_on == FLOOR:
        return replace(thing, pos=(thing.pos[0], thing.pos[1], half), vel=(thing.vel[0], thing.vel[1], 0.0))
    under = placed[body.rests_on]
    rotation = rotation_from_quaternion(under.rot)
    local = np.array([thing.pos[0], thing.pos[1], 0.5 * under.size[2] + half])
    pos = np.asarray(under.pos) + rotation @ local
    vel = rotation @ np.array([thing.vel[0], thing.vel[1], 0.0])
    rot = multiply_quaternions(under.rot, thing.rot)
    return replace(thing, pos=_tuple(pos), vel=_tuple(vel), rot=_tuple(rot))


def _tuple(vector: F64) -> Any:
    return tuple(float(c) for c in vector)

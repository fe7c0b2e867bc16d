"""Bodies that let light straight through, as a mixture of worlds in which they are there or not.

A body of opacity o is there for a share o of all light paths and missing for the rest: what is behind it, its
reflections and its shadow mix alike, in every renderer. Its front counts, not both of its sides; light is
neither bent nor coloured. Several bodies are there or not independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import Poses
from fourdcb.errors import UserError
from fourdcb.world import Surfaced, World
from fourdcb.world.looks import FINISH

MAX_TRANSLUCENT = 4  # bodies: a picture costs as much as two to their number


@dataclass(frozen=True, slots=True, eq=False)
class Presence:
    """One of the worlds that a picture mixes.

    Attributes:
        weight: its share; all shares add up to 1.
        kept: which of the whole world's bodies are there, indices in their order.
        world: with these bodies, all of them opaque.
    """

    weight: float
    kept: NDArray[np.intp]
    world: World

    def poses(self, poses: Poses) -> Poses:
        """The poses (N, 3), (N, 4) of the bodies that are there."""
        return poses[0][self.kept], poses[1][self.kept]


def presences(world: World) -> tuple[Presence, ...]:
    """The worlds that a picture of ``world`` mixes; none where all bodies are opaque.

    Raises:
        UserError: when more than ``MAX_TRANSLUCENT`` bodies are neither opaque nor invisible.
    """
    opacity = [_opacity(body) for body in (*world.bodies, *world.fluids)]
    count = len(world.bodies)
    if all(value >= 1.0 for value in opacity):
        return ()
    partly = sum(0.0 < value < 1.0 for value in opacity)
    if partly > MAX_TRANSLUCENT:
        raise UserError(
            "too many bodies are translucent", got=str(partly), expected=f"at most {MAX_TRANSLUCENT}"
        )
    choices = [((True, o), (False, 1.0 - o)) for o in opacity]
    found = []
    for choice in product(*([c for c in pair if c[1] > 0.0] for pair in choices)):
        kept = np.flatnonzero([there for there, _ in choice])
        weight = float(np.prod([share for _, share in choice]))
        found.append(Presence(weight, kept[kept < count], _with(world, kept)))
    return tuple(found)


def _with(world: World, kept: Sequence[int] | NDArray[np.intp]) -> World:
    there, n = {int(i) for i in kept}, len(world.objects)
    objects = (o for i, o in enumerate(world.objects) if i in there)
    planes = (p for i, p in enumerate(world.planes) if n + i in there)
    fluids = (f for i, f in enumerate(world.fluids) if len(world.bodies) + i in there)
    return replace(
        world,
        objects=tuple(replace(o, material=replace(o.material, opacity=None)) for o in objects),
        planes=tuple(replace(p, material=replace(p.material, opacity=None)) for p in planes),
        fluids=tuple(replace(f, material=replace(f.material, opacity=None)) for f in fluids),
    )


def _opacity(body: Surfaced) -> float:
    stated = body.material.opacity
    return FINISH["opacity"] if stated is None else stated

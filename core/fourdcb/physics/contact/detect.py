"""Broad phase: which pairs are near enough to ask the narrow phase about."""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.layout import (
    END_POS,
    END_ROT,
    F64,
    FOUND,
    OVERFLOW,
    PLANE,
    REACH,
    Simulation,
)
from fourdcb.physics.contact.narrow.collide import collide
from fourdcb.physics.contact.narrow.table import Contacts
from fourdcb.physics.contact.narrow.vectors import Vec
from fourdcb.physics.contact.rows import field_of, touch_of

# Contacts are found ahead by what the field moves a body in so many steps: what rests stays found.
_AHEAD = 4.0


@inline
def vector(body: F64, n: int, column: int) -> Vec:
    """Three columns of a body."""
    return body[n, column], body[n, column + 1], body[n, column + 2]


@compiled
def collide_at(
    sim: Simulation, a: int, b: int, at_a: Vec, at_b: Vec, margin: float, out: Contacts, first: int
) -> int:
    """Contacts of a pair whose axes lie in ``sim.axes_a`` and ``sim.axes_b``; one past the last row."""
    for k in range(3):
        sim.at_a[k] = at_a[k]
        sim.at_b[k] = at_b[k]
    return collide(sim.table, sim.work, a, b, sim.at_a, sim.axes_a, sim.at_b, sim.axes_b, margin, out, first)


@compiled
def far_apart(body: F64, a: int, b: int, at_a: Vec, at_b: Vec, margin: float) -> bool:
    """Whether two bodies are surely farther apart than ``margin`` [m]."""
    x, y, z = at_a[0] - at_b[0], at_a[1] - at_b[1], at_a[2] - at_b[2]
    for side in range(2):
        n, other, sign = (a, b, -1.0) if side == 0 else (b, a, 1.0)
        if body[n, PLANE] > 0.0:
            height = sign * (x * body[n, END_ROT + 2] + y * body[n, END_ROT + 5] + z * body[n, END_ROT + 8])
            return height - body[other, REACH] > margin
    reach = body[a, REACH] + body[b, REACH] + margin
    return x * x + y * y + z * z > reach * reach


@compiled
def detect(sim: Simulation, h: float) -> None:
    """Finds the contacts of the poses at the end of the step."""
    body, found = sim.body, sim.found
    n = 0
    for k in range(len(sim.pairs)):
        a, b = sim.pairs[k, 0], sim.pairs[k, 1]
        margin = 2.0 * touch_of(body, a, b) + _AHEAD * field_of(body, sim.kind, a, b) * h * h
        at_a, at_b = vector(body, a, END_POS), vector(body, b, END_POS)
        if far_apart(body, a, b, at_a, at_b, margin):
            continue
        first = n
        for c in range(3):
            for d in range(3):
                sim.axes_a[c, d] = body[a, END_ROT + 3 * c + d]
                sim.axes_b[c, d] = body[b, END_ROT + 3 * c + d]
        n = collide_at(sim, a, b, at_a, at_b, margin, found, first)
        if n > len(found.distance):
            sim.counts[OVERFLOW] = 1
            n = len(found.distance)
        for i in range(first, n):
            sim.found_pair[i, 0] = a
            sim.found_pair[i, 1] = b
    sim.counts[FOUND] = n

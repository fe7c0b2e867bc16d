"""Points of cylinders and cones that can touch first: rims, generators, apex."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.narrow.scratch import POINTS
from fourdcb.physics.contact.narrow.table import CONE, CYLINDER, ShapeTable, Workspace, kind_of, size_of
from fourdcb.physics.contact.narrow.vectors import Vec

# Corners that stand for a rim that lies flat. They are fixed in the body, so that they turn with it; the
# exact lowest point beside them carries every tilt, so that the polygon's sides decide nothing.
RIM = 8
# Sine of the tilt up to which a disk counts as lying on its face. Beyond it only its lowest point can touch;
# a corner further round would foresee, by the linear motion of a point, an impact that rolling avoids.
FLAT = 0.02
# Sine of the tilt below which the lowest point of a rim is left to its corners: its direction is noise there.
LEVEL = 1e-6
LOWEST, CORNER, APEX = 0, 16, 8


@inline
def candidate(work: Workspace, k: int) -> Vec:
    """Candidate point k, in the part's frame."""
    c = POINTS + 4 * k
    return (work.real[c], work.real[c + 1], work.real[c + 2])


@inline
def candidate_key(work: Workspace, k: int) -> int:
    """Its key."""
    return int(work.real[POINTS + 4 * k + 3])


@inline
def _keep(work: Workspace, k: int, p: Vec, key: int) -> None:
    c = POINTS + 4 * k
    work.real[c], work.real[c + 1], work.real[c + 2], work.real[c + 3] = p[0], p[1], p[2], key


@compiled
def cap_height(table: ShapeTable, part: int, cap: int) -> float:
    """z of a cylinder's cap 0 or 1, or of a cone's base (cap 0)."""
    if kind_of(table, part) == CONE:
        return -0.25 * size_of(table, part, 1)
    return size_of(table, part, 1) if cap else -size_of(table, part, 1)


@compiled
def lowest_points(table: ShapeTable, work: Workspace, part: int, down: Vec) -> int:
    """Farthest points along ``down`` (unit, part's frame) of each rim, and a cone's apex, as candidates.

    Upright there is no such point on a rim: then only the apex is told. Returns their number.
    """
    kind = kind_of(table, part)
    radius, size = size_of(table, part, 0), size_of(table, part, 1)
    wide = math.sqrt(down[0] * down[0] + down[1] * down[1])
    count = 0
    if wide > LEVEL:
        for cap in range(2 if kind == CYLINDER else 1):
            p = (radius * down[0] / wide, radius * down[1] / wide, cap_height(table, part, cap))
            _keep(work, count, p, LOWEST + cap)
            count += 1
    if kind == CONE:
        _keep(work, count, (0.0, 0.0, 0.75 * size), APEX)
        count += 1
    return count


@compiled
def flat_cap(table: ShapeTable, part: int, down: Vec) -> int:
    """The cap that lies flat towards ``down`` (unit), or -1."""
    wide = math.sqrt(down[0] * down[0] + down[1] * down[1])
    if wide > FLAT:
        return -1
    if kind_of(table, part) == CYLINDER:
        return 1 if down[2] > 0.0 else 0
    return 0 if kind_of(table, part) == CONE and down[2] < 0.0 else -1


@compiled
def rim_points(table: ShapeTable, work: Workspace, part: int, down: Vec) -> tuple[int, float, float]:
    """Corners of the rim that lies flat, as candidates: (their number, the disk's area, its lever)."""
    cap = flat_cap(table, part, down)
    if cap < 0:
        return 0, 0.0, 0.0
    radius = size_of(table, part, 0)
    for k in range(RIM):
        angle = 2.0 * math.pi * k / RIM
        p = (radius * math.cos(angle), radius * math.sin(angle), cap_height(table, part, cap))
        _keep(work, k, p, CORNER + RIM * cap + k)
    return RIM, math.pi * radius * radius, 2.0 / 3.0 * radius

"""Points of cylinders and cones that can touch first: rims, generators, apex."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.table import CONE, CYLINDER, ShapeTable, Workspace
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


@compiled
def cap_height(table: ShapeTable, part: int, cap: int) -> float:
    """z of a cylinder's cap 0 or 1, or of a cone's base (cap 0)."""
    if table.kind[part] == CONE:
        return -0.25 * table.size[part, 1]
    return table.size[part, 1] if cap else -table.size[part, 1]


@compiled
def lowest_points(table: ShapeTable, work: Workspace, part: int, down: Vec) -> int:
    """Farthest points along ``down`` (unit, part's frame) of each rim, and a cone's apex, into work.points.

    Upright there is no such point on a rim: then only the apex is told. Returns their number.
    """
    kind = table.kind[part]
    radius, size = table.size[part, 0], table.size[part, 1]
    wide = math.sqrt(down[0] * down[0] + down[1] * down[1])
    count = 0
    if wide > LEVEL:
        for cap in range(2 if kind == CYLINDER else 1):
            work.points[count, 0] = radius * down[0] / wide
            work.points[count, 1] = radius * down[1] / wide
            work.points[count, 2] = cap_height(table, part, cap)
            work.point_ids[count] = LOWEST + cap
            count += 1
    if kind == CONE:
        work.points[count, 0] = 0.0
        work.points[count, 1] = 0.0
        work.points[count, 2] = 0.75 * size
        work.point_ids[count] = APEX
        count += 1
    return count


@compiled
def flat_cap(table: ShapeTable, part: int, down: Vec) -> int:
    """The cap that lies flat towards ``down`` (unit), or -1."""
    wide = math.sqrt(down[0] * down[0] + down[1] * down[1])
    if wide > FLAT:
        return -1
    if table.kind[part] == CYLINDER:
        return 1 if down[2] > 0.0 else 0
    return 0 if table.kind[part] == CONE and down[2] < 0.0 else -1


@compiled
def rim_points(table: ShapeTable, work: Workspace, part: int, down: Vec) -> tuple[int, float, float]:
    """Corners of the rim that lies flat, into work.points: (their number, the disk's area, its lever)."""
    cap = flat_cap(table, part, down)
    if cap < 0:
        return 0, 0.0, 0.0
    radius = table.size[part, 0]
    for k in range(RIM):
        angle = 2.0 * math.pi * k / RIM
        work.points[k, 0] = radius * math.cos(angle)
        work.points[k, 1] = radius * math.sin(angle)
        work.points[k, 2] = cap_height(table, part, cap)
        work.point_ids[k] = CORNER + RIM * cap + k
    return RIM, math.pi * radius * radius, 2.0 / 3.0 * radius

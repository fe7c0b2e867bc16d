"""Two convex parts: a flat face with what lies over it, an edge along an edge, or a single point."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.axes import climb, first_guess
from fourdcb.physics.contact.narrow.edges import edge_manifold
from fourdcb.physics.contact.narrow.faces import best_face, face_manifold
from fourdcb.physics.contact.narrow.gjk import gjk
from fourdcb.physics.contact.narrow.planes import face_area, face_count, face_plane, is_polyhedral
from fourdcb.physics.contact.narrow.rows import add_key, least_distance, move_rows, put
from fourdcb.physics.contact.narrow.support import rounding
from fourdcb.physics.contact.narrow.table import ShapeTable, Workspace, reach_of
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, along, dot, middle, scaled, turn, turn_back

_EXACT = 1e-9  # of the parts' reach: below it two distances are the same
_TWIN = 1e-4  # angle up to which two faces count as parallel: the larger one then carries the manifold
_DEEP = 1e-3  # of the smaller reach: an overlap beyond it is looked at from all sides
_TOUCH = 1e-6  # of the reach: cores nearer than this have no direction of their own
_ALIGNED = 1e-6  # angle up to which a direction is a face's normal
_ON_A, ON_B, EDGES = 1 << 26, 2 << 26, 3 << 26


@compiled
def convex_pair(
    table: ShapeTable, work: Workspace, a: int, b: int, m: Mat, t: Vec, margin: float, n: int
) -> int:
    """Rows of two convex parts in the frame of b, normals from b to a; returns the new number of rows."""
    reach = reach_of(table, a) + reach_of(table, b)
    back, inverse = turn_back(m, (-t[0], -t[1], -t[2])), _transposed(m)
    face_a, high_a = best_face(table, a, b, inverse, back)
    if high_a > margin:
        return n
    face_b, high_b = best_face(table, b, a, m, t)
    if high_b > margin:
        return n
    on_a = _carrier(table, a, face_a, high_a, b, face_b, high_b, m, reach)
    high = max(high_a, high_b)
    start, best = _steepest_face(table, a, b, m, face_a, high_a, face_b, high_b)
    guess = start
    if high < -_DEEP * min(reach_of(table, a), reach_of(table, b)):
        guess = first_guess(table, work, a, b, m, t, best, start)
    # A deep overlap may come apart sooner along a direction that is no face's.
    if high > -math.inf and guess == start:
        after = _over(table, work, a, b, on_a, face_a if on_a else face_b, m, t, margin, n)
        near = _EXACT * reach + _TWIN * _TWIN * reach
        if face_count(table, b) == 1 and is_polyhedral(table, b):  # a triangle: the lowest point is next door
            near += _TWIN * reach_of(table, a)
        if after > n and least_distance(work, n, after) <= high + near:
            return after
    distance, normal, pa, pb = signed_distance(table, work, a, b, m, t, best, guess)
    if distance > margin:
        return n
    return _at_direction(table, work, a, b, m, t, distance, normal, pa, pb, face_a, face_b, margin, n)


@compiled
def signed_distance(
    table: ShapeTable,
    work: Workspace,
    a: int,
    b: int,
    m: Mat,
    t: Vec,
    best: float,
    guess: Vec,
) -> tuple[float, Vec, Vec, Vec]:
    """(distance, direction b → a, point of a, point of b), the points on the parts' surfaces; frame of b.

    Args:
        best, guess: the flat face that separates the cores best: how far, and its direction.
    """
    round_a, round_b = rounding(table, a), rounding(table, b)
    reach = reach_of(table, a) + reach_of(table, b)
    distance, v, pa, pb = gjk(table, work, a, b, m, t, t)
    if distance > _TOUCH * reach:
        normal = scaled(v, 1.0 / distance)
    else:
        start = first_guess(table, work, a, b, m, t, best, guess)
        distance, normal, pa, pb = climb(table, work, a, b, m, t, start)
    return distance - round_a - round_b, normal, along(pa, -round_a, normal), along(pb, round_b, normal)


@compiled
def _steepest_face(
    table: ShapeTable, a: int, b: int, m: Mat, face_a: int, high_a: float, face_b: int, high_b: float
) -> tuple[Vec, float]:
    """(direction b → a of the face that separates best, how far it separates the cores)."""
    start, best = (1.0, 0.0, 0.0), -math.inf
    if face_a >= 0:
        plane, _ = face_plane(table, a, face_a)
        start, best = scaled(turn(m, plane), -1.0), high_a + rounding(table, b)
    if face_b >= 0 and high_b + rounding(table, a) > best:
        start, _ = face_plane(table, b, face_b)
        best = high_b + rounding(table, a)
    return start, best


@compiled
def _carrier(
    table: ShapeTable,
    a: int,
    face_a: int,
    high_a: float,
    b: int,
    face_b: int,
    high_b: float,
    m: Mat,
    reach: float,
) -> bool:
    """Whether the manifold stands on a's face: the better separating one, of parallel ones the larger."""
    if face_a < 0 or face_b < 0:
        return face_a >= 0
    normal_a, _ = face_plane(table, a, face_a)
    normal_b, _ = face_plane(table, b, face_b)
    if dot(turn(m, normal_a), normal_b) < -1.0 + 0.5 * _TWIN * _TWIN and abs(high_a - high_b) < _TWIN * reach:
        area_a, area_b = face_area(table, a, face_a), face_area(table, b, face_b)
        if abs(area_a - area_b) > _EXACT * area_b:
            return area_a > area_b
        return False
    return high_a > high_b


@compiled
def _over(
    table: ShapeTable,
    work: Workspace,
    a: int,
    b: int,
    on_a: bool,
    face: int,
    m: Mat,
    t: Vec,
    margin: float,
    n: int,
) -> int:
    """The manifold over a face of a or of b, in the frame of b."""
    if not on_a:
        after = face_manifold(table, work, b, face, a, m, t, margin, n)
        add_key(work, n, after, ON_B)
        return after
    back = turn_back(m, (-t[0], -t[1], -t[2]))
    after = face_manifold(table, work, a, face, b, _transposed(m), back, margin, n)
    move_rows(work, n, after, m, t, True)
    add_key(work, n, after, _ON_A)
    return after


@compiled
def _at_direction(
    table: ShapeTable,
    work: Workspace,
    a: int,
    b: int,
    m: Mat,
    t: Vec,
    distance: float,
    normal: Vec,
    pa: Vec,
    pb: Vec,
    face_a: int,
    face_b: int,
    margin: float,
    n: int,
) -> int:
    """Rows where the parts meet along ``normal``."""
    aligned = 1.0 - 0.5 * _ALIGNED * _ALIGNED
    for on_a in (True, False):
        face = face_a if on_a else face_b
        if face < 0:
            continue
        plane, _ = face_plane(table, a if on_a else b, face)
        if on_a:
            plane = scaled(turn(m, plane), -1.0)
        if dot(plane, normal) >= aligned:
            after = _over(table, work, a, b, on_a, face, m, t, margin, n)
            if after > n:
                return after
    after = edge_manifold(table, a, b, m, t, normal, margin, work, n)
    add_key(work, n, after, EDGES)
    # Edges that cross at an angle are nearest between the ends of their common run.
    near = _EXACT * (reach_of(table, a) + reach_of(table, b))
    if after > n and least_distance(work, n, after) <= distance + near:
        return after
    return put(work, after, middle(pa, pb), normal, distance, EDGES + (1 << 25))


@compiled
def _transposed(m: Mat) -> Mat:
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])

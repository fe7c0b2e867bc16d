"""Convex parts against a static surface of triangles: which ones are near, and what each of them answers.

A contact on a border between triangles may push only along directions between the two normals (along the
triangle's own where the joint is flat or a valley): nothing stumbles over the seams of a floor.
"""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.bowls import ball_on_triangle
from fourdcb.physics.contact.narrow.convex import EDGES, ON_B, convex_pair
from fourdcb.physics.contact.narrow.outline import keep_outline
from fourdcb.physics.contact.narrow.rows import (
    DISTANCE,
    KEY,
    NORMAL,
    OWN_KEYS,
    POINT,
    copy_row,
    distance_at,
    measure_patch,
    thin_out,
    vector_at,
)
from fourdcb.physics.contact.narrow.scratch import MAX_ROWS, ROW_WIDTH, STACK
from fourdcb.physics.contact.narrow.support import core_support, rounding
from fourdcb.physics.contact.narrow.table import (
    MAX_CONTACTS,
    SPHERE,
    ShapeTable,
    Workspace,
    child_of,
    count_of,
    face0,
    face_normal,
    fold_of,
    kind_of,
    node0,
    node_bound,
    normal_across,
    place_of,
    reach_of,
    triangle0,
    vertex,
    vertex0,
)
from fourdcb.physics.contact.narrow.vectors import (
    Mat,
    Vec,
    add,
    along,
    cross,
    dot,
    length,
    sub,
    turn,
    turn_back,
    unit,
)

_BORDER = 1e-6  # of a triangle's reach: nearer to a side, a point lies on it
_SAME = 1e-6  # of a part's reach: two rows nearer to each other are one
_NUMBERS = 1 << 22  # triangles that have keys of their own
_OWN = 1e-9  # one minus the cosine to which a direction is the triangle's own
_TURNED = 0.7  # cosine beyond which a direction is too far from the allowed ones to be theirs


@compiled
def surface_pair(
    table: ShapeTable, work: Workspace, a: int, b: int, m: Mat, t: Vec, margin: float, n: int
) -> int:
    """Rows of part a against surface b, in the frame of b."""
    low, high = _bounds(table, a, m, t, margin)
    root, first = node0(table, b), n
    work.whole[STACK] = 0
    top = 1
    while top > 0:
        top -= 1
        node = work.whole[STACK + top]
        apart = False
        for x in range(3):
            if node_bound(table, root + node, x) > high[x] or node_bound(table, root + node, 3 + x) < low[x]:
                apart = True
        if apart:
            continue
        count = count_of(table, root + node)
        if count < 0:
            if top < 250:
                work.whole[STACK + top] = child_of(table, root + node)
                work.whole[STACK + top + 1] = node + 1
                top += 2
            continue
        for k in range(count):
            number = child_of(table, root + node) + k
            n = _one(table, work, a, triangle0(table, b) + number, m, t, margin, first, n, number)
    flat = n - first >= 3 and _is_flat(work, first, n)
    if flat:
        n = keep_outline(work, first, n, 1e-4 * reach_of(table, a))
    n = thin_out(work, first, n, MAX_CONTACTS)
    if flat:
        measure_patch(work, first, n)
    return n


@compiled
def _one(
    table: ShapeTable, work: Workspace, a: int, triangle: int, m: Mat, t: Vec, margin: float, first: int,
    n: int, number: int,
) -> int:  # fmt: skip
    """Rows of one triangle behind those that there are."""
    if n > MAX_ROWS - 2 * MAX_CONTACTS:
        n = thin_out(work, first, n, MAX_CONTACTS)
    own = sub(t, place_of(table, triangle))
    begin = n
    if kind_of(table, a) == SPHERE:
        n = ball_on_triangle(table, work, a, triangle, own, margin, n)
    else:
        normal = face_normal(table, face0(table, triangle))
        # Only what is in front of the triangle meets it; a part far behind it is the affair of others.
        if dot(own, normal) < -_below(table, a, m, normal):
            return n
        n = convex_pair(table, work, a, triangle, m, own, margin, n)
        kept = begin
        for k in range(begin, n):
            if _hold(table, work, triangle, k):
                copy_row(work, k, kept)
                kept += 1
        n = kept
    place = place_of(table, triangle)
    kept = begin
    for k in range(begin, n):
        for x in range(3):
            work.real[ROW_WIDTH * k + POINT + x] += place[x]
        key = int(work.real[ROW_WIDTH * k + KEY])
        # A corner or end that slides from triangle to triangle stays the same contact.
        slides = kind_of(table, a) != SPHERE and ON_B <= key < ON_B + OWN_KEYS
        work.real[ROW_WIDTH * k + KEY] = key - ON_B if slides else 64 * (64 + number % _NUMBERS) + key % 61
        if not _is_known(work, first, kept, k, _SAME * reach_of(table, a)):
            copy_row(work, k, kept)
            kept += 1
    return kept


@compiled
def _below(table: ShapeTable, a: int, m: Mat, normal: Vec) -> float:
    """How far part a reaches along a triangle's normal: with its middle deeper, it is not in front of it."""
    return dot(normal, turn(m, core_support(table, a, turn_back(m, normal)))) + rounding(table, a)


@compiled
def _hold(table: ShapeTable, work: Workspace, triangle: int, k: int) -> bool:
    """Turns row k's normal into the directions that its place on the triangle allows; False if it cannot."""
    normal, point = vector_at(work, k, NORMAL), vector_at(work, k, POINT)
    own = face_normal(table, face0(table, triangle))
    foot = along(point, -0.5 * distance_at(work, k), normal)
    v0 = vertex0(table, triangle)
    near = _BORDER * reach_of(table, triangle)
    # What no flat face carries, an edge or a point, is the neighbour's affair where the joint is not a ridge.
    free = int(work.real[ROW_WIDTH * k + KEY]) >= EDGES and dot(normal, own) < 1.0 - _OWN
    allowed = own
    for side in range(3):
        p, q = vertex(table, v0 + side), vertex(table, v0 + (side + 1) % 3)
        e = unit(sub(q, p))
        outward = cross(e, own)
        if dot(sub(foot, p), outward) > -near:
            if fold_of(table, triangle, side) <= 0.0:
                if free:
                    return False
                continue
            across = normal_across(table, triangle, side)
            # Between the two normals, turning about the side.
            flat = unit(along(normal, -dot(normal, e), e))
            behind, beyond = dot(flat, outward) < 0.0, dot(cross(flat, across), e) < 0.0
            if not behind and not beyond:
                return True
            if beyond and not behind:
                allowed = across
    lean = dot(normal, allowed)
    if lean < _TURNED:
        return False
    d = distance_at(work, k) * lean
    x = along(foot, 0.5 * d, allowed)
    for c in range(3):
        work.real[ROW_WIDTH * k + POINT + c] = x[c]
        work.real[ROW_WIDTH * k + NORMAL + c] = allowed[c]
    work.real[ROW_WIDTH * k + DISTANCE] = d
    return True


@compiled
def _is_known(work: Workspace, first: int, n: int, k: int, near: float) -> bool:
    """Whether one of rows first … n - 1 is the same contact as row k, not less deep."""
    p, normal = vector_at(work, k, POINT), vector_at(work, k, NORMAL)
    for i in range(first, n):
        if (
            length(sub(p, vector_at(work, i, POINT))) < near
            and dot(normal, vector_at(work, i, NORMAL)) > 1.0 - 1e-6
            and distance_at(work, i) <= distance_at(work, k) + near
        ):
            return True
    return False


@compiled
def _is_flat(work: Workspace, first: int, n: int) -> bool:
    normal = vector_at(work, first, NORMAL)
    for k in range(first + 1, n):
        if dot(normal, vector_at(work, k, NORMAL)) < 1.0 - 1e-9:
            return False
    return True


@compiled
def _bounds(table: ShapeTable, a: int, m: Mat, t: Vec, margin: float) -> tuple[Vec, Vec]:
    """Box around part a, grown by ``margin``."""
    r = rounding(table, a) + margin
    x = turn(m, core_support(table, a, (m[0], m[1], m[2])))[0]
    y = turn(m, core_support(table, a, (m[3], m[4], m[5])))[1]
    z = turn(m, core_support(table, a, (m[6], m[7], m[8])))[2]
    u = turn(m, core_support(table, a, (-m[0], -m[1], -m[2])))[0]
    v = turn(m, core_support(table, a, (-m[3], -m[4], -m[5])))[1]
    w = turn(m, core_support(table, a, (-m[6], -m[7], -m[8])))[2]
    return add(t, (u - r, v - r, w - r)), add(t, (x + r, y + r, z + r))

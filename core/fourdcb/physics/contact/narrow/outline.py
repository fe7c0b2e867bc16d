"""The corners of a manifold that lies in one plane: what lies between them says nothing new.

A flat floor of many triangles then carries a body on the same points as a plane does.
"""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.rows import AREA, NORMAL, POINT, copy_row, vector_at
from fourdcb.physics.contact.narrow.scratch import ROW_WIDTH
from fourdcb.physics.contact.narrow.table import Workspace
from fourdcb.physics.contact.narrow.vectors import Vec, across, cross, dot, sub


@compiled
def keep_outline(work: Workspace, first: int, n: int, near: float) -> int:
    """Drops rows inside the convex outline of rows first … n - 1, which share a normal (Jarvis, 1973).

    Args:
        near: [m]; points nearer to a side than this lie on it.

    Returns:
        One past the last row that is left.
    """
    if n - first < 3:
        return n
    normal = vector_at(work, first, NORMAL)
    right = across(normal)
    ahead = cross(normal, right)
    start = first
    for k in range(first, n):
        work.real[ROW_WIDTH * k + AREA] = 0.0
        if _precedes(work, k, start, right, ahead):
            start = k
    at = start
    for _ in range(n - first):
        work.real[ROW_WIDTH * at + AREA] = 1.0
        at = _next(work, first, n, at, right, ahead, near)
        if at < 0 or work.real[ROW_WIDTH * at + AREA] > 0.0:
            break
    kept = first
    for k in range(first, n):
        if work.real[ROW_WIDTH * k + AREA] > 0.0:
            work.real[ROW_WIDTH * k + AREA] = 0.0
            copy_row(work, k, kept)
            kept += 1
    return kept


@compiled
def _next(work: Workspace, first: int, n: int, at: int, right: Vec, ahead: Vec, near: float) -> int:
    """The corner after ``at``, counter-clockwise; -1 when all points are one."""
    best, bx, by, far = -1, 0.0, 0.0, 0.0
    origin = vector_at(work, at, POINT)
    for k in range(first, n):
        d = sub(vector_at(work, k, POINT), origin)
        x, y = dot(d, right), dot(d, ahead)
        length = (x * x + y * y) ** 0.5
        if length <= near:
            continue
        turn = bx * y - by * x  # of k against the best so far: negative lies to its right
        if best < 0 or turn < -near * far or (turn <= near * far and length > far and bx * x + by * y > 0.0):
            best, bx, by, far = k, x, y, length
    return best


@compiled
def _precedes(work: Workspace, k: int, other: int, right: Vec, ahead: Vec) -> bool:
    """Whether row k lies further left, or below where both are as far left."""
    d = sub(vector_at(work, k, POINT), vector_at(work, other, POINT))
    x, y = dot(d, right), dot(d, ahead)
    return x < 0.0 or (x == 0.0 and y < 0.0)

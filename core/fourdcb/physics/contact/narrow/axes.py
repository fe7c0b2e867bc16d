"""The direction in which two overlapping parts come apart soonest.

Along a direction n the parts are ``s(n) = min_a n · x - max_b n · x`` apart; the signed distance is the
largest s. Where the parts overlap, a is moved along n until they do not, and the nearest points then give a
direction that separates them at least as well: s never falls, and only a local maximum stays as it is.
"""

from __future__ import annotations

from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.gjk import gjk
from fourdcb.physics.contact.narrow.support import core_support
from fourdcb.physics.contact.narrow.table import BOX, HULL, ShapeTable, Workspace, kind_of, reach_of
from fourdcb.physics.contact.narrow.vectors import (
    Mat,
    Vec,
    add,
    along,
    cross,
    dot,
    length,
    scaled,
    sub,
    turn,
    turn_back,
)

_CLIMBS = 12
_APART = 0.01  # share of the smaller reach by which a part is moved clear of the other


@compiled
def gap_along(table: ShapeTable, a: int, b: int, m: Mat, t: Vec, n: Vec) -> float:
    """s(n) of the cores of two parts."""
    low = add(turn(m, core_support(table, a, turn_back(m, (-n[0], -n[1], -n[2])))), t)
    return dot(n, sub(low, core_support(table, b, n)))


@compiled
def climb(
    table: ShapeTable, work: Workspace, a: int, b: int, m: Mat, t: Vec, n: Vec
) -> tuple[float, Vec, Vec, Vec]:
    """(s, direction, point on a's core, point on b's core) of the local maximum reached from n."""
    s = gap_along(table, a, b, m, t, n)
    clear = _APART * min(reach_of(table, a), reach_of(table, b))
    pa, pb = t, t
    for _ in range(_CLIMBS):
        shift = clear - s
        distance, v, qa, qb = gjk(table, work, a, b, m, along(t, shift, n), n)
        if distance <= 0.0:
            break
        better = scaled(v, 1.0 / distance)
        high = gap_along(table, a, b, m, t, better)
        pa, pb = along(qa, -shift, n), qb
        step = length(sub(better, n))
        if high < s:
            break
        s, n = high, better
        if step < 1e-11:
            break
    return s, n, pa, pb


@compiled
def first_guess(table: ShapeTable, work: Workspace, a: int, b: int, m: Mat, t: Vec, s: float, n: Vec) -> Vec:
    """The best of a few directions to climb from, n with its s among them."""
    best, high = n, s
    own = length(t)
    if own > 0.0:
        best, high = _better(table, a, b, m, t, t, best, high)
    for k in range(3 if kind_of(table, a) == BOX else 1):
        if kind_of(table, a) == HULL:
            break
        x = (m[2], m[5], m[8])
        if kind_of(table, a) == BOX:
            x = (m[k], m[3 + k], m[6 + k])
        else:
            best, high = _better(table, a, b, m, t, along(t, -dot(t, x), x), best, high)
        for j in range(3 if kind_of(table, b) == BOX else 1):
            if kind_of(table, b) == HULL:
                break
            y = (0.0, 0.0, 1.0)
            if kind_of(table, b) == BOX:
                y = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            best, high = _better(table, a, b, m, t, cross(x, y), best, high)
    if kind_of(table, b) != BOX and kind_of(table, b) != HULL:
        best, high = _better(table, a, b, m, t, (t[0], t[1], 0.0), best, high)
    # Part a shrunk until it is clear of b: for a shallow overlap its nearest points show the way.
    shrink = max(0.3, 1.0 + 2.0 * high / reach_of(table, a))
    small = (
        m[0] * shrink, m[1] * shrink, m[2] * shrink,
        m[3] * shrink, m[4] * shrink, m[5] * shrink,
        m[6] * shrink, m[7] * shrink, m[8] * shrink,
    )  # fmt: skip
    distance, v, _, _ = gjk(table, work, a, b, small, t, best)
    if distance > 0.0:
        best, high = _better(table, a, b, m, t, v, best, high)
    return best


@compiled
def _better(
    table: ShapeTable, a: int, b: int, m: Mat, t: Vec, d: Vec, best: Vec, high: float
) -> tuple[Vec, float]:
    far = length(d)
    if far <= 1e-9:
        return best, high
    d = scaled(d, 1.0 / far)
    if dot(d, t) < 0.0:
        d = scaled(d, -1.0)
    s = gap_along(table, a, b, m, t, d)
    return (d, s) if s > high else (best, high)

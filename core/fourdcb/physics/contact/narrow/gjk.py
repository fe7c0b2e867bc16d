"""Distance of two convex parts: Gilbert, Johnson, Keerthi, IEEE J. Robotics and Automation 4 (1988).

The nearest point of a simplex to the origin is found by Voronoi regions (Ericson, Real-Time Collision
Detection, 2005, chapter 5). Everything is in the frame of part b; part a lies there at ``m``, ``t``.
"""

from __future__ import annotations

import math

from fourdcb.arrays import F64
from fourdcb.physics.contact.compiled import compiled
from fourdcb.physics.contact.narrow.scratch import SIMPLEX
from fourdcb.physics.contact.narrow.support import core_support
from fourdcb.physics.contact.narrow.table import ShapeTable, Workspace
from fourdcb.physics.contact.narrow.vectors import Mat, Vec, add, along, cross, dot, sub, turn, turn_back

W4 = tuple[float, float, float, float]
_STEPS = 96
_EXACT = 1e-14  # share of |v|² by which the squared distance may be off when the search ends


@compiled
def gjk(
    table: ShapeTable, work: Workspace, a: int, b: int, m: Mat, t: Vec, guess: Vec
) -> tuple[float, Vec, Vec, Vec]:
    """(distance, vector b → a, point on a's core, point on b's core); distance 0 where the cores overlap."""
    s = work.real
    v = guess
    if dot(v, v) == 0.0:
        v = (1.0, 0.0, 0.0)
    _append(table, s, 0, a, b, m, t, v)
    v = (s[SIMPLEX + 0], s[SIMPLEX + 1], s[SIMPLEX + 2])
    count, w = 1, (1.0, 0.0, 0.0, 0.0)
    pa, pb = _blend(s, count, w, 3), _blend(s, count, w, 6)
    scale = 0.0
    for _ in range(_STEPS):
        vv = dot(v, v)
        for k in range(count):
            scale = max(
                scale,
                s[SIMPLEX + 9 * k] * s[SIMPLEX + 9 * k]
                + s[SIMPLEX + 9 * k + 1] * s[SIMPLEX + 9 * k + 1]
                + s[SIMPLEX + 9 * k + 2] * s[SIMPLEX + 9 * k + 2],
            )
        if vv <= 1e-28 * scale:
            return 0.0, v, pa, pb
        _append(table, s, count, a, b, m, t, v)
        p = (s[SIMPLEX + 9 * count], s[SIMPLEX + 9 * count + 1], s[SIMPLEX + 9 * count + 2])
        if vv - dot(v, p) <= _EXACT * vv or _known(s, count):
            break
        new_count, new_w = _nearest(s, count + 1)
        if new_count == 4:
            return 0.0, (0.0, 0.0, 0.0), _blend(s, 4, new_w, 3), _blend(s, 4, new_w, 6)
        new_v = _blend(s, new_count, new_w, 0)
        if dot(new_v, new_v) >= vv:  # rounding: no nearer
            break
        v, count, w = new_v, new_count, new_w
        pa, pb = _blend(s, count, w, 3), _blend(s, count, w, 6)
    return math.sqrt(dot(v, v)), v, pa, pb


@compiled
def _append(table: ShapeTable, s: F64, k: int, a: int, b: int, m: Mat, t: Vec, v: Vec) -> None:
    """The support point of a - b against v, with its origins on a and b, as corner k."""
    pa = add(turn(m, core_support(table, a, turn_back(m, (-v[0], -v[1], -v[2])))), t)
    pb = core_support(table, b, v)
    for x in range(3):
        s[SIMPLEX + 9 * k + x] = pa[x] - pb[x]
        s[SIMPLEX + 9 * k + 3 + x] = pa[x]
        s[SIMPLEX + 9 * k + 6 + x] = pb[x]


@compiled
def _known(s: F64, count: int) -> bool:
    for k in range(count):
        if (
            s[SIMPLEX + 9 * k] == s[SIMPLEX + 9 * count]
            and s[SIMPLEX + 9 * k + 1] == s[SIMPLEX + 9 * count + 1]
            and s[SIMPLEX + 9 * k + 2] == s[SIMPLEX + 9 * count + 2]
        ):
            return True
    return False


@compiled
def _blend(s: F64, count: int, w: W4, at: int) -> Vec:
    x, y, z = 0.0, 0.0, 0.0
    for k in range(count):
        x += w[k] * s[SIMPLEX + 9 * k + at]
        y += w[k] * s[SIMPLEX + 9 * k + at + 1]
        z += w[k] * s[SIMPLEX + 9 * k + at + 2]
    return (x, y, z)


@compiled
def _corner(s: F64, k: int) -> Vec:
    return (s[SIMPLEX + 9 * k], s[SIMPLEX + 9 * k + 1], s[SIMPLEX + 9 * k + 2])


@compiled
def _move(s: F64, to: int, k: int) -> None:
    if to != k:
        for x in range(9):
            s[SIMPLEX + 9 * to + x] = s[SIMPLEX + 9 * k + x]


@compiled
def _nearest(s: F64, count: int) -> tuple[int, W4]:
    """Drops the corners that the point nearest to the origin does not need: (number left, weights)."""
    if count == 2:
        i, w = _on_segment(_corner(s, 0), _corner(s, 1))
        return _pick(s, i, w)
    if count == 3:
        i, x, _ = _on_triangle(_corner(s, 0), _corner(s, 1), _corner(s, 2))
        return _pick(s, i, (x[0], x[1], x[2], 0.0))
    return _on_tetrahedron(s)


@compiled
def _pick(s: F64, used: int, w: W4) -> tuple[int, W4]:
    """Moves the corners of the bit set ``used`` to the front."""
    n, w0, w1, w2 = 0, 0.0, 0.0, 0.0
    for k in range(4):
        if used & (1 << k):
            _move(s, n, k)
            if n == 0:
                w0 = w[k]
            elif n == 1:
                w1 = w[k]
            else:
                w2 = w[k]
            n += 1
    return n, (w0, w1, w2, 0.0)


@compiled
def _on_segment(a: Vec, b: Vec) -> tuple[int, W4]:
    e = sub(b, a)
    s = -dot(a, e)
    if s <= 0.0:
        return 1, (1.0, 0.0, 0.0, 0.0)
    ee = dot(e, e)
    if s >= ee:
        return 2, (0.0, 1.0, 0.0, 0.0)
    f = s / ee
    return 3, (1.0 - f, f, 0.0, 0.0)


@compiled
def _on_triangle(a: Vec, b: Vec, c: Vec) -> tuple[int, Vec, float]:
    """(bit set of corners, weights, squared distance) of the point nearest to the origin."""
    ab, ac = sub(b, a), sub(c, a)
    n = cross(ab, ac)
    nn = dot(n, n)
    best, bits, w = math.inf, 1, (1.0, 0.0, 0.0)
    if nn > 0.0:
        u = dot(cross(b, c), n)
        v = dot(cross(c, a), n)
        x = dot(cross(a, b), n)
        if u > 0.0 and v > 0.0 and x > 0.0:
            total = u + v + x
            d = dot(a, n)
            return 7, (u / total, v / total, x / total), d * d / nn
    i, f = _on_segment(a, b)
    q = along(a, f[1], ab)
    best, bits, w = dot(q, q), i, (f[0], f[1], 0.0)
    i, f = _on_segment(a, c)
    q = along(a, f[1], ac)
    if dot(q, q) < best:
        best, bits, w = dot(q, q), (i & 1) | ((i & 2) << 1), (f[0], 0.0, f[1])
    i, f = _on_segment(b, c)
    q = along(b, f[1], sub(c, b))
    if dot(q, q) < best:
        best, bits, w = dot(q, q), i << 1, (0.0, f[0], f[1])
    return bits, w, best


@compiled
def _on_tetrahedron(s: F64) -> tuple[int, W4]:
    a, b, c, d = _corner(s, 0), _corner(s, 1), _corner(s, 2), _corner(s, 3)
    best, bits, weights = math.inf, 0, (0.0, 0.0, 0.0, 0.0)
    inside = True
    for face in range(4):
        # The triangle without corner ``face``, and that corner.
        if face == 0:
            p, q, r, o, i, j, k = b, c, d, a, 1, 2, 3
        elif face == 1:
            p, q, r, o, i, j, k = a, c, d, b, 0, 2, 3
        elif face == 2:
            p, q, r, o, i, j, k = a, b, d, c, 0, 1, 3
        else:
            p, q, r, o, i, j, k = a, b, c, d, 0, 1, 2
        n = cross(sub(q, p), sub(r, p))
        own, origin = dot(sub(o, p), n), -dot(p, n)
        # Inside, the origin lies between a face and the corner across; in a flat one it never does.
        if own * origin <= 0.0 or own * origin >= own * own:
            inside = False
            u, w, far = _on_triangle(p, q, r)
            if far < best:
                best = far
                bits = 0
                if u & 1:
                    bits |= 1 << i
                if u & 2:
                    bits |= 1 << j
                if u & 4:
                    bits |= 1 << k
                if face == 0:
                    weights = (0.0, w[0], w[1], w[2])
                elif face == 1:
                    weights = (w[0], 0.0, w[1], w[2])
                elif face == 2:
                    weights = (w[0], w[1], 0.0, w[2])
                else:
                    weights = (w[0], w[1], w[2], 0.0)
    if inside:
        return 4, (0.25, 0.25, 0.25, 0.25)
    return _pick(s, bits, weights)

"""The exact Coulomb law at one contact point, everything else held.

Wanted is the impulse p = (p_n, p_t) with u = b + K p and

    u_n >= g,  p_n >= 0,  p_n (u_n - g) = 0;   |p_t| <= μ p_n,  and u_t = 0 or p_t = -μ p_n u_t / |u_t|

(Signorini and Coulomb; see Acary & Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, 2008). The
friction disk is round: no direction in the plane is special.
"""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.layout import BLOCK, F64, INVERSE

Vec = tuple[float, float, float]
_TURNS = 24  # directions in which a slide is looked for
_STEPS = 40


@inline
def _slide(
    row: F64, i: int, b0: float, b1: float, b2: float, goal: float, mu: float, c: float, s: float
) -> Vec:
    """(normal impulse, slip along the direction (c, s), slip across it) of a slide that pushes against it."""
    k = row[i, BLOCK] - mu * (row[i, BLOCK + 1] * c + row[i, BLOCK + 2] * s)
    pn = (goal - b0) / k if k > 1e-14 * row[i, BLOCK] else 1e30
    p1, p2 = -mu * pn * c, -mu * pn * s
    u1 = b1 + row[i, BLOCK + 3] * pn + row[i, BLOCK + 4] * p1 + row[i, BLOCK + 5] * p2
    u2 = b2 + row[i, BLOCK + 6] * pn + row[i, BLOCK + 7] * p1 + row[i, BLOCK + 8] * p2
    return pn, u1 * c + u2 * s, u2 * c - u1 * s


@compiled
def solve_point(
    row: F64, i: int, b0: float, b1: float, b2: float, goal: float, mu: float, old1: float, old2: float
) -> Vec:
    """The impulse (normal, two tangents) of row ``i``.

    Args:
        row: contact rows.
        i: which one.
        b0, b1, b2: velocity along the frame without this impulse [m/s].
        goal: normal velocity wanted, at least [m/s].
        mu: coefficient of friction.
        old1, old2: tangential impulse of the last iteration: a slide is looked for there first.
    """
    if b0 >= goal:
        return 0.0, 0.0, 0.0
    if mu <= 0.0:
        return (goal - b0) / row[i, BLOCK], 0.0, 0.0
    r0, r1, r2 = goal - b0, -b1, -b2
    p0 = row[i, INVERSE] * r0 + row[i, INVERSE + 1] * r1 + row[i, INVERSE + 2] * r2
    p1 = row[i, INVERSE + 3] * r0 + row[i, INVERSE + 4] * r1 + row[i, INVERSE + 5] * r2
    p2 = row[i, INVERSE + 6] * r0 + row[i, INVERSE + 7] * r1 + row[i, INVERSE + 8] * r2
    if p0 > 0.0 and p1 * p1 + p2 * p2 <= mu * mu * p0 * p0:
        return p0, p1, p2
    angle = math.atan2(b2, b1) if old1 == 0.0 and old2 == 0.0 else math.atan2(-old2, -old1)
    found, angle = _near(row, i, b0, b1, b2, goal, mu, angle)
    if not found:
        found, angle = _anywhere(row, i, b0, b1, b2, goal, mu, angle)
    if found:
        c, s = math.cos(angle), math.sin(angle)
        pn, _, _ = _slide(row, i, b0, b1, b2, goal, mu, c, s)
        return pn, -mu * pn * c, -mu * pn * s
    # Where no slide and no hold is consistent (a jam, after Painlevé), the hold is cut to the cone.
    pn = max(p0, (goal - b0) / row[i, BLOCK])
    size = math.sqrt(p1 * p1 + p2 * p2)
    share = mu * pn / size if size > mu * pn else 1.0
    return pn, p1 * share, p2 * share


@compiled
def _near(
    row: F64, i: int, b0: float, b1: float, b2: float, goal: float, mu: float, angle: float
) -> tuple[bool, float]:
    """Newton's method for the direction of the slip, from ``angle`` on."""
    for _ in range(12):
        c, s = math.cos(angle), math.sin(angle)
        pn, along, across = _slide(row, i, b0, b1, b2, goal, mu, c, s)
        if not 0.0 < pn < 1e29:
            return False, angle
        # d/dangle of the slip's component across (c, s), with the normal impulse's own change.
        kn = row[i, BLOCK] - mu * (row[i, BLOCK + 1] * c + row[i, BLOCK + 2] * s)
        dpn = pn * mu * (row[i, BLOCK + 2] * c - row[i, BLOCK + 1] * s) / kn
        q1 = row[i, BLOCK + 3] - mu * (row[i, BLOCK + 4] * c + row[i, BLOCK + 5] * s)
        q2 = row[i, BLOCK + 6] - mu * (row[i, BLOCK + 7] * c + row[i, BLOCK + 8] * s)
        t1 = row[i, BLOCK + 5] * c - row[i, BLOCK + 4] * s
        t2 = row[i, BLOCK + 8] * c - row[i, BLOCK + 7] * s
        d1, d2 = dpn * q1 - mu * pn * t1, dpn * q2 - mu * pn * t2
        slope = d2 * c - d1 * s - along
        if slope == 0.0:
            return False, angle
        step = -across / slope
        if abs(step) > 0.7:
            return False, angle
        angle += step
        if abs(step) < 1e-13:
            return along >= 0.0, angle
    return abs(step) < 1e-9 and along >= 0.0, angle


@compiled
def _anywhere(
    row: F64, i: int, b0: float, b1: float, b2: float, goal: float, mu: float, angle: float
) -> tuple[bool, float]:
    """Looks all around for a direction of consistent slip, nearest to ``angle`` first."""
    half = math.pi / _TURNS
    for k in range(_TURNS):
        side = 1.0 if k % 2 == 1 else -1.0
        middle = angle + side * ((k + 1) // 2) * 2.0 * half
        low, high = middle - 1.02 * half, middle + 1.02 * half
        _, _, at_low = _slide(row, i, b0, b1, b2, goal, mu, math.cos(low), math.sin(low))
        _, _, at_high = _slide(row, i, b0, b1, b2, goal, mu, math.cos(high), math.sin(high))
        if at_low * at_high > 0.0:
            continue
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            pn, along, across = _slide(row, i, b0, b1, b2, goal, mu, math.cos(middle), math.sin(middle))
            if across * at_low > 0.0:
                low, at_low = middle, across
            else:
                high = middle
        if along >= 0.0 and 0.0 < pn < 1e29:
            return True, middle
    return False, angle

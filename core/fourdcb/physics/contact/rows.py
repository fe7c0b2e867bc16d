"""From contacts to the rows that the solver works on: frames, levers, blocks, what was known before."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.layout import (
    ACC,
    ARM_A,
    ARM_B,
    BLOCK,
    BODY_A,
    BODY_B,
    BOUNCE,
    DISTANCE,
    DRIFT,
    DYNAMIC,
    F64,
    FEATURE,
    FLAGS,
    FOUND,
    FRAME,
    FRICTION,
    GRIP,
    GRIP_A,
    GRIP_B,
    HELD,
    I64,
    IMPULSE,
    INV,
    INV_MASS,
    INVERSE,
    LEVER,
    MID_SPIN,
    MID_VEL,
    MU,
    OLD_ROWS,
    PACE_A,
    PACE_B,
    PATCH,
    POINT,
    POS,
    REACH,
    RESTITUTION,
    ROLL,
    ROLL_MASS,
    ROLLING,
    ROWS,
    SLOW,
    SPIN_A,
    SPIN_B,
    STRUCK,
    Simulation,
)

Vec = tuple[float, float, float]
MOST_FRICTION = 10.0
TOUCH = 1e-6  # of the smaller body's reach: nearer than this, two bodies touch
_JUMP = 0.2  # of a lever: what has moved by more in a step is another point
SLOW_STEPS = 1.5  # an approach is slow when the field makes it in so many steps


@inline
def field_of(body: F64, kind: I64, a: int, b: int) -> float:
    """The stronger field [m/s²] of a pair."""
    strongest = 0.0
    for n in (a, b):
        if kind[n] == DYNAMIC:
            square = body[n, ACC] ** 2 + body[n, ACC + 1] ** 2 + body[n, ACC + 2] ** 2
            strongest = max(strongest, math.sqrt(square))
    return strongest


@inline
def touch_of(body: F64, a: int, b: int) -> float:
    """Distance [m] up to which a pair touches."""
    return TOUCH * min(body[a, REACH], body[b, REACH])


@compiled
def build_rows(sim: Simulation, whole: float, h: float, old_h: float) -> None:
    """Takes the contacts found into rows, with the impulses that they had in the step before.

    Args:
        sim: found contacts in; rows out. The rows that were there become the old ones.
        whole: length of a substep [s]; h: of the step that is to be made; old_h: of the last one.
    """
    row, tag, found = sim.row, sim.tag, sim.found
    n_old = sim.counts[ROWS]
    for i in range(n_old):
        for k in range(4):
            sim.old_tag[i, k] = tag[i, k]
        for k in range(FRAME, STRUCK):
            sim.old_row[i, k] = row[i, k]
    sim.counts[OLD_ROWS] = n_old
    n = min(sim.counts[FOUND], len(tag))
    sim.counts[ROWS] = n
    for i in range(n):
        a, b = sim.found_pair[i, 0], sim.found_pair[i, 1]
        tag[i, BODY_A], tag[i, BODY_B], tag[i, FEATURE], tag[i, FLAGS] = a, b, found.feature[i], 0
        for k in range(3):
            row[i, FRAME + k] = found.normal[i, k]
            row[i, POINT + k] = found.point[i, k]
            row[i, GRIP + k] = found.point[i, k]
            row[i, STRUCK + k] = 0.0
        row[i, DISTANCE] = found.distance[i]
        row[i, PATCH], row[i, PATCH + 1] = found.patch[i, 0], found.patch[i, 1]
        _tangents(row, i)
        _pair_laws(sim, i, a, b, whole)
    _grips(sim)
    for i in range(n):
        for k in range(3):
            row[i, GRIP_A + k] = row[i, GRIP + k] - sim.body[tag[i, BODY_A], POS + k]
            row[i, GRIP_B + k] = row[i, GRIP + k] - sim.body[tag[i, BODY_B], POS + k]
            row[i, PACE_A + k] = row[i, PACE_B + k] = 0.0
        row[i, DRIFT] = row[i, DRIFT + 1] = row[i, DRIFT + 2] = 0.0
    _warm_start(sim, h, old_h)


@inline
def _pair_laws(sim: Simulation, i: int, a: int, b: int, h: float) -> None:
    body, row = sim.body, sim.row
    row[i, MU] = min(body[a, FRICTION] * body[b, FRICTION], MOST_FRICTION)
    row[i, BOUNCE] = body[a, RESTITUTION] * body[b, RESTITUTION]
    row[i, LEVER] = body[a, ROLLING] * body[b, FRICTION] + body[b, ROLLING] * body[a, FRICTION]
    row[i, SLOW] = SLOW_STEPS * field_of(body, sim.kind, a, b) * h


@compiled
def _tangents(row: F64, i: int) -> None:
    """Two tangents of row i; which ones does not matter, as the law of friction is round."""
    x, y, z = row[i, FRAME], row[i, FRAME + 1], row[i, FRAME + 2]
    if abs(x) < 0.6:
        size = math.sqrt(z * z + y * y)
        tx, ty, tz = 0.0, z / size, -y / size
    else:
        size = math.sqrt(z * z + x * x)
        tx, ty, tz = -z / size, 0.0, x / size
    row[i, FRAME + 3], row[i, FRAME + 4], row[i, FRAME + 5] = tx, ty, tz
    row[i, FRAME + 6] = y * tz - z * ty
    row[i, FRAME + 7] = z * tx - x * tz
    row[i, FRAME + 8] = x * ty - y * tx


@compiled
def _warm_start(sim: Simulation, h: float, old_h: float) -> None:
    """Gives each row the impulse that its feature had, scaled to the length of the step."""
    scale = h / old_h if old_h > 0.0 else 0.0
    row, tag, old_row, old_tag = sim.row, sim.tag, sim.old_row, sim.old_tag
    n_old = sim.counts[OLD_ROWS]
    start = 0
    for i in range(sim.counts[ROWS]):
        for k in range(5):
            row[i, IMPULSE + k] = 0.0
        a, b = tag[i, BODY_A], tag[i, BODY_B]
        # Both lists go through the pairs in the same order.
        while start < n_old and (
            old_tag[start, BODY_A] < a or (old_tag[start, BODY_A] == a and old_tag[start, BODY_B] < b)
        ):
            start += 1
        j = start
        while j < n_old and old_tag[j, BODY_A] == a and old_tag[j, BODY_B] == b:
            if old_tag[j, FEATURE] == tag[i, FEATURE]:
                _take_over(row, i, old_row, j, scale)
                if old_row[j, IMPULSE] > 0.0:
                    tag[i, FLAGS] |= HELD
                    _pace(row, i, old_row, j, 1.0 / old_h)
                break
            j += 1


@inline
def _take_over(row: F64, i: int, old: F64, j: int, scale: float) -> None:
    """Impulse of old row j, turned into the tangents of row i."""
    row[i, IMPULSE] = scale * old[j, IMPULSE]
    for t in range(1, 3):
        push, roll = 0.0, 0.0
        for s in range(1, 3):
            same = 0.0
            for k in range(3):
                same += row[i, FRAME + 3 * t + k] * old[j, FRAME + 3 * s + k]
            push += same * old[j, IMPULSE + s]
            roll += same * old[j, ROLL + s - 1]
        row[i, IMPULSE + t] = scale * push
        row[i, ROLL + t - 1] = scale * roll


@inline
def _pace(row: F64, i: int, old: F64, j: int, per: float) -> None:
    """How fast the levers of row i have moved since old row j; nothing where they have jumped."""
    for lever, pace in ((GRIP_A, PACE_A), (GRIP_B, PACE_B)):
        moved, size = 0.0, 0.0
        for k in range(3):
            moved += (row[i, lever + k] - old[j, lever + k]) ** 2
            size += row[i, lever + k] ** 2
        if moved <= _JUMP * _JUMP * size:
            for k in range(3):
                row[i, pace + k] = per * (row[i, lever + k] - old[j, lever + k])


@compiled
def tell_drift(sim: Simulation, i: int, h: float) -> None:
    """What the slip in the middle of a step of ``h`` [s] differs by from that of the levers at its start.

    The levers go on as they went: a tip turns with its top, a rim's lowest point with the lean. With those of
    the start alone the point that must not slip would be half a step late. Never more than what a point of
    the body itself would make, as the lowest point of a wobbling rim races.
    """
    body, row, a, b = sim.body, sim.row, sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    for d in range(3):
        row[i, DRIFT + d] = 0.0
    for side in range(2):
        n, lever, pace = (a, GRIP_A, PACE_A) if side == 0 else (b, GRIP_B, PACE_B)
        x, y, z = row[i, pace], row[i, pace + 1], row[i, pace + 2]
        wx, wy, wz = body[n, MID_SPIN], body[n, MID_SPIN + 1], body[n, MID_SPIN + 2]
        u, v, w = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
        size = math.sqrt(u * u + v * v + w * w)
        far = row[i, lever] ** 2 + row[i, lever + 1] ** 2 + row[i, lever + 2] ** 2
        most = (wx * wx + wy * wy + wz * wz) * math.sqrt(far)
        share = (0.5 if side == 0 else -0.5) * h * (most / size if size > most else 1.0)
        for d in range(3):
            t = FRAME + 3 * d
            row[i, DRIFT + d] += share * (u * row[i, t] + v * row[i, t + 1] + w * row[i, t + 2])


@compiled
def _grips(sim: Simulation) -> None:
    """Where friction acts on a face: so far from the face's middle as an even pressure does on average.

    The corners of a face carry its weight, but what resists its turning is friction all over it: the points
    of friction are drawn in until their mean distance from the middle is the face's mean lever.
    """
    row, tag = sim.row, sim.tag
    n = sim.counts[ROWS]
    i = 0
    while i < n:
        j = i + 1
        while j < n and _same_face(row, tag, i, j):
            j += 1
        if row[i, PATCH] > 0.0 and j - i >= 3:
            cx, cy, cz = 0.0, 0.0, 0.0
            for k in range(i, j):
                cx += row[k, POINT] / (j - i)
                cy += row[k, POINT + 1] / (j - i)
                cz += row[k, POINT + 2] / (j - i)
            mean = 0.0
            for k in range(i, j):
                x, y, z = row[k, POINT] - cx, row[k, POINT + 1] - cy, row[k, POINT + 2] - cz
                mean += math.sqrt(x * x + y * y + z * z) / (j - i)
            if mean > 0.0:
                share = row[i, PATCH + 1] / mean
                for k in range(i, j):
                    row[k, GRIP] = cx + share * (row[k, POINT] - cx)
                    row[k, GRIP + 1] = cy + share * (row[k, POINT + 1] - cy)
                    row[k, GRIP + 2] = cz + share * (row[k, POINT + 2] - cz)
        i = j


@inline
def _same_face(row: F64, tag: I64, i: int, j: int) -> bool:
    return (
        tag[i, BODY_A] == tag[j, BODY_A]
        and tag[i, BODY_B] == tag[j, BODY_B]
        and row[i, PATCH] == row[j, PATCH]
        and row[i, PATCH + 1] == row[j, PATCH + 1]
    )


@inline
def _cross(body: F64, n: int, row: F64, i: int, at: int, axis: int, out: int) -> None:
    """(point - centre) × direction, into three columns of the row."""
    x, y, z = row[i, at] - body[n, POS], row[i, at + 1] - body[n, POS + 1], row[i, at + 2] - body[n, POS + 2]
    dx, dy, dz = row[i, axis], row[i, axis + 1], row[i, axis + 2]
    row[i, out], row[i, out + 1], row[i, out + 2] = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx


@inline
def _spins(body: F64, n: int, row: F64, i: int, arm: int, out: int) -> None:
    """Inverse inertia times a torque arm."""
    for k in range(3):
        row[i, out + k] = (
            body[n, INV + 3 * k] * row[i, arm]
            + body[n, INV + 3 * k + 1] * row[i, arm + 1]
            + body[n, INV + 3 * k + 2] * row[i, arm + 2]
        )


@compiled
def prepare(sim: Simulation, i: int) -> None:
    """Levers, the 3 × 3 block of velocity per impulse and its inverse, with the inertias as they are."""
    body, row, tag = sim.body, sim.row, sim.tag
    a, b = tag[i, BODY_A], tag[i, BODY_B]
    for d in range(3):
        at = POINT if d == 0 else GRIP
        _cross(body, a, row, i, at, FRAME + 3 * d, ARM_A + 3 * d)
        _cross(body, b, row, i, at, FRAME + 3 * d, ARM_B + 3 * d)
        _spins(body, a, row, i, ARM_A + 3 * d, SPIN_A + 3 * d)
        _spins(body, b, row, i, ARM_B + 3 * d, SPIN_B + 3 * d)
    light = body[a, INV_MASS] + body[b, INV_MASS]
    for d in range(3):
        for e in range(d, 3):
            value = light if d == e else 0.0
            for k in range(3):
                value += row[i, ARM_A + 3 * d + k] * row[i, SPIN_A + 3 * e + k]
                value += row[i, ARM_B + 3 * d + k] * row[i, SPIN_B + 3 * e + k]
            row[i, BLOCK + 3 * d + e] = value
            row[i, BLOCK + 3 * e + d] = value
    _invert(row, i)
    if row[i, LEVER] > 0.0:
        loose = 0.0
        for d in range(1, 3):
            for k in range(3):
                for m in range(3):
                    loose += (
                        0.5
                        * row[i, FRAME + 3 * d + k]
                        * row[i, FRAME + 3 * d + m]
                        * (body[a, INV + 3 * k + m] + body[b, INV + 3 * k + m])
                    )
        row[i, ROLL_MASS] = 1.0 / loose if loose > 0.0 else 0.0


@compiled
def _invert(row: F64, i: int) -> None:
    """Inverse of the symmetric block."""
    k = BLOCK
    a, b, c = row[i, k], row[i, k + 1], row[i, k + 2]
    d, e, f = row[i, k + 4], row[i, k + 5], row[i, k + 8]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * p + b * q + c * r
    s = 1.0 / det if det > 0.0 else 0.0
    m = INVERSE
    row[i, m], row[i, m + 1], row[i, m + 2] = p * s, q * s, r * s
    row[i, m + 3], row[i, m + 4], row[i, m + 5] = q * s, (a * f - c * c) * s, (b * c - a * e) * s
    row[i, m + 6], row[i, m + 7], row[i, m + 8] = r * s, (b * c - a * e) * s, (a * d - b * b) * s


@inline
def speed(sim: Simulation, i: int, d: int) -> float:
    """Relative velocity [m/s] of row i along direction d of its frame, with the mid-step velocities."""
    body, row, a, b = sim.body, sim.row, sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    u = 0.0
    for k in range(3):
        u += row[i, FRAME + 3 * d + k] * (body[a, MID_VEL + k] - body[b, MID_VEL + k])
        u += row[i, ARM_A + 3 * d + k] * body[a, MID_SPIN + k]
        u -= row[i, ARM_B + 3 * d + k] * body[b, MID_SPIN + k]
    return u


@inline
def push_apart(sim: Simulation, i: int, d: int, impulse: float) -> None:
    """Lets an impulse [N s] along direction d act on the mid-step velocities."""
    body, row, a, b = sim.body, sim.row, sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    for k in range(3):
        body[a, MID_VEL + k] += body[a, INV_MASS] * impulse * row[i, FRAME + 3 * d + k]
        body[b, MID_VEL + k] -= body[b, INV_MASS] * impulse * row[i, FRAME + 3 * d + k]
        body[a, MID_SPIN + k] += impulse * row[i, SPIN_A + 3 * d + k]
        body[b, MID_SPIN + k] -= impulse * row[i, SPIN_B + 3 * d + k]


@inline
def twist(sim: Simulation, i: int, d: int, impulse: float) -> None:
    """Lets a torque impulse [N m s] about tangent d act on the mid-step spins."""
    body, row, a, b = sim.body, sim.row, sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    for k in range(3):
        for m in range(3):
            t = impulse * row[i, FRAME + 3 * d + m]
            body[a, MID_SPIN + k] += body[a, INV + 3 * k + m] * t
            body[b, MID_SPIN + k] -= body[b, INV + 3 * k + m] * t


@compiled
def tell_speed(sim: Simulation, i: int, column: int) -> None:
    """Writes the relative velocity at the point, in the world, into three columns."""
    body, row, a, b = sim.body, sim.row, sim.tag[i, BODY_A], sim.tag[i, BODY_B]
    for side in range(2):
        n, _sign = (a, 1.0) if side == 0 else (b, -1.0)
        x, y, z = (
            row[i, POINT] - body[n, POS],
            row[i, POINT + 1] - body[n, POS + 1],
            row[i, POINT + 2] - body[n, POS + 2],
        )
        wx, wy, wz = body[n, MID_SPIN], body[n, MID_SPIN + 1], body[n, MID_SPIN + 2]
        u = body[n, MID_VEL] + wy * z - wz * y
        v = body[n, MID_VEL + 1] + wz * x - wx * z
        w = body[n, MID_VEL + 2] + wx * y - wy * x
        if side == 0:
            row[i, column], row[i, column + 1], row[i, column + 2] = u, v, w
        else:
            row[i, column] -= u
            row[i, column + 1] -= v
            row[i, column + 2] -= w

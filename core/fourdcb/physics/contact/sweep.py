"""When, within a step, bodies meet that did not touch at its start."""

from __future__ import annotations

import math

from fourdcb.physics.contact.compiled import compiled, inline
from fourdcb.physics.contact.detect import collide_at, far_apart
from fourdcb.physics.contact.layout import (
    BODY_A,
    BODY_B,
    DISTANCE,
    F64,
    FEATURE,
    FOUND,
    I64,
    MID_SPIN,
    MID_VEL,
    PLANE,
    POS,
    QUAT,
    REACH,
    ROT,
    ROWS,
    STATIC,
    THIN,
    Simulation,
)
from fourdcb.physics.contact.motion import turned
from fourdcb.physics.contact.narrow.table import Contacts
from fourdcb.physics.contact.narrow.vectors import Vec
from fourdcb.physics.contact.rows import SLOW_STEPS, field_of, touch_of

_ITERATIONS = 60
_SAMPLE = 0.5  # of the thinner body: so far two bodies may move between two looks
_MOST_SAMPLES = 4000
_FAR = 1e30


@compiled
def meeting_time(sim: Simulation, h: float, whole_step: float) -> float:
    """Time [s] into the step of ``h`` [s] at which the first bodies meet fast; ``h`` when none do."""
    first = h
    found = sim.found
    last_a, last_b = -1, -1
    for i in range(sim.counts[FOUND]):
        a, b = sim.found_pair[i, 0], sim.found_pair[i, 1]
        if (a == last_a and b == last_b) or found.distance[i] >= -touch_of(sim.body, a, b):
            continue
        slow = SLOW_STEPS * field_of(sim.body, sim.kind, a, b) * whole_step
        at_a, at_b = _place(sim.body, a, h), _place(sim.body, b, h)
        if _approach(sim.body, found, i, a, b, at_a, at_b) <= slow or _touched(sim, a, b, found.feature[i]):
            continue
        last_a, last_b = a, b
        first = _meeting(sim, a, b, 0.0, first, slow)
    for k in range(len(sim.pairs)):
        a, b = sim.pairs[k, 0], sim.pairs[k, 1]
        step = _SAMPLE * min(sim.body[a, THIN], sim.body[b, THIN])
        way = _way(sim.body, sim.kind, a, b, first)
        if way > step:
            first = _look_along(sim, a, b, first, way, step, whole_step)
    return first


@compiled
def _look_along(
    sim: Simulation, a: int, b: int, h: float, way: float, step: float, whole_step: float
) -> float:
    """Looks at a fast pair so often that nothing thin is jumped over."""
    body = sim.body
    if body[a, PLANE] > 0.0 or body[b, PLANE] > 0.0:
        return h  # nothing is behind a half space
    if far_apart(body, a, b, _place(body, a, 0.0), _place(body, b, 0.0), way):
        return h
    slow = SLOW_STEPS * field_of(body, sim.kind, a, b) * whole_step
    count = min(math.ceil(way / step), _MOST_SAMPLES)
    for k in range(1, count + 1):
        t = h * k / count
        if _depth(sim, a, b, t, slow) < -touch_of(body, a, b):
            return _meeting(sim, a, b, h * (k - 1) / count, t, slow)
    return h


@inline
def _way(body: F64, kind: I64, a: int, b: int, h: float) -> float:
    """How far [m] points of a may move against points of b in ``h`` [s]."""
    x = body[a, MID_VEL] - body[b, MID_VEL]
    y = body[a, MID_VEL + 1] - body[b, MID_VEL + 1]
    z = body[a, MID_VEL + 2] - body[b, MID_VEL + 2]
    way = math.sqrt(x * x + y * y + z * z)
    for n in (a, b):
        if kind[n] != STATIC:
            w = body[n, MID_SPIN] ** 2 + body[n, MID_SPIN + 1] ** 2 + body[n, MID_SPIN + 2] ** 2
            way += math.sqrt(w) * body[n, REACH]
    return way * h


@compiled
def _meeting(sim: Simulation, a: int, b: int, low: float, high: float, slow: float) -> float:
    """Time at which a pair that overlaps at ``high`` meets: less deep than the touching distance."""
    touch = touch_of(sim.body, a, b)
    at_high = _depth(sim, a, b, high, slow)
    if at_high >= -touch:
        return high
    at_low = _depth(sim, a, b, low, slow)
    goal = -0.5 * touch
    for count in range(_ITERATIONS):
        straight = at_low < _FAR and at_low > goal
        if straight and count % 3 != 2:
            t = low + (high - low) * (at_low - goal) / (at_low - at_high)
        else:
            t = 0.5 * (low + high)
        if not low < t < high:
            return high
        depth = _depth(sim, a, b, t, slow)
        if depth >= 0.0:
            low, at_low = t, depth
        elif depth >= -touch:
            return t
        else:
            high, at_high = t, depth
    return high


@compiled
def _depth(sim: Simulation, a: int, b: int, t: float, slow: float) -> float:
    """Least distance [m] at ``t`` [s] of the pair's features that approach fast and did not touch before."""
    body, probe = sim.body, sim.probe
    at_a, at_b = _place(body, a, t), _place(body, b, t)
    _put_axes(body, sim.kind, a, t, sim.axes_a)
    _put_axes(body, sim.kind, b, t, sim.axes_b)
    n = collide_at(sim, a, b, at_a, at_b, 0.02 * min(body[a, REACH], body[b, REACH]), probe, 0)
    least = _FAR
    for i in range(min(n, len(probe.distance))):
        if probe.distance[i] >= least or _approach(body, probe, i, a, b, at_a, at_b) <= slow:
            continue
        if not _touched(sim, a, b, probe.feature[i]):
            least = probe.distance[i]
    return least


@inline
def _place(body: F64, n: int, t: float) -> Vec:
    return (
        body[n, POS] + t * body[n, MID_VEL],
        body[n, POS + 1] + t * body[n, MID_VEL + 1],
        body[n, POS + 2] + t * body[n, MID_VEL + 2],
    )


@compiled
def _put_axes(body: F64, kind: I64, n: int, t: float, axes: F64) -> None:
    """Writes the rotation matrix of a body at ``t`` [s]."""
    if kind[n] == STATIC:
        for c in range(3):
            for d in range(3):
                axes[c, d] = body[n, ROT + 3 * c + d]
        return
    x, y, z = t * body[n, MID_SPIN], t * body[n, MID_SPIN + 1], t * body[n, MID_SPIN + 2]
    w, x, y, z = turned(body, n, QUAT, x, y, z)
    axes[0, 0], axes[0, 1], axes[0, 2] = (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (x * z + y * w),
    )
    axes[1, 0], axes[1, 1], axes[1, 2] = (
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - x * w),
    )
    axes[2, 0], axes[2, 1], axes[2, 2] = (
        2.0 * (x * z - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (x * x + y * y),
    )


@compiled
def _approach(body: F64, rows: Contacts, i: int, a: int, b: int, at_a: Vec, at_b: Vec) -> float:
    """Closing speed [m/s] of a contact."""
    closing = 0.0
    for side in range(2):
        n, at, sign = (a, at_a, -1.0) if side == 0 else (b, at_b, 1.0)
        x, y, z = rows.point[i, 0] - at[0], rows.point[i, 1] - at[1], rows.point[i, 2] - at[2]
        wx, wy, wz = body[n, MID_SPIN], body[n, MID_SPIN + 1], body[n, MID_SPIN + 2]
        u = body[n, MID_VEL] + wy * z - wz * y
        v = body[n, MID_VEL + 1] + wz * x - wx * z
        w = body[n, MID_VEL + 2] + wx * y - wy * x
        closing += sign * (u * rows.normal[i, 0] + v * rows.normal[i, 1] + w * rows.normal[i, 2])
    return closing


@compiled
def _touched(sim: Simulation, a: int, b: int, feature: int) -> bool:
    """Whether a feature of the pair touched at the start of the step."""
    tag = sim.tag
    for i in range(sim.counts[ROWS]):
        same = tag[i, BODY_A] == a and tag[i, BODY_B] == b and tag[i, FEATURE] == feature
        if same and sim.row[i, DISTANCE] <= touch_of(sim.body, a, b):
            return True
    return False

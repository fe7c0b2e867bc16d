"""From what Bullet says step by step to the arrays of a trajectory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.trajectory import ContactTable

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

STATE_WIDTH = 13  # position 3, orientation xyzw 4, linear velocity 3, angular velocity 3
_ROW_WIDTH = 21
# Columns of a flattened row.
_HANDLES, _ON_A, _ON_B, _NORMAL = slice(0, 2), slice(2, 5), slice(5, 8), slice(8, 11)
_DISTANCE, _NORMAL_FORCE = 11, 12
_FORCE_1, _DIRECTION_1, _FORCE_2, _DIRECTION_2 = slice(13, 14), slice(14, 17), slice(17, 18), slice(18, 21)


class ContactLog:
    """Keeps Bullet's contact tuples as flat numbers (a tuple of tuples takes ten times the memory)."""

    def __init__(self) -> None:
        self._steps = array("i")
        self._values = array("d")

    def extend(self, steps: Sequence[int], rows: Sequence[tuple[Any, ...]]) -> None:
        """Appends rows of ``getContactPoints`` with the substeps at whose end they were read."""
        self._steps.extend(steps)
        self._values.extend(
            chain.from_iterable(
                (r[1], r[2], *r[5], *r[6], *r[7], r[8], r[9], r[10], *r[11], r[12], *r[13]) for r in rows
            )
        )

    def columns(self) -> tuple[I32, F64]:
        """Copies: steps, shape (C,); values, shape (C, 21)."""
        steps = np.array(self._steps, dtype=np.int32)
        return steps, np.array(self._values, dtype=np.float64).reshape(-1, _ROW_WIDTH)


def contact_table(
    steps: I32,
    values: F64,
    *,
    handles: Sequence[int],
    center: F64,
    linear: F64,
    angular: F64,
    dt: float,
) -> ContactTable:
    """The contact table out of Bullet's rows.

    Bullet finds contacts at the start of a substep and solves them there, so both relative velocities take
    their lever arms from the start pose.

    Args:
        steps, values: from :meth:`ContactLog.columns`.
        handles: Bullet's handle of every body.
        center: centres of mass [m], shape (S + 1, N, 3).
        linear, angular: Bullet's own velocities [m/s], [rad/s], shape (S + 1, N, 3).
        dt: length of a substep [s].
    """
    index_of = np.zeros(max(handles, default=0) + 1, dtype=np.int32)
    index_of[list(handles)] = np.arange(len(handles), dtype=np.int32)
    ends = index_of[values[:, _HANDLES].astype(np.int64)]
    first, second = ends[:, 0], ends[:, 1]
    swap = (first > second)[:, None]
    sign = np.where(swap, -1.0, 1.0)
    a, b = np.minimum(first, second), np.maximum(first, second)
    position = np.where(swap, values[:, _ON_A], values[:, _ON_B])
    force = values[:, _FORCE_1] * values[:, _DIRECTION_1] + values[:, _FORCE_2] * values[:, _DIRECTION_2]

    def relative_velocity(at: I32) -> F64:
        def point(body: I32) -> F64:
            lever = position - center[steps - 1, body]
            return linear[at, body] + np.cross(angular[at, body], lever)

        return point(a) - point(b)

    return ContactTable(
        step=steps,
        body_a=a,
        body_b=b,
        position=position,
        normal=sign * values[:, _NORMAL],
        distance=values[:, _DISTANCE],
        normal_impulse=np.maximum(values[:, _NORMAL_FORCE], 0.0) * dt,
        tangential_impulse=sign * force * dt,
        velocity_before=relative_velocity(steps - 1),
        velocity_after=relative_velocity(steps),
    )

"""From what Bullet says step by step to the arrays of a trajectory."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.trajectory import ContactTable

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

STATE_WIDTH = 13  # position 3, orientation xyzw 4, linear velocity 3, angular velocity 3
_HANDLES, _POSITION, _NORMAL, _DISTANCE, _NORMAL_FORCE = slice(0, 2), slice(2, 5), slice(5, 8), 8, 9
_FORCE_1, _DIRECTION_1, _FORCE_2, _DIRECTION_2 = slice(10, 11), slice(11, 14), slice(14, 15), slice(15, 18)
_ROW_WIDTH = 18
_pack_row = struct.Struct(f"{_ROW_WIDTH}d").pack


def pack_rows(rows: Sequence[tuple[Any, ...]]) -> list[bytes]:
    """Contact tuples as packed doubles: a quarter of the time of numpy, and no tuples that stay alive.

    Rows at distances > 0 are left out: there Bullet still reports the impulse of an earlier substep. The
    point is the one on the surface of the body with the larger handle.
    """
    return [
        _pack_row(
            a, b, *(on_b if a < b else on_a), *normal, distance, force, force_1, *along_1, force_2, *along_2
        )
        for _, a, b, _, _, on_a, on_b, normal, distance, force, force_1, along_1, force_2, along_2 in rows
        if distance <= 0.0
    ]  # fmt: skip


class StateLog:
    """Keeps poses and velocities of the moving bodies as blocks of numbers."""

    def __init__(self, n_bodies: int) -> None:
        self._n_bodies = n_bodies
        self._blocks: list[F64] = []

    def extend(self, parts: Sequence[tuple[float, ...]], n_steps: int) -> F64:
        """Appends substeps.

        Args:
            parts: position, orientation, linear and angular velocity of every moving body, step by step.
            n_steps: number of substeps in it.

        Returns:
            The appended block, shape (n_steps, D, 13).
        """
        count = n_steps * self._n_bodies * STATE_WIDTH
        # struct takes tuples in twice as fast as numpy.fromiter.
        flat = np.frombuffer(struct.pack(f"{count}d", *chain.from_iterable(parts)))
        block = flat.reshape(n_steps, self._n_bodies, STATE_WIDTH)
        self._blocks.append(block)
        return block

    def states(self) -> F64:
        """Everything so far, shape (S + 1, D, 13)."""
        return np.concatenate(self._blocks)


class ContactLog:
    """Keeps contact rows as blocks of numbers."""

    def __init__(self) -> None:
        self._steps: list[I32] = []
        self._values: list[F64] = []

    def extend(self, first_step: int, counts: Sequence[int], rows: Sequence[bytes]) -> None:
        """Appends the contacts of a run of substeps.

        Args:
            first_step: the substep at whose end the first rows were read.
            counts: rows of each substep.
            rows: from :func:`pack_rows`, substep after substep.
        """
        if not rows:
            return
        steps = np.arange(first_step, first_step + len(counts), dtype=np.int32)
        self._steps.append(np.repeat(steps, counts))
        self._values.append(np.frombuffer(b"".join(rows)).reshape(len(rows), _ROW_WIDTH))

    def columns(self) -> tuple[I32, F64]:
        """Steps, shape (C,), and values, shape (C, 18)."""
        if not self._steps:
            return np.zeros(0, dtype=np.int32), np.zeros((0, _ROW_WIDTH))
        return np.concatenate(self._steps), np.concatenate(self._values)


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
        handles: Bullet's handle of every body, ascending.
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
    position = values[:, _POSITION].copy()
    force = values[:, _FORCE_1] * values[:, _DIRECTION_1] + values[:, _FORCE_2] * values[:, _DIRECTION_2]

    before, after = np.zeros_like(position), np.zeros_like(position)
    moves = np.any(linear, axis=(0, 2)) | np.any(angular, axis=(0, 2))
    for body, side in ((a, 1.0), (b, -1.0)):
        rows = np.flatnonzero(moves[body])  # most rows have the floor on one side
        who, end = body[rows], steps[rows]
        lever = side * (position[rows] - center[end - 1, who])
        for relative, at in ((before, end - 1), (after, end)):
            relative[rows] += side * linear[at, who] + _cross(angular[at, who], lever)
    return ContactTable(
        step=steps,
        body_a=a,
        body_b=b,
        position=position,
        normal=sign * values[:, _NORMAL],
        distance=values[:, _DISTANCE].copy(),
        normal_impulse=np.maximum(values[:, _NORMAL_FORCE], 0.0) * dt,
        tangential_impulse=sign * force * dt,
        velocity_before=before,
        velocity_after=after,
    )


def _cross(a: F64, b: F64) -> F64:
    # numpy.cross takes five times as long on these shapes.
    ax, ay, az = a.T
    bx, by, bz = b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)

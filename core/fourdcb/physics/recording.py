"""From what Bullet says step by step to the arrays of a trajectory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics.native import (
    CONTACT_ALONG_1,
    CONTACT_ALONG_2,
    CONTACT_BYTES,
    CONTACT_DISTANCE,
    CONTACT_FORCE,
    CONTACT_FRICTION_1,
    CONTACT_FRICTION_2,
    CONTACT_HANDLES,
    CONTACT_NORMAL,
    CONTACT_ON_A,
    CONTACT_ON_B,
    CONTACT_WIDTH,
)
from fourdcb.trajectory import ContactTable

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

STATE_WIDTH = 13  # position 3, orientation xyzw 4, linear velocity 3, angular velocity 3


class StateLog:
    """Keeps poses and velocities of the moving bodies as blocks of numbers."""

    def __init__(self, n_bodies: int) -> None:
        self._n_bodies = n_bodies
        self._blocks: list[F64] = []

    def extend(self, parts: Sequence[bytes], n_steps: int) -> F64:
        """Appends substeps.

        Args:
            parts: from :meth:`~fourdcb.physics.client.BulletClient.state_reader`, step by step.
            n_steps: number of substeps in it.

        Returns:
            The appended block, shape (n_steps, D, 13).
        """
        block = np.frombuffer(b"".join(parts)).reshape(n_steps, self._n_bodies, STATE_WIDTH)
        self._blocks.append(block)
        return block

    def states(self) -> F64:
        """Everything so far, shape (S + 1, D, 13)."""
        return np.concatenate(self._blocks)


class ContactLog:
    """Keeps contact rows as Bullet tells them."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def extend(self, parts: Sequence[bytes]) -> None:
        """Appends the contacts of a run of substeps, one part of each, beginning with that of substep 1.

        Args:
            parts: from :meth:`~fourdcb.physics.client.BulletClient.contact_reader`.
        """
        self._parts += parts

    def columns(self) -> tuple[I32, F64]:
        """Steps, shape (C,), and Bullet's rows, shape (C, 22).

        Rows at distances > 0 are left out: there Bullet still reports the impulse of an earlier substep.
        """
        rows = np.frombuffer(b"".join(self._parts)).reshape(-1, CONTACT_WIDTH)
        counts = [len(part) // CONTACT_BYTES for part in self._parts]
        steps = np.repeat(np.arange(1, len(counts) + 1, dtype=np.int32), counts)
        touching = rows[:, CONTACT_DISTANCE] <= 0.0
        return steps[touching], rows[touching]


def contact_table(
    steps: I32,
    rows: F64,
    *,
    handles: Sequence[int],
    center: F64,
    linear: F64,
    angular: F64,
    dt: float,
) -> ContactTable:
    """The contact table out of Bullet's rows.

    Bullet finds contacts at the start of a substep and solves them there, so both relative velocities take
    their lever arms from the start pose. The point is the one on the body with the larger handle.

    Args:
        steps, rows: from :meth:`ContactLog.columns`.
        handles: Bullet's handle of every body, ascending.
        center: centres of mass [m], shape (S + 1, N, 3).
        linear, angular: Bullet's own velocities [m/s], [rad/s], shape (S + 1, N, 3).
        dt: length of a substep [s].
    """
    index_of = np.zeros(max(handles, default=0) + 1, dtype=np.int32)
    index_of[list(handles)] = np.arange(len(handles), dtype=np.int32)
    first, second = index_of[rows.view(np.int32)[:, CONTACT_HANDLES]].T
    a, b = np.minimum(first, second), np.maximum(first, second)
    swapped = first > second
    sign = np.where(swapped, -1.0, 1.0)
    values = rows.T.copy()  # numpy is several times faster along contacts than across three coordinates
    position = np.where(swapped, values[CONTACT_ON_A], values[CONTACT_ON_B])
    force = (
        values[CONTACT_FRICTION_1] * values[CONTACT_ALONG_1]
        + values[CONTACT_FRICTION_2] * values[CONTACT_ALONG_2]
    )
    before, after = np.zeros_like(position), np.zeros_like(position)
    moves = np.any(np.any(linear, axis=0) | np.any(angular, axis=0), axis=1)
    n_bodies, centers, speeds, spins = len(moves), _flat(center), _flat(linear), _flat(angular)
    for body, side in ((a, 1.0), (b, -1.0)):
        moving = np.flatnonzero(moves[body])  # most contacts have the floor on one side
        end = steps[moving] * n_bodies + body[moving]
        lever = side * (position.take(moving, axis=1) - centers.take(end - n_bodies, axis=1))
        for relative, at in ((before, end - n_bodies), (after, end)):
            own = side * speeds.take(at, axis=1) + _cross(spins.take(at, axis=1), lever)
            for coordinate, share in zip(relative, own, strict=True):
                coordinate[moving] += share
    return ContactTable(
        step=steps,
        body_a=a,
        body_b=b,
        position=_rows(position),
        normal=_rows(sign * values[CONTACT_NORMAL]),
        distance=values[CONTACT_DISTANCE],
        normal_impulse=np.maximum(values[CONTACT_FORCE], 0.0) * dt,
        tangential_impulse=_rows(sign * force * dt),
        velocity_before=_rows(before),
        velocity_after=_rows(after),
    )


def _flat(states: F64) -> F64:
    """Shape (S + 1, N, 3) to (3, (S + 1) · N)."""
    return np.ascontiguousarray(states.reshape(-1, 3).T)


def _rows(coordinates: F64) -> F64:
    return np.ascontiguousarray(coordinates.T)


def _cross(a: F64, b: F64) -> F64:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

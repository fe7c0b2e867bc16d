"""From what Bullet says step by step to the arrays of a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.physics.native import CONTACT
from fourdcb.trajectory import ContactTable

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

Rows = NDArray[Any]  # of CONTACT

STATE_WIDTH = 13  # position 3, orientation xyzw 4, linear velocity 3, angular velocity 3


class StateLog:
    """Keeps poses and velocities of the moving bodies as blocks of numbers."""

    def __init__(self, n_bodies: int) -> None:
        self._n_bodies = n_bodies
        self._blocks: list[F64] = []

    def extend(self, parts: Sequence[bytes], n_steps: int) -> F64:
        """Appends substeps.

        Args:
            parts: what :class:`~fourdcb.physics.client.StateReader` reads, step by step.
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
    """Keeps contact rows as blocks of numbers."""

    def __init__(self) -> None:
        self._steps: list[I32] = []
        self._rows: list[Rows] = []

    def extend(self, first_step: int, parts: Sequence[bytes]) -> None:
        """Appends the contacts of a run of substeps.

        Rows at distances > 0 are left out: there Bullet still reports the impulse of an earlier substep.

        Args:
            first_step: the substep at whose end the first rows were read.
            parts: what :class:`~fourdcb.physics.client.ContactReader` reads, one of each substep.
        """
        rows = np.frombuffer(b"".join(parts), dtype=CONTACT)
        if not len(rows):
            return
        counts = [len(part) // CONTACT.itemsize for part in parts]
        steps = np.repeat(np.arange(first_step, first_step + len(parts), dtype=np.int32), counts)
        touching = rows["distance"] <= 0.0
        self._steps.append(steps[touching])
        self._rows.append(rows[touching])

    def columns(self) -> tuple[I32, Rows]:
        """Steps and Bullet's rows, shape (C,) both."""
        if not self._steps:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=CONTACT)
        return np.concatenate(self._steps), np.concatenate(self._rows)


def contact_table(
    steps: I32,
    rows: Rows,
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
    first, second = index_of[rows["a"]], index_of[rows["b"]]
    swap = (first > second)[:, None]
    sign = np.where(swap, -1.0, 1.0)
    a, b = np.minimum(first, second), np.maximum(first, second)
    position = np.where(swap, rows["on_a"], rows["on_b"])
    force = rows["force_1"][:, None] * rows["along_1"] + rows["force_2"][:, None] * rows["along_2"]

    before, after = np.zeros_like(position), np.zeros_like(position)
    moves = np.any(linear, axis=(0, 2)) | np.any(angular, axis=(0, 2))
    for body, side in ((a, 1.0), (b, -1.0)):
        moving = np.flatnonzero(moves[body])  # most contacts have the floor on one side
        who, end = body[moving], steps[moving]
        lever = side * (position[moving] - center[end - 1, who])
        for relative, at in ((before, end - 1), (after, end)):
            relative[moving] += side * linear[at, who] + _cross(angular[at, who], lever)
    return ContactTable(
        step=steps,
        body_a=a,
        body_b=b,
        position=position,
        normal=sign * rows["normal"],
        distance=rows["distance"].copy(),
        normal_impulse=np.maximum(rows["force"], 0.0) * dt,
        tangential_impulse=sign * force * dt,
        velocity_before=before,
        velocity_after=after,
    )


def _cross(a: F64, b: F64) -> F64:
    # numpy.cross takes five times as long on these shapes.
    ax, ay, az = a.T
    bx, by, bz = b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)

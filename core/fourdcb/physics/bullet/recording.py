"""From what Bullet says step by step to the arrays of a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64, I32
from fourdcb.physics.bullet.native import (
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

STATE_WIDTH = 13  # position 3, orientation xyzw 4, linear velocity 3, angular velocity 3
_PENDING_BYTES = 2**20  # of contact rows that wait to be converted


class _Rows:
    """An array that grows at its end, in one piece of memory that is given back as one."""

    def __init__(self, *shape: int, dtype: type = np.float64) -> None:
        self._room: NDArray[Any] = np.empty((0, *shape), dtype=dtype)
        self._length = 0

    def reserve(self, count: int) -> None:
        """Makes room for so many rows more, so that none of them moves what is there."""
        needed = self._length + count
        if needed > len(self._room):
            # Twice the room when it grows again and again: then a row is moved once on average.
            room = np.empty((max(needed, 2 * self._length), *self._room.shape[1:]), dtype=self._room.dtype)
            room[: self._length] = self.all()
            self._room = room

    def append(self, count: int) -> NDArray[Any]:
        """The rows that follow, to be filled in."""
        self.reserve(count)
        self._length += count
        return self._room[self._length - count : self._length]

    def all(self) -> NDArray[Any]:
        """The rows so far: a view."""
        return self._room[: self._length]


class StateLog:
    """Keeps poses and velocities of the moving bodies."""

    def __init__(self, n_bodies: int) -> None:
        self._rows = _Rows(n_bodies, STATE_WIDTH)

    def reserve(self, n_steps: int) -> None:
        """Makes room for so many substeps more."""
        self._rows.reserve(n_steps)

    def extend(self, parts: Sequence[bytes], n_steps: int) -> F64:
        """Appends substeps.

        Args:
            parts: from :meth:`~fourdcb.physics.bullet.client.BulletClient.state_reader`, step by step.
            n_steps: number of substeps in it.

        Returns:
            The appended block, shape (n_steps, D, 13).
        """
        block = self._rows.append(n_steps)
        block[...] = np.frombuffer(b"".join(parts)).reshape(block.shape)
        return block

    def states(self) -> F64:
        """Everything so far, shape (S + 1, D, 13): a view."""
        return self._rows.all()


class ContactLog:
    """Keeps contacts; what Bullet tells of them is converted from time to time, as it is twice as large.

    Args:
        handles: Bullet's handle of every body, ascending.
        dt: length of a substep [s].
    """

    def __init__(self, handles: Sequence[int], *, dt: float) -> None:
        self._index_of = np.zeros(max(handles, default=0) + 1, dtype=np.int32)
        self._index_of[list(handles)] = np.arange(len(handles), dtype=np.int32)
        self._dt = dt
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._n_steps = 0  # of those that are converted
        self._columns = {
            "step": _Rows(dtype=np.int32),
            "body_a": _Rows(dtype=np.int32),
            "body_b": _Rows(dtype=np.int32),
            "position": _Rows(3),
            "normal": _Rows(3),
            "distance": _Rows(),
            "normal_impulse": _Rows(),
            "tangential_impulse": _Rows(3),
        }

    def extend(self, parts: Sequence[bytes]) -> None:
        """Appends the contacts of a run of substeps, one part of each, beginning with that of substep 1.

        Args:
            parts: from :meth:`~fourdcb.physics.bullet.client.BulletClient.contact_reader`.
        """
        self._pending += parts
        self._pending_bytes += sum(map(len, parts))
        if self._pending_bytes > _PENDING_BYTES:
            self._convert()

    def table(self) -> ContactTable:
        """All contacts so far, with velocities that are 0 still; see :func:`add_velocities`.

        Rows at distances > 0 are left out: there Bullet still reports the impulse of an earlier substep.
        """
        self._convert()
        columns = {name: rows.all().copy() for name, rows in self._columns.items()}
        shape = (len(columns["step"]), 3)
        return ContactTable(**columns, velocity_before=np.zeros(shape), velocity_after=np.zeros(shape))

    def _convert(self) -> None:
        rows = np.frombuffer(b"".join(self._pending)).reshape(-1, CONTACT_WIDTH)
        counts = [len(part) // CONTACT_BYTES for part in self._pending]
        first = self._n_steps + 1
        steps = np.repeat(np.arange(first, first + len(counts), dtype=np.int32), counts)
        touching = rows[:, CONTACT_DISTANCE] <= 0.0
        converted = {"step": steps[touching], **_columns(rows[touching], self._index_of, self._dt)}
        for name, column in self._columns.items():
            column.append(len(converted["step"]))[...] = converted[name]
        self._n_steps += len(counts)
        self._pending, self._pending_bytes = [], 0


def _columns(rows: F64, index_of: I32, dt: float) -> dict[str, NDArray[Any]]:
    """Bullet's rows as columns of a contact table. The point is the one on the larger handle's body."""
    first, second = index_of[rows.view(np.int32)[:, CONTACT_HANDLES]].T
    swapped = first > second
    sign = np.where(swapped, -1.0, 1.0)
    values = rows.T.copy()  # numpy is several times faster along contacts than across three coordinates
    force = (
        values[CONTACT_FRICTION_1] * values[CONTACT_ALONG_1]
        + values[CONTACT_FRICTION_2] * values[CONTACT_ALONG_2]
    )
    return {
        "body_a": np.minimum(first, second),
        "body_b": np.maximum(first, second),
        "position": np.where(swapped, values[CONTACT_ON_A], values[CONTACT_ON_B]).T,
        "normal": (sign * values[CONTACT_NORMAL]).T,
        "distance": values[CONTACT_DISTANCE],
        "normal_impulse": np.maximum(values[CONTACT_FORCE], 0.0) * dt,
        "tangential_impulse": (sign * force * dt).T,
    }


def add_velocities(
    contacts: ContactTable,
    *,
    first: int,
    moves: NDArray[np.bool_],
    center: F64,
    linear: F64,
    angular: F64,
) -> None:
    """Fills in the relative velocities of the contacts of a run of substeps.

    Bullet finds contacts at the start of a substep and solves them there, so both relative velocities take
    their lever arms from the start pose.

    Args:
        contacts: from :meth:`ContactLog.table`.
        first: substep of the first state; contacts of the substeps after it are filled in.
        moves: whether a body ever moves, length N.
        center: centres of mass [m], shape (K, N, 3).
        linear, angular: Bullet's own velocities [m/s], [rad/s], shape (K, N, 3).
    """
    run = run_of(contacts, first + 1, first + len(center))
    steps, position = contacts.step[run] - first, _flat(contacts.position[run])
    before, after = np.zeros_like(position), np.zeros_like(position)
    n_bodies, centers, speeds, spins = len(moves), _flat(center), _flat(linear), _flat(angular)
    for body, side in ((contacts.body_a[run], 1.0), (contacts.body_b[run], -1.0)):
        moving = np.flatnonzero(moves[body])  # most contacts have the floor on one side
        end = steps[moving] * n_bodies + body[moving]
        lever = side * (position.take(moving, axis=1) - centers.take(end - n_bodies, axis=1))
        for relative, at in ((before, end - n_bodies), (after, end)):
            own = side * speeds.take(at, axis=1) + _cross(spins.take(at, axis=1), lever)
            for coordinate, share in zip(relative, own, strict=True):
                coordinate[moving] += share
    contacts.velocity_before[run], contacts.velocity_after[run] = before.T, after.T


def run_of(contacts: ContactTable, first: int, stop: int) -> slice:
    """Rows of the contacts of substeps first … stop - 1."""
    begin, end = np.searchsorted(contacts.step, (first, stop)).tolist()
    return slice(begin, end)


def _flat(states: F64) -> F64:
    """Shape (…, 3) to (3, …), all else in one axis."""
    return np.ascontiguousarray(states.reshape(-1, 3).T)


def _cross(a: F64, b: F64) -> F64:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

"""What acts on bodies before each substep: acceleration fields and the drive of kinematic bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fourdcb.physics.bullet.client import BulletClient
from fourdcb.physics.bullet.scene import LoadedBody, set_gravity
from fourdcb.physics.keyframes import sample_keyframes, velocities
from fourdcb.world import Object

_BATCH = 512  # substeps of keyframes that are sampled at once


class StepForces:
    """Applies fields and drives.

    The first substep gets ``first_kick`` of each acceleration. With half of it, Bullet's semi-implicit steps
    are leapfrog steps whose positions are exact for a constant field (with all of it free fall is
    g·t/(2·rate) too deep).
    """

    def __init__(
        self, client: BulletClient, bodies: Sequence[LoadedBody], *, rate_hz: float, first_kick: float
    ) -> None:
        self._client, self._rate_hz = client, rate_hz
        self._first_kick = first_kick
        dynamic = [body for body in bodies if body.kind == "dynamic"]
        self._driven = [body for body in bodies if body.kind == "kinematic"]
        fields = {body.acc for body in dynamic}
        shared = len(fields) == 1 and not self._driven
        self._gravity = fields.pop() if shared else (0.0, 0.0, 0.0)
        self._forced = [] if shared else [b for b in dynamic if b.acc != (0.0, 0.0, 0.0)]
        self._drives: list[list[tuple[Any, ...]]] = []
        self._batch_start = -1
        self.needed = bool(self._forced or self._driven)  # in every substep, not only the first two

    def apply(self, index: int) -> None:
        """Prepares the substep that starts at ``index`` / rate."""
        if index <= 1:
            share = self._first_kick if index == 0 else 1.0
            x, y, z = self._gravity
            set_gravity(self._client, (share * x, share * y, share * z))
        for body in self._forced:
            factor = body.mass * (self._first_kick if index == 0 else 1.0)
            x, y, z = body.acc
            center = self._client.pose(body.handle)[:3]
            self._client.push(body.handle, (factor * x, factor * y, factor * z), center)
        if self._driven:
            self._drive(index)

    def _drive(self, index: int) -> None:
        if not self._batch_start <= index < self._batch_start + _BATCH or self._batch_start < 0:
            self._drives = [self._sampled(body, index) for body in self._driven]
            self._batch_start = index
        for body, rows in zip(self._driven, self._drives, strict=True):
            origin, quaternion, linear, angular = rows[index - self._batch_start]
            self._client.set_pose(body.handle, origin, quaternion)
            self._client.set_velocity(body.handle, linear, angular)

    def _sampled(self, body: LoadedBody, start: int) -> list[tuple[Any, ...]]:
        assert isinstance(body.source, Object)
        times = np.arange(start, start + _BATCH + 1) / self._rate_hz
        position, orientation = sample_keyframes(body.source.trajectory, times)
        linear, angular = velocities(position, orientation, 1.0 / self._rate_hz)
        poses = (body.body_pose(p, q) for p, q in zip(position[:-1], orientation[:-1], strict=True))
        return [
            (origin.tolist(), quaternion.tolist(), v, w)
            for (origin, quaternion), v, w in zip(poses, linear.tolist(), angular.tolist(), strict=True)
        ]

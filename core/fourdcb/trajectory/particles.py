"""Particles that a rollout carries along: water, sand, splinters; one position a frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParticleTrack:
    """P particles at the T frames of a trajectory, in the order in which they were made.

    Attributes:
        fps: frames per second [1/s].
        position: centres in the world [m], shape (T, P, 3).
        radius: [m], shape (P,), positive.
        mass: [kg], shape (P,), not negative.

    Raises:
        ValueError: when shapes do not fit each other, or a number is out of range.
    """

    fps: float
    position: F64
    radius: F64
    mass: F64

    def __post_init__(self) -> None:
        count = self.position.shape[1] if self.position.ndim == 3 else -1
        if self.position.shape[2:] != (3,) or not len(self.position):
            raise ValueError(f"particle positions have shape {self.position.shape}, expected (T, P, 3)")
        for name in ("radius", "mass"):
            if getattr(self, name).shape != (count,):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, expected ({count},)")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise ValueError(f"{self.fps} frames per second")
        if not np.isfinite(self.position).all():
            raise ValueError("a particle's position is not finite")
        if not ((self.radius > 0) & np.isfinite(self.radius)).all():
            raise ValueError("a particle's radius is not positive and finite")
        if not ((self.mass >= 0) & np.isfinite(self.mass)).all():
            raise ValueError("a particle's mass is negative or not finite")

    @property
    def n_frames(self) -> int:
        """T."""
        return self.position.shape[0]

    @property
    def n_particles(self) -> int:
        """P."""
        return self.position.shape[1]

    def at(self, t: float) -> F64:
        """Centres at a time [s], shape (P, 3).

        Linear between frames; beyond the first and the last frame particles go on as they move there, as
        bodies do (:meth:`fourdcb.trajectory.Trajectory.pose_at`); a track of one frame stands still.
        """
        if self.n_frames == 1:
            return self.position[0]
        frame = t * self.fps
        k = min(max(int(np.floor(frame)), 0), self.n_frames - 2)
        w = frame - k
        return (1 - w) * self.position[k] + w * self.position[k + 1]

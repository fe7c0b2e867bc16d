"""Motion of kinematic bodies: keyframes sampled at substeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import canonical_quaternion, conjugate_quaternion, multiply_quaternions
from fourdcb.world import Keyframe


def sample_keyframes(keyframes: Sequence[Keyframe], times: F64) -> tuple[F64, F64]:
    """Poses at ``times`` [s], shape (K,): positions linear, orientations slerp, held outside the range.

    Returns:
        position [m], shape (K, 3); orientation_wxyz, shape (K, 4), neighbours on the same half sphere.
    """
    stamps = np.array([key.t for key in keyframes])
    points = np.array([key.pos for key in keyframes], dtype=np.float64)
    turns = canonical_quaternion([key.rot for key in keyframes])
    position = np.stack([np.interp(times, stamps, points[:, axis]) for axis in range(3)], axis=1)
    if len(stamps) == 1:
        return position, np.repeat(turns, len(times), axis=0)
    right = np.clip(np.searchsorted(stamps, times, side="right"), 1, len(stamps) - 1)
    span = stamps[right] - stamps[right - 1]
    weight = np.clip((times - stamps[right - 1]) / np.where(span > 0, span, 1.0), 0.0, 1.0)
    return position, _slerp(turns[right - 1], turns[right], weight)


def velocities(position: F64, orientation_wxyz: F64, dt: float) -> tuple[F64, F64]:
    """Velocities that carry pose k to pose k + 1 in ``dt`` [s].

    Returns:
        linear [m/s] and angular [rad/s] in the world frame, shape (K - 1, 3).
    """
    linear = np.diff(position, axis=0) / dt
    turn = multiply_quaternions(orientation_wxyz[1:], conjugate_quaternion(orientation_wxyz[:-1]))
    turn = np.where(turn[:, :1] < 0, -turn, turn)
    sine = np.linalg.norm(turn[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, turn[:, :1])
    axis = np.where(sine > 1e-15, turn[:, 1:] / np.maximum(sine, 1e-300), 0.0)
    return linear, axis * angle / dt


def _slerp(a: F64, b: F64, weight: F64) -> F64:
    cosine = np.sum(a * b, axis=1, keepdims=True)
    b = np.where(cosine < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    w = weight[:, None]
    sine = np.sin(angle)
    near = sine < 1e-9
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1 - w, np.sin((1 - w) * angle) / safe)
    second = np.where(near, w, np.sin(w * angle) / safe)
    mixed = first * a + second * b
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)

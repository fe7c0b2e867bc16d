"""Rotation vectors between orientations."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F64


def rotation_vectors(to_wxyz: F64, from_wxyz: F64) -> F64:
    """Turn from one orientation to another as axis · angle [rad] in the world frame, shape (..., 3).

    The logarithm of q_to · q_from⁻¹; angles are at most π.
    """
    w1, v1 = to_wxyz[..., :1], to_wxyz[..., 1:]
    w2, v2 = from_wxyz[..., :1], -from_wxyz[..., 1:]
    w = w1 * w2 - np.sum(v1 * v2, axis=-1, keepdims=True)
    v = w1 * v2 + w2 * v1 + np.cross(v1, v2)
    sign = np.where(w < 0, -1.0, 1.0)  # q and -q are one turn
    w, v = sign * w, sign * v
    sine = np.linalg.norm(v, axis=-1, keepdims=True)
    factor = np.where(sine > 1e-12, 2.0 * np.arctan2(sine, w) / np.maximum(sine, 1e-12), 2.0)
    return np.asarray(factor * v)

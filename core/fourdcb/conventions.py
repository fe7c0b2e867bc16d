"""Axes, units and the only converters between them.

SI units; world right-handed, Z up; quaternions wxyz, unit, w >= 0; column vectors; matrices are named
``a_from_b``. The camera frame is OpenCV's: +X right, +Y down, +Z forward; pixel centres at +0.5.
Colours are authored in sRGB and linearised once, in render.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def normalized(vector: ArrayLike) -> Array:
    """Unit vector(s) along the last axis. Raises ValueError for a zero vector."""
    v = np.asarray(vector, dtype=np.float64)
    with np.errstate(over="ignore"):  # longer than any number that a script may hold
        length = np.linalg.norm(v, axis=-1, keepdims=True)
    if np.any(length == 0.0):
        raise ValueError("a zero vector has no direction")
    return v / length


def canonical_quaternion(quat_wxyz: ArrayLike) -> Array:
    """Unit quaternion(s) with w >= 0, shape (..., 4)."""
    q = normalized(quat_wxyz)
    return np.where(q[..., :1] < 0.0, -q, q)


def wxyz_from_xyzw(quat_xyzw: ArrayLike) -> Array:
    """Bullet's and USD's order to ours, shape (..., 4)."""
    return np.asarray(quat_xyzw, dtype=np.float64)[..., [3, 0, 1, 2]]


def xyzw_from_wxyz(quat_wxyz: ArrayLike) -> Array:
    """Our order to Bullet's and USD's, shape (..., 4)."""
    return np.asarray(quat_wxyz, dtype=np.float64)[..., [1, 2, 3, 0]]


def multiply_quaternions(a_wxyz: ArrayLike, b_wxyz: ArrayLike) -> Array:
    """Hamilton product a*b (apply b first), shape (..., 4)."""
    a, b = np.asarray(a_wxyz, dtype=np.float64), np.asarray(b_wxyz, dtype=np.float64)
    aw, ax, ay, az = (a[..., k] for k in range(4))
    bw, bx, by, bz = (b[..., k] for k in range(4))
    product = np.empty(np.broadcast_shapes(a.shape, b.shape))
    product[..., 0] = aw * bw - (ax * bx + ay * by + az * bz)
    product[..., 1] = aw * bx + bw * ax + (ay * bz - az * by)
    product[..., 2] = aw * by + bw * ay + (az * bx - ax * bz)
    product[..., 3] = aw * bz + bw * az + (ax * by - ay * bx)
    return product


def conjugate_quaternion(quat_wxyz: ArrayLike) -> Array:
    """Inverse of a unit quaternion, shape (..., 4)."""
    return np.asarray(quat_wxyz, dtype=np.float64) * np.array([1.0, -1.0, -1.0, -1.0])


def rotation_from_quaternion(quat_wxyz: ArrayLike) -> Array:
    """Rotation matrices ``world_from_body``, shape (..., 3, 3)."""
    q = normalized(quat_wxyz)
    w, x, y, z = (q[..., k] for k in range(4))
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    rotation = np.empty((*q.shape[:-1], 3, 3))
    for i, row in enumerate(rows):
        for j, element in enumerate(row):
            rotation[..., i, j] = element
    return rotation


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Canonical quaternion of one rotation matrix, shape (4,); Shepperd's method (largest pivot)."""
    m = np.asarray(rotation, dtype=np.float64)
    trace = float(np.trace(m))
    pivot = int(np.argmax([trace, m[0, 0], m[1, 1], m[2, 2]]))
    if pivot == 0:
        q = np.array([1 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        i, j, k = pivot - 1, pivot % 3, (pivot + 1) % 3
        q = np.zeros(4)
        q[0] = m[k, j] - m[j, k]
        q[1 + i] = 1 + m[i, i] - m[j, j] - m[k, k]
        q[1 + j] = m[j, i] + m[i, j]
        q[1 + k] = m[k, i] + m[i, k]
    return canonical_quaternion(q)


def quaternion_from_axis_angle(axis: ArrayLike, angle: float) -> Array:
    """Canonical quaternion of a rotation by ``angle`` [rad] about ``axis``."""
    half = 0.5 * angle
    return canonical_quaternion(np.concatenate([[np.cos(half)], np.sin(half) * normalized(axis)]))


def quaternion_from_euler_deg(euler_deg: ArrayLike) -> Array:
    """Canonical quaternion of intrinsic X-Y'-Z'' angles [deg]."""
    x, y, z = np.deg2rad(np.asarray(euler_deg, dtype=np.float64))
    qx, qy, qz = (quaternion_from_axis_angle(axis, a) for axis, a in zip(np.eye(3), (x, y, z), strict=True))
    return canonical_quaternion(multiply_quaternions(multiply_quaternions(qx, qy), qz))


def rotation_angle_deg(a_wxyz: ArrayLike, b_wxyz: ArrayLike) -> Array:
    """Geodesic angle between orientations [deg], shape (...); stable near 0 (atan2, not acos)."""
    d = multiply_quaternions(conjugate_quaternion(a_wxyz), b_wxyz)
    return np.rad2deg(2.0 * np.arctan2(np.linalg.norm(d[..., 1:], axis=-1), np.abs(d[..., 0])))


# The sRGB curve (IEC 61966-2-1): linear below the knee, a power above. Twins on tensors take these numbers.
SRGB_KNEE, LINEAR_KNEE = 0.04045, 0.0031308
SRGB_SLOPE, SRGB_OFFSET, SRGB_POWER = 12.92, 0.055, 2.4
LUMINANCE = (0.2126, 0.7152, 0.0722)  # of red, green, blue in sRGB's primaries (ITU-R BT.709)


def linear_from_srgb(srgb: ArrayLike) -> NDArray[Any]:
    """IEC 61966-2-1 decoding of values in [0, 1]."""
    c = np.asarray(srgb)
    curved = ((np.maximum(c, SRGB_KNEE) + SRGB_OFFSET) / (1.0 + SRGB_OFFSET)) ** SRGB_POWER
    return np.where(c <= SRGB_KNEE, c / SRGB_SLOPE, curved)


def srgb_from_linear(linear: ArrayLike) -> NDArray[Any]:
    """IEC 61966-2-1 encoding; input is clipped to [0, 1]."""
    c = np.clip(np.asarray(linear), 0.0, 1.0)
    curved = (1.0 + SRGB_OFFSET) * np.maximum(c, LINEAR_KNEE) ** (1 / SRGB_POWER) - SRGB_OFFSET
    return np.where(c <= LINEAR_KNEE, SRGB_SLOPE * c, curved)

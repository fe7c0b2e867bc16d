"""Which body lies under the mouse: a ray from the eye against every triangle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourdcb.arrays import F64
from fourdcb_studio.views.space.orbit import OrbitEye
from fourdcb_studio.views.space.scene import SpaceBody

Placed = tuple[SpaceBody, F64, F64]


def body_under(
    bodies: Sequence[Placed], eye: OrbitEye, x: float, y: float, *, width: float, height: float
) -> str:
    """Name of the nearest body at a px of the view; empty when there is none."""
    origin, along = eye_ray(eye, x, y, width=width, height=height)
    found = [(_distance(*placed, origin, along), placed[0].name) for placed in bodies]
    near, name = min(found, default=(np.inf, ""))
    return name if np.isfinite(near) else ""


def eye_ray(eye: OrbitEye, x: float, y: float, *, width: float, height: float) -> tuple[F64, F64]:
    """(place of the eye, unit direction) through a px of the view."""
    focal = eye.focal(min(width, height))
    right, up, back = eye.basis()
    along = (x - width / 2) / focal * right - (y - height / 2) / focal * up - back
    return eye.position(), along / np.linalg.norm(along)


def _distance(body: SpaceBody, position: F64, rotation: F64, origin: F64, along: F64) -> float:
    """To the first triangle that is hit, infinite for none (Möller and Trumbore 1997)."""
    start, direction = rotation.T @ (origin - position), rotation.T @ along
    a, b, c = (body.mesh.vertices[body.mesh.faces[:, k]] for k in range(3))
    first, second = b - a, c - a
    p = np.cross(direction, second)
    scale = np.einsum("ij,ij->i", first, p)
    crossed = np.abs(scale) > 1e-15
    inverse = 1.0 / np.where(crossed, scale, 1.0)
    s = start - a
    q = np.cross(s, first)
    u, v = np.einsum("ij,ij->i", s, p) * inverse, q @ direction * inverse
    t = np.einsum("ij,ij->i", second, q) * inverse
    hit = crossed & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
    return float(t[hit].min()) if hit.any() else np.inf

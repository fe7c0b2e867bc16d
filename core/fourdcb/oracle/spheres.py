"""First guesses of spheres from their outlines: how large, where, how fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64
from fourdcb.oracle.observe.outlines import NORMALS
from fourdcb.world import Camera
from fourdcb.world.camera import pixel_rays

_TOUCH = 3.0  # percentile of the radii at which a sphere would touch the floor
GRAVITY = 9.81


@dataclass(frozen=True, slots=True, eq=False)
class SpherePath:
    """A sphere's path up to scale: its centre at frame k is ``camera + radius · places[k]``.

    Attributes:
        frames: frames at which it is seen, shape (F,).
        places: shape (F, 3).
        camera: [m], shape (3,).
    """

    frames: F64
    places: F64
    camera: F64

    def centres(self, radius: float) -> F64:
        """[m], shape (F, 3)."""
        return self.camera + radius * self.places


def sphere_path(outline: F64, camera: Camera) -> SpherePath:
    """Lift outlines (T, D) [px] to a path, taking each for a sphere's."""
    frames = np.flatnonzero(np.isfinite(outline[:, 0]))
    seen = outline[frames]
    centre = 2.0 * seen @ NORMALS / seen.shape[1]
    radius = seen.mean(axis=1)
    rays = pixel_rays(camera, centre)
    angles = []
    for step in ((1.0, 0.0), (0.0, 1.0)):
        side = [pixel_rays(camera, centre + sign * radius[:, None] * np.array(step)) for sign in (-1, 1)]
        angles.append(0.5 * np.arccos(np.clip(np.sum(side[0] * side[1], axis=-1), -1.0, 1.0)))
    half = np.mean(angles, axis=0)
    return SpherePath(frames.astype(float), rays / np.sin(half)[:, None], np.asarray(camera.pos))


def roundness(outline: F64) -> float:
    """How far outlines are from circles: RMS of the reach about the best circle, as a share of its radius."""
    seen = outline[np.isfinite(outline[:, 0])]
    centre = 2.0 * seen @ NORMALS / seen.shape[1]
    gap = seen - centre @ NORMALS.T
    radius = gap.mean(axis=1, keepdims=True)
    return float(np.median(np.sqrt(np.mean((gap - radius) ** 2, axis=1)) / radius[:, 0]))


def radius_on_floor(path: SpherePath) -> float:
    """The radius [m] with which the sphere's lowest places touch the floor z = 0."""
    radii = path.camera[2] / np.maximum(1.0 - path.places[:, 2], 1e-6)
    return float(np.percentile(radii, _TOUCH))


def radius_by_gravity(path: SpherePath, last: int, fps: float) -> float | None:
    """The radius [m] with which the path until a frame falls at g; None when nothing can be said."""
    early = path.frames <= last
    if early.sum() < 6:
        return None
    t, z = path.frames[early] / fps, path.places[early, 2]
    bend = float(np.polyfit(t, z, 2)[0])
    return None if bend > -1e-3 else 0.5 * GRAVITY / -bend


def start_motion(path: SpherePath, radius: float, *, last: int, fps: float, falls: bool) -> tuple[F64, F64]:
    """Position [m] and velocity [m/s] at t = 0 that meet the path until frame ``last``."""
    early = path.frames <= max(last, path.frames[min(3, len(path.frames) - 1)])
    t = path.frames[early] / fps
    centres = path.centres(radius)[early].copy()
    if falls:
        centres[:, 2] += 0.5 * GRAVITY * t**2
    lines = np.stack([np.ones_like(t), t], axis=-1)
    weight = np.exp(-t / max(t[-1], 1e-3))[:, None]
    solved = np.linalg.lstsq(lines * weight, centres * weight, rcond=None)[0]
    return solved[0], solved[1]

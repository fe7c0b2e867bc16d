"""How far things move in the picture while the shutter is open, and how many poses show that as a blur."""

from __future__ import annotations

from itertools import product

import numpy as np

from fourdcb.arrays import F64, Poses
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.render._stage import camera_axes, poses_at, shutter_times
from fourdcb.render.settings import MAX_SAMPLES, RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World
from fourdcb.world.camera import project
from fourdcb.world.mesh import object_mesh

MOST_SAMPLES = 16
STILL = 0.5  # [px]


def blur_times(
    world: World,
    trajectory: Trajectory | Poses,
    t: float,
    settings: RenderSettings,
    *,
    most: int = MAX_SAMPLES,
) -> list[float]:
    """Times [s] within the shutter around ``t`` at which a frame is drawn and averaged; poses do not blur."""
    if not isinstance(trajectory, Trajectory):
        return [t]
    samples = settings.samples
    if samples == "auto":
        samples = adaptive_samples(world, trajectory, t, settings)
    return shutter_times(t, samples=min(samples, most), shutter=settings.shutter)


def adaptive_samples(world: World, trajectory: Trajectory, t: float, settings: RenderSettings) -> int:
    """Poses within the shutter that a frame needs: neighbouring poses lie at most a pixel apart.

    1 where nothing moves more than half a pixel; else the largest motion [px] rounded up, from 2 to 16; 16
    too where a moving body reaches behind the camera. The motion is that of the corners of the bodies'
    bounding boxes; shadows and lights are not looked at.

    Args:
        world: what is rendered.
        trajectory: its poses.
        t: time of the frame [s].
        settings: image size and shutter; its ``samples`` do not matter.
    """
    motion = largest_motion(world, trajectory, t, settings)
    if motion <= STILL:
        return 1
    return int(np.clip(np.ceil(min(motion, float(MOST_SAMPLES))), 2, MOST_SAMPLES))


def largest_motion(world: World, trajectory: Trajectory, t: float, settings: RenderSettings) -> float:
    """Longest path of a corner of a body's bounding box in the picture while the shutter is open [px].

    Infinite when a moving body passes the camera's plane.
    """
    from fourdcb.render._kernels.project import NEAR

    moving = [i for i, o in enumerate(world.objects) if o.kind != "static"]
    if not moving or settings.shutter == 0.0:
        return 0.0
    times = [t + share * settings.shutter for share in (-0.5, 0.0, 0.5)]
    poses = [poses_at(world, trajectory, time) for time in times]
    corners = [_corners(world.objects[i], world.base_dir) for i in moving]
    paths = np.stack([_placed(corners, moving, *pose) for pose in poses])
    ahead = (paths - np.asarray(world.camera.pos)) @ camera_axes(world.camera)[:, 2] > NEAR
    moved = np.linalg.norm(np.diff(paths, axis=0), axis=-1).sum(axis=0) > 0.0
    if (moved & (ahead.any(axis=(0, 2)) & ~ahead.all(axis=(0, 2)))[:, None]).any():
        return np.inf
    seen = ahead.all(axis=(0, 2))
    if not seen.any():
        return 0.0
    image = project(settings.camera(world.camera), paths[:, seen])
    return float(np.linalg.norm(np.diff(image, axis=0), axis=-1).sum(axis=0).max())


def _corners(obj: Object, base_dir: str) -> F64:
    """Corners of an object's bounding box in its own frame [m], shape (8, 3)."""
    vertices = object_mesh(obj, base_dir=base_dir).vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return np.array(list(product(*zip(low, high, strict=True))))


def _placed(corners: list[F64], bodies: list[int], position: F64, orientation_wxyz: F64) -> F64:
    """Corners in the world [m], shape (bodies, 8, 3)."""
    rotation = rotation_from_quaternion(orientation_wxyz[bodies])
    return np.einsum("bij,bcj->bci", rotation, np.stack(corners)) + position[bodies, None]

"""Optical flow from poses: where every visible surface point goes, exactly (occlusion is not considered)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import intrinsics_from_fov, rotation_from_quaternion
from fourdcb.render.lens import distort, undistort
from fourdcb.render.settings import Frame
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


def optical_flow(
    world: World, trajectory: Trajectory, frame: Frame, *, t: float, dt: float
) -> NDArray[np.float32]:
    """Image motion of the surface seen at each pixel between ``t`` and ``t + dt`` [px], shape (H, W, 2).

    Args:
        world: the world whose trajectory was rendered.
        trajectory: its poses.
        frame: the picture at ``t`` with depth and instances.
        t: time of the picture [s].
        dt: step [s]; negative gives the backward flow.

    Returns:
        (x, y) displacements; 0 on the background, NaN where the point moves behind the camera.
    """
    height, width = frame.depth.shape
    k = intrinsics_from_fov(fov_y_deg=world.camera.fov_y_deg, width=width, height=height)
    rotation, centre = world.camera.world_from_camera(), np.asarray(world.camera.pos)
    y, x = np.nonzero(frame.instance >= 0)
    pixels = np.stack([x, y], axis=-1) + 0.5
    lens = world.camera.distortion
    ideal = (pixels - k[:2, 2]) / k[0, 0]
    if any(lens):
        ideal = undistort(ideal, lens)
    depth = frame.depth[y, x].astype(np.float64)
    rays = np.concatenate([ideal, np.ones((len(ideal), 1))], axis=-1)
    points = centre + (depth[:, None] * rays) @ rotation.T
    moved = _moved(points, frame.instance[y, x], trajectory, t, dt)
    camera = (moved - centre) @ rotation
    flow = np.zeros((height, width, 2), np.float32)
    ahead = camera[:, 2] > 1e-6
    image = camera[:, :2] / np.where(ahead, camera[:, 2], 1.0)[:, None]
    target = (distort(image, lens) if any(lens) else image) * k[0, 0] + k[:2, 2]
    flow[y, x] = np.where(ahead[:, None], target - pixels, np.nan)
    return flow


def _moved(
    points: NDArray[np.float64], body: NDArray[np.int16], trajectory: Trajectory, t: float, dt: float
) -> NDArray[np.float64]:
    """World points [P, 3] carried along with the bodies that they lie on."""
    start, end = trajectory.pose_at(t), trajectory.pose_at(t + dt)
    before, after = rotation_from_quaternion(start[1])[body], rotation_from_quaternion(end[1])[body]
    local = np.einsum("pji,pj->pi", before, points - start[0][body])
    return np.einsum("pij,pj->pi", after, local) + end[0][body]

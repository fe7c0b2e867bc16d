"""Optical flow from poses: where every visible surface point goes, exactly (occlusion is not considered)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.conventions import rotation_from_quaternion
from fourdcb.render.settings import Frame
from fourdcb.trajectory import Trajectory
from fourdcb.world import World
from fourdcb.world.camera import project, unproject


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
        (x, y) displacements; 0 on the background and on a fluid, NaN where the point moves behind the camera.
    """
    height, width = frame.depth.shape
    camera = world.camera.sized(width=width, height=height)
    y, x = np.nonzero(frame.instance >= 0)
    pixels = np.stack([x, y], axis=-1) + 0.5
    points = unproject(camera, pixels, frame.depth[y, x])
    moved = _moved(points, frame.instance[y, x], trajectory, t, dt)
    flow = np.zeros((height, width, 2), np.float32)
    flow[y, x] = project(camera, moved) - pixels
    return flow


def _moved(
    points: NDArray[np.float64], body: NDArray[np.int16], trajectory: Trajectory, t: float, dt: float
) -> NDArray[np.float64]:
    """World points [P, 3] carried along with the bodies that they lie on; those of a fluid stay."""
    start, end = trajectory.pose_at(t), trajectory.pose_at(t + dt)
    on_body = body < len(start[0])
    if not on_body.all():
        moved = points.copy()
        moved[on_body] = _moved(points[on_body], body[on_body], trajectory, t, dt)
        return moved
    before, after = rotation_from_quaternion(start[1])[body], rotation_from_quaternion(end[1])[body]
    local = np.einsum("pji,pj->pi", before, points - start[0][body])
    return np.einsum("pij,pj->pi", after, local) + end[0][body]

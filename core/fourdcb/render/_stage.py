"""What every backend asks before it draws: image plane, camera, times within a shutter, poses at a time."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.arrays import F64, Poses
from fourdcb.errors import UserError
from fourdcb.render.lens import LensMap, lens_map
from fourdcb.trajectory import Trajectory
from fourdcb.world import Camera, World


@dataclass(frozen=True, slots=True, eq=False)
class ImagePlane:
    """The ideal picture that a backend draws; ``lens`` turns it into the output.

    Attributes:
        intrinsics: pinhole matrix of the ideal picture [px], shape (3, 3).
        width, height: its size [px]; the output's own when there is no lens.
        lens: where each output pixel looks into it; None without distortion.
    """

    intrinsics: F64
    width: int
    height: int
    lens: LensMap | None


def image_plane(camera: Camera) -> ImagePlane:
    """The plane of a camera's picture. Raises UserError for a lens without inverse."""
    intrinsics = camera.intrinsics()
    lens = lens_map(intrinsics, camera.distortion, width=camera.width, height=camera.height)
    if lens is None:
        return ImagePlane(intrinsics, camera.width, camera.height, None)
    intrinsics[:2, 2] = lens.centre_x, lens.centre_y
    return ImagePlane(intrinsics, lens.width, lens.height, lens)


def camera_axes(camera: Camera) -> F64:
    """``world_from_camera`` rotation, shape (3, 3). Raises UserError for a degenerate view."""
    try:
        return camera.world_from_camera()
    except ValueError as error:
        raise UserError("the camera has no view", where="camera", got=str(error)) from error


def shutter_times(t: float, *, samples: int, shutter: float) -> list[float]:
    """Centres of ``samples`` equal parts of a shutter [s] that is open around ``t`` [s]."""
    return [t + shutter * ((k + 0.5) / samples - 0.5) for k in range(samples)]


def poses_at(world: World, trajectory: Trajectory | Poses, t: float) -> Poses:
    """Position (N, 3) and orientation_wxyz (N, 4) of ``world.bodies``; poses that are given hold at any time.

    Raises:
        UserError: when they belong to another number of bodies.
    """
    position, orientation = trajectory.pose_at(t) if isinstance(trajectory, Trajectory) else trajectory
    n = len(world.bodies)
    if position.shape != (n, 3) or orientation.shape != (n, 4):
        raise UserError(
            "the poses do not belong to this world",
            got=f"{position.shape} and {orientation.shape}",
            expected=f"({n}, 3) and ({n}, 4)",
        )
    return position, orientation

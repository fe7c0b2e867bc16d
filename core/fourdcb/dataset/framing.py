"""A camera that the action fills, and how large and how busy the picture then is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fourdcb.arrays import F64
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.dataset.templates.contract import Draw, Template
from fourdcb.trajectory import Trajectory
from fourdcb.world import Camera, Object, World
from fourdcb.world.camera import Coefficients, camera_rotation, project

FILLED = 0.84  # of the picture's half width: as far as the action reaches
MOVING_M, MOVING_PX = 0.002, 0.25  # between two frames
BUSY, SHORTEST = 0.85, 1.0  # share of a clip that moves; [s]
SIDE = 256  # [px]
_FIELD_OF_VIEW = (32.0, 46.0)  # [deg]


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """What a framed clip shows.

    Attributes:
        sizes: median larger side of the bounding box in the picture, by moving object [px].
        motion: share of the frames in which something moves by more than a quarter pixel.
        speed: 95th percentile over frames of the fastest corner's motion to the next frame [px].
    """

    sizes: dict[str, float]
    motion: float
    speed: float


def trimmed(world: World, trajectory: Trajectory, *, longest: float) -> World:
    """The world with a clip that lasts a little longer than its motion."""
    corners = moving_corners(world, trajectory)
    steps = np.linalg.norm(np.diff(corners, axis=0), axis=-1).max(axis=(1, 2))
    busy = np.flatnonzero(steps > MOVING_M)
    end = 0.0 if not len(busy) else (busy[-1] + 2) / world.fps
    duration = float(np.clip(np.ceil(10.0 * end / BUSY) / 10.0, min(SHORTEST, longest), longest))
    return replace(world, duration=round(duration, 3))


def framed(world: World, trajectory: Trajectory, found: Template, draw: Draw, *, lens: Coefficients) -> World:
    """The world with a camera that sees all that moves, as large as fits.

    For a fixed direction of view every point bounds the camera's place linearly, so the nearest camera whose
    picture holds all points has a closed form.

    Args:
        world: without a camera of its own.
        trajectory: its motion.
        found: says from where it may be looked at.
        draw: of the sample.
        lens: Brown-Conrady coefficients of the camera.
    """
    (left, right), (low, high) = found.view
    azimuth, elevation = np.deg2rad(draw.within(left, right)), np.deg2rad(draw.within(low, high))
    fov = round(draw.within(*_FIELD_OF_VIEW), 1)
    forward = np.array(
        [np.sin(azimuth) * np.cos(elevation), np.cos(azimuth) * np.cos(elevation), -np.sin(elevation)]
    )
    rotation = camera_rotation((0.0, 0.0, 0.0), forward)
    points = (
        np.concatenate([moving_corners(world, trajectory).reshape(-1, 3), _fluid_corners(world)]) @ rotation
    )
    slope = FILLED * np.tan(np.deg2rad(fov) / 2.0)
    beyond = (points[:, :2] - slope * points[:, 2:]).max(axis=0)
    before = (-points[:, :2] - slope * points[:, 2:]).max(axis=0)
    depth = float((-(beyond + before) / (2.0 * slope)).min())
    place = rotation @ np.array([*(0.5 * (beyond - before)), depth])
    ahead = float(np.median(points[:, 2])) - depth
    target = place + ahead * forward
    pos, aim = (tuple(round(float(c), 3) for c in v) for v in (place, target))
    return replace(
        world,
        camera=Camera(pos=pos, target=aim, fov_y_deg=fov, width=SIDE, height=SIDE, distortion=lens),  # type: ignore[arg-type]
    )


def framing(world: World, trajectory: Trajectory) -> Framing:
    """How large and how busy the picture is, for a camera of any size as if it were 256 px high."""
    camera = world.camera.sized(width=round(SIDE * world.camera.width / world.camera.height), height=SIDE)
    corners = project(camera, moving_corners(world, trajectory))
    extent = np.nanmax(corners, axis=2) - np.nanmin(corners, axis=2)
    sizes = np.median(extent.max(axis=-1), axis=0)
    steps = np.linalg.norm(np.diff(corners, axis=0), axis=-1).max(axis=(1, 2))
    return Framing(
        sizes={obj.name: float(s) for (_, obj), s in zip(moving(world), sizes, strict=True)},
        motion=float((steps > MOVING_PX).mean()),
        speed=float(np.percentile(steps, 95.0)),
    )


def moving(world: World) -> list[tuple[int, Object]]:
    """The objects that may move, with their indices."""
    return [(i, obj) for i, obj in enumerate(world.objects) if obj.kind != "static"]


def _fluid_corners(world: World) -> F64:
    """Corners of the boxes that fluids fill at t = 0 [m], shape (n, 3)."""
    signs = np.array(list(product((-0.5, 0.5), repeat=3)))
    return np.concatenate([np.empty((0, 3)), *(f.pos + signs * np.asarray(f.size) for f in world.fluids)])


def moving_corners(world: World, trajectory: Trajectory) -> F64:
    """Corners of the moving objects' bounding boxes at every frame [m], shape (T, B, 8, 3).

    The box of a sphere does not turn with it: a turn of a plain ball is no motion that anybody sees.
    """
    steps, found = trajectory.frame_steps(), moving(world)
    signs = np.array(list(product((-0.5, 0.5), repeat=3)))
    local = np.stack([signs * np.asarray(obj.size) for _, obj in found])
    index = [i for i, _ in found]
    rotation = rotation_from_quaternion(trajectory.orientation_wxyz[steps][:, index])
    rotation[:, [obj.geometry == "sphere" for _, obj in found]] = np.eye(3)
    return np.einsum("tbij,bcj->tbci", rotation, local) + trajectory.position[steps][:, index, None]

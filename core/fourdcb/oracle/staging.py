"""The stage of a hypothesis before anything is fitted: floor, sky and sun as the background shows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F64
from fourdcb.conventions import linear_from_srgb, srgb_from_linear
from fourdcb.oracle.looks import AMBIENT, INTENSITY, direction_of
from fourdcb.oracle.unknowns import FLOOR
from fourdcb.world import Camera, DirectionalLight, Material, Plane, World
from fourdcb.world.camera import grid_rays

_REACH = 10.0  # [m] half of the floor's side
_START = (0.0, 0.95)  # azimuth, height of the sun [rad]
_LIT = 1.05  # radiance of a white floor under the usual light, roughly


def stage_of(background: NDArray[np.uint8], camera: Camera, *, duration: float, fps: float) -> World:
    """A world without bodies: the floor z = 0, a sun, and the sky in its own colour."""
    picture = linear_from_srgb(background / 255.0)
    on_floor = floor_mask(camera)
    ground = np.median(picture[on_floor], axis=0) if on_floor.any() else np.array([0.2, 0.2, 0.2])
    sky = np.median(picture[~on_floor], axis=0) if (~on_floor).any() else np.array([0.35, 0.35, 0.35])
    colour = np.clip(srgb_from_linear(np.clip(ground / _LIT, 0.003, 1.0)), 0.02, 1.0)
    return World(
        duration=duration,
        fps=fps,
        camera=camera,
        planes=(
            Plane(
                name=FLOOR, friction=1.0, restitution=1.0,
                material=Material(base_color=_triple(colour), roughness=0.7, metallic=0.0),
            ),
        ),
        lights=(DirectionalLight(name="sun", direction=direction_of(*_START), intensity=INTENSITY[0]),),
        ambient=AMBIENT[0],
        background=_triple(sky),
    )  # fmt: skip


def floor_mask(camera: Camera) -> NDArray[np.bool_]:
    """Pixels whose rays meet the floor's square, shape (H, W)."""
    rays = grid_rays(camera, columns=camera.width, rows=camera.height).reshape(camera.height, camera.width, 3)
    down = rays[..., 2] < -1e-6
    far = np.where(down, -camera.pos[2] / np.where(down, rays[..., 2], -1.0), np.inf)
    hits = np.asarray(camera.pos)[:2] + np.where(down, far, 0.0)[..., None] * rays[..., :2]
    return np.asarray(down & (np.abs(hits) < _REACH).all(axis=-1) & (camera.pos[2] > 0.0))


def colour_of(pixels: F64) -> tuple[float, float, float]:
    """A first base colour [sRGB] of lit pixels (P, 3) in linear radiance."""
    return _triple(np.clip(srgb_from_linear(np.clip(np.median(pixels, axis=0), 0.003, 1.0)), 0.02, 1.0))


def _triple(values: F64) -> tuple[float, float, float]:
    red, green, blue = (float(v) for v in values)
    return red, green, blue

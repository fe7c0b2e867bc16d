"""Lights, ambient term and camera of a world as Mitsuba's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fourdcb.conventions import linear_from_srgb
from fourdcb.render._kernels.project import NEAR
from fourdcb.render._scene import area_axes
from fourdcb.render._stage import ImagePlane, camera_axes
from fourdcb.world import AreaLight, Camera, DirectionalLight, Light, World, light_at

FAR = 1e5  # [m]


def emitters(mi: Any, world: World, t: float) -> dict[str, Any]:
    """Everything that shines at time ``t`` [s], by name."""
    shining: dict[str, Any] = {}
    if world.ambient > 0.0:
        shining["ambient"] = {"type": "constant", "radiance": _rgb(np.full(3, world.ambient))}
    for i, authored in enumerate(world.lights):
        light = light_at(authored, t, duration=world.duration)
        power = linear_from_srgb(light.color) * light.intensity
        if power.max() > 0.0:
            shining[f"light{i}"] = _emitter(mi, light, _rgb(power))
    return shining


def _emitter(mi: Any, light: Light, power: dict[str, Any]) -> dict[str, Any]:
    if isinstance(light, DirectionalLight):
        return {"type": "directional", "direction": list(light.direction), "irradiance": power}
    if not isinstance(light, AreaLight):
        return {"type": "point", "position": list(light.pos), "intensity": power}
    place = np.eye(4)
    place[:3, :3] = area_axes(light).T * [0.5 * light.size, 0.5 * light.size, 1.0]
    place[:3, 3] = light.pos
    return {
        "type": "rectangle",
        "to_world": mi.ScalarTransform4f(place),
        "emitter": {"type": "area", "radiance": power},
        "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": 0.0}},
    }


def _rgb(values: Any) -> dict[str, Any]:
    return {"type": "rgb", "value": [float(v) for v in values]}


def sensor(mi: Any, camera: Camera, plane: ImagePlane, *, spp: int) -> dict[str, Any]:
    """The pinhole camera of the ideal picture. Raises UserError for a degenerate view."""
    right, down, forward = camera_axes(camera).T
    place = np.eye(4)
    place[:3, :3] = np.stack([-right, -down, forward], axis=-1)  # Mitsuba's camera: x left, y up, z forward
    place[:3, 3] = camera.pos
    focal, centre = plane.intrinsics[0, 0], plane.intrinsics[:2, 2]
    return {
        "type": "perspective",
        "fov_axis": "y",
        "fov": math.degrees(2.0 * math.atan(0.5 * plane.height / focal)),
        "principal_point_offset_x": float(0.5 - centre[0] / plane.width),
        "principal_point_offset_y": float(0.5 - centre[1] / plane.height),
        "near_clip": NEAR,
        "far_clip": FAR,
        "to_world": mi.ScalarTransform4f(place),
        "film": {
            "type": "hdrfilm",
            "width": plane.width,
            "height": plane.height,
            "pixel_format": "rgba",
            "component_format": "float32",
            "rfilter": {"type": "box"},
        },
        "sampler": {"type": "multijitter", "sample_count": spp},
    }

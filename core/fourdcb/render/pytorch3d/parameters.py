"""What a picture depends on, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fourdcb.conventions import srgb_from_linear
from fourdcb.world import DirectionalLight, PointLight, World, light_at
from fourdcb.world.looks import resolved_look


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TorchParameters:
    """A world's appearance at one time, in the units in which scripts write it.

    All tensors are of one floating dtype and on one device. N bodies in the order of ``world.bodies``, M
    lights in the order of ``world.lights``. Change some with ``dataclasses.replace`` and ask them for
    gradients; directions and quaternions need not have unit length.

    Attributes:
        position: of the bodies in the world [m], shape (N, 3).
        orientation_wxyz: world_from_body quaternions, shape (N, 4).
        base_color: sRGB, shape (N, 3); without effect on a body with a base-colour map.
        roughness, metallic: shape (N,); they multiply a map's values.
        light_color: sRGB, shape (M, 3).
        light_intensity: at this time (curve and time range applied), shape (M,).
        light_position: of point and area lights [m], shape (M, 3); 0 and without effect for others.
        light_direction: the way that directional and area lights travel, shape (M, 3); 0 and without
            effect for others.
        ambient: radiance of the constant environment, shape ().
        background: linear radiance where no surface is, shape (3,).
        exposure: shape ().
    """

    position: Tensor
    orientation_wxyz: Tensor
    base_color: Tensor
    roughness: Tensor
    metallic: Tensor
    light_color: Tensor
    light_intensity: Tensor
    light_position: Tensor
    light_direction: Tensor
    ambient: Tensor
    background: Tensor
    exposure: Tensor

    @classmethod
    def from_world(
        cls,
        world: World,
        position: NDArray[np.float64],
        orientation_wxyz: NDArray[np.float64],
        t: float,
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> TorchParameters:
        """The values of ``world`` at time ``t`` [s], its bodies at the poses (N, 3) and (N, 4)."""
        surfaces = [resolved_look(body, world) for body in world.bodies]
        lights = [light_at(light, t, duration=world.duration) for light in world.lights]
        values = {
            "position": position,
            "orientation_wxyz": orientation_wxyz,
            "base_color": np.asarray(
                srgb_from_linear(np.array([m.base_color for m in surfaces]).reshape(-1, 3))
            ),
            "roughness": [m.roughness for m in surfaces],
            "metallic": [m.metallic for m in surfaces],
            "light_color": np.array([light.color for light in lights]).reshape(-1, 3),
            "light_intensity": [light.intensity for light in lights],
            "light_position": np.array(
                [(0.0, 0.0, 0.0) if isinstance(light, DirectionalLight) else light.pos for light in lights]
            ).reshape(-1, 3),
            "light_direction": np.array(
                [(0.0, 0.0, 0.0) if isinstance(light, PointLight) else light.direction for light in lights]
            ).reshape(-1, 3),
            "ambient": world.ambient,
            "background": world.background,
            "exposure": world.exposure,
        }
        return cls(
            **{
                name: torch.as_tensor(np.asarray(value, dtype=np.float64)).to(device=device, dtype=dtype)
                for name, value in values.items()
            }
        )

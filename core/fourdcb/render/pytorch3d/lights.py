"""Light samples and what arrives from them, unshadowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from fourdcb.render._kernels.arrays import AREA, DIRECTIONAL, F64, Lights
from fourdcb.render._scene import Scene
from fourdcb.render.pytorch3d.colour import linear_from_srgb
from fourdcb.render.pytorch3d.geometry import dot
from fourdcb.render.pytorch3d.parameters import TorchParameters
from fourdcb.world import AreaLight, World, light_at

unit = torch.nn.functional.normalize


class LightSample(NamedTuple):
    """One sample of a light.

    Attributes:
        kind: DIRECTIONAL, POINT or AREA.
        place: unit direction of travel, or position [m], shape (3,).
        facing: unit direction that an area light faces, 0 for others, shape (3,).
        power: linear colour times the share of the light, shape (3,).
        intensity: shape ().
    """

    kind: int
    place: Tensor
    facing: Tensor
    power: Tensor
    intensity: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class LightLayout:
    """How lights are sampled, apart from the values that parameters give.

    Attributes:
        kinds: of each sample.
        light_of_sample: index into ``world.lights`` of each sample.
        shares: emitting area of an area light's sample [m²], 1 for other lights.
        right: a unit vector across each sample's axis where the layout was made, shape (3,) each.
        offsets: of an area light's sample from its centre along right and up [m].
    """

    kinds: tuple[int, ...]
    light_of_sample: tuple[int, ...]
    shares: tuple[float, ...]
    right: tuple[tuple[float, float, float], ...]
    offsets: tuple[tuple[float, float], ...]

    @classmethod
    def from_scene(cls, world: World, scene: Scene) -> LightLayout:
        """The raster backend's samples."""
        samples = scene.light_of_sample.tolist()
        counts = np.bincount(scene.light_of_sample, minlength=len(world.lights))
        shares, rights, offsets = [], [], []
        for row, i in zip(scene.lights.rows, samples, strict=True):
            light = world.lights[i]
            if not isinstance(light, AreaLight):
                shares.append(1.0)
                rights.append((0.0, 0.0, 0.0))
                offsets.append((0.0, 0.0))
                continue
            right = _across(row[3:6])
            stands = light_at(light, 0.0, duration=world.duration)  # as the scene's rows were made
            assert isinstance(stands, AreaLight)
            offset = row[:3] - np.asarray(stands.pos)
            shares.append(light.size**2 / float(counts[i]))
            rights.append((float(right[0]), float(right[1]), float(right[2])))
            offsets.append((float(offset @ right), float(offset @ np.cross(row[3:6], right))))
        return cls(
            kinds=tuple(scene.lights.kind.tolist()),
            light_of_sample=tuple(samples),
            shares=tuple(shares),
            right=tuple(rights),
            offsets=tuple(offsets),
        )

    def samples(self, parameters: TorchParameters) -> list[LightSample]:
        """Where the samples are and what they emit; an area light's turn with its direction."""
        color = linear_from_srgb(parameters.light_color)
        direction = unit(parameters.light_direction, dim=-1)
        found = []
        for k, kind in enumerate(self.kinds):
            i = self.light_of_sample[k]
            place, facing = parameters.light_position[i], torch.zeros_like(direction[i])
            if kind == DIRECTIONAL:
                place = direction[i]
            elif kind == AREA:
                facing = direction[i]
                right, up = turned_frame(facing, facing.new_tensor(self.right[k]))
                place = place + self.offsets[k][0] * right + self.offsets[k][1] * up
            power = self.shares[k] * color[i]
            found.append(LightSample(kind, place, facing, power, parameters.light_intensity[i]))
        return found


def _across(axis: F64) -> F64:
    """A unit vector at right angles to a unit axis."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = helper - (helper @ axis) * axis
    return np.asarray(across / np.linalg.norm(across))


def turned_frame(axis: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """(right, up) around a unit axis, ``right`` as near as can be to the one given."""
    right = unit(right - dot(right, axis) * axis, dim=-1)
    return right, torch.linalg.cross(axis, right)


def kernel_lights(samples: list[LightSample]) -> Lights:
    """The samples as the arrays that compiled kernels read."""
    rows = [torch.cat([s.place, s.facing, s.power]).detach().double().cpu().numpy() for s in samples]
    return Lights(
        kind=np.array([s.kind for s in samples], dtype=np.int32),
        rows=np.ascontiguousarray(np.array(rows, dtype=np.float64).reshape(len(samples), 9)),
    )


def towards_light(sample: LightSample, position: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(unit direction (P, 3), distance (P,), irradiance per power on a facing surface (P,))."""
    if sample.kind == DIRECTIONAL:
        ones = torch.ones_like(position[:, 0])
        return -sample.place.expand_as(position), torch.inf * ones, ones
    away = sample.place - position
    square = dot(away, away).clamp(min=1e-12)
    distance = square.sqrt()
    direction = away / distance[:, None]
    strength = 1.0 / square
    if sample.kind == AREA:
        strength = strength * (-dot(direction, sample.facing)).clamp(min=0.0)
    return direction, distance, strength

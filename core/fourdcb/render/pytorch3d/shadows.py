"""Shadow maps: drawn by the raster backend's kernel, looked up by torch with the same soft filter.

A map's texels carry no gradient; where a point falls on the map does. So a shadow's soft rim pulls the light,
the caster and the receiver, as a translation of the caster's outline.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from fourdcb.render._kernels.arrays import DIRECTIONAL, F64, Scratch, Shadows, View
from fourdcb.render._kernels.shadow import MIN_DEPTH, shadow_bias
from fourdcb.render._scene import Scene, make_scratch, make_shadows
from fourdcb.render._shadow_maps import draw_shadow_maps
from fourdcb.render.pytorch3d.geometry import dot, rotations
from fourdcb.render.pytorch3d.lights import LightSample, kernel_lights, towards_light, turned_frame
from fourdcb.render.pytorch3d.parameters import TorchParameters
from fourdcb.render.pytorch3d.surface import Surface


class ShadowMaps:
    """Maps of one scene for one view; rewritten for every set of parameters."""

    def __init__(self, scene: Scene, view: View, *, size: int) -> None:
        """``size`` is the largest side of a map [texels]."""
        self._scene, self._view, self._size = scene, view, size
        self._maps: Shadows = make_shadows(scene, size=size)
        self._scratch: Scratch = make_scratch(scene.mesh)
        self._texels = torch.empty(0)
        self._biases: F64 = np.zeros((0, 0))

    def draw(self, samples: list[LightSample], parameters: TorchParameters) -> None:
        """Draw all maps for the bodies' poses and the lights' places."""
        position = parameters.position.detach().double().cpu().numpy()
        rotation = rotations(parameters.orientation_wxyz.detach().double()).cpu().numpy()
        lights = kernel_lights(samples)
        draw_shadow_maps(
            self._scene, position, rotation, lights=lights, view=self._view, shadows=self._maps,
            scratch=self._scratch, size=self._size,
        )  # fmt: skip
        self._texels = torch.as_tensor(self._maps.texels).to(parameters.position.device)

    def visible(self, k: int, sample: LightSample, surface: Surface, centres: Tensor) -> Tensor:
        """Share of light sample ``k`` that reaches each hit, shape (P,); the darkest caster counts."""
        direction, reach, _ = towards_light(sample, surface.position)
        share = (~self._behind_plane(surface, direction, reach)).to(surface.position)
        for c in self._scene.casters.tolist():
            point = surface.position
            looks_up = surface.body != c
            if self._scene.mesh.bodies[c, 4] == 0:
                bias = shadow_bias(k, c, self._scene.mesh, self._maps)
                point = point + torch.where(looks_up[:, None], 0.0, bias * surface.normal)
                looks_up = torch.ones_like(looks_up)
            share = self._darken(share, k, c, sample, point, looks_up, centres[c])
        return share

    def _darken(
        self,
        share: Tensor,
        k: int,
        c: int,
        sample: LightSample,
        point: Tensor,
        looks_up: Tensor,
        centre: Tensor,
    ) -> Tensor:
        """``share`` with one caster's map applied: a tent of 4 x 4 texels over depth tests."""
        size, frame = int(self._maps.slots[k, c, 1]), self._maps.frames[k, c]
        directional = sample.kind == DIRECTIONAL
        axis = sample.place if directional else torch.nn.functional.normalize(centre - sample.place, dim=-1)
        right, up = turned_frame(axis, axis.new_tensor(frame[:3]))
        away = point - (centre if directional else sample.place)
        depth = dot(away, axis)
        inverse = torch.ones_like(depth) if directional else 1.0 / depth.clamp(min=MIN_DEPTH)
        scale = 0.5 * size / float(frame[12]) * inverse
        if not directional:
            scale = scale / self._growth(c, centre - sample.place)
        u = dot(away, right) * scale + 0.5 * size - 0.5
        v = dot(away, up) * scale + 0.5 * size - 0.5
        inside = looks_up & (u >= 1.0) & (v >= 1.0) & (u < size - 2.0) & (v < size - 2.0)
        if not directional:
            inside &= depth >= MIN_DEPTH
        on = torch.nonzero(inside)[:, 0]
        if len(on) == 0:
            return share
        key = (-depth if directional else inverse)[on].detach().double()
        lit = self._filtered(int(self._maps.slots[k, c, 0]), size, u[on], v[on], key)
        return share.index_put((on,), torch.minimum(share[on], lit))

    def _growth(self, c: int, away: Tensor) -> Tensor:
        """1, with the gradient of how large a point light sees a caster's bounding sphere [1], shape ()."""
        radius = float(self._scene.mesh.spheres[c, 3])
        tangent = radius / (dot(away, away) - radius**2).clamp(min=1e-12).sqrt()
        return tangent / tangent.detach()

    def _filtered(self, first: int, size: int, u: Tensor, v: Tensor, key: Tensor) -> Tensor:
        i, j = torch.floor(u.detach()), torch.floor(v.detach())
        fu, fv = u - i, v - j
        ones = torch.ones_like(fu)
        across = torch.stack([1.0 - fu, ones, ones, fu], dim=-1)
        down = torch.stack([1.0 - fv, ones, ones, fv], dim=-1)
        corner = first + (j.long() - 1) * size + i.long() - 1
        steps = torch.arange(4, device=u.device)
        texels = self._texels[corner[:, None, None] + steps[:, None] * size + steps]
        lit = (texels <= key[:, None, None]).to(u)
        return (down[:, :, None] * across[:, None, :] * lit).sum(dim=(1, 2)) / 9.0

    def _behind_plane(self, surface: Surface, direction: Tensor, reach: Tensor) -> Tensor:
        """Whether a plane lies between each hit and the light, bool, shape (P,)."""
        blocked = torch.zeros_like(surface.body, dtype=torch.bool)
        with torch.no_grad():
            for row in self._maps.planes:
                normal, centre, right = (surface.position.new_tensor(row[i : i + 3]) for i in (0, 3, 6))
                away, slope = surface.position - centre, direction @ normal
                t = -(away @ normal) / torch.where(slope.abs() < 1e-9, torch.inf, slope)
                there = away + t[:, None] * direction
                along = there @ right
                across = dot(there, there) - along * along
                half = float(row[9])
                crossed = (t > 0.0) & (t < reach) & (along.abs() <= half) & (across <= half**2)
                blocked |= crossed & (surface.body != int(row[10]))
        return blocked

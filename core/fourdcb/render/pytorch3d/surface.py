"""The surface under each hit: position, shading normal, colour, roughness and metal there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from fourdcb.render._kernels.arrays import Materials
from fourdcb.render.pytorch3d.colour import linear_from_srgb
from fourdcb.render.pytorch3d.geometry import Geometry, Placed, dot
from fourdcb.render.pytorch3d.parameters import TorchParameters
from fourdcb.render.pytorch3d.rasterise import Hits, interpolate

unit = torch.nn.functional.normalize


class Surface(NamedTuple):
    """P hits: body (P,), position and normal towards the camera (P, 3), the normal before a normal map bends
    it (P, 3), linear base colour (P, 3), roughness and metallic (P,), index of refraction and share of
    subsurface scattering (P,) and its linear colour (P, 3).
    """

    body: Tensor
    position: Tensor
    normal: Tensor
    smooth: Tensor
    base: Tensor
    roughness: Tensor
    metallic: Tensor
    eta: Tensor
    subsurface: Tensor
    scattered: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Textures:
    """Images by number, and the numbers that each body uses.

    Attributes:
        images: float, shape (h, w, 3) each, row 0 on top.
        maps: per body: images of base colour, normal, roughness, metallic; -1 for none.
        finish: per body: index of refraction, share and linear colour (-1: the base's) of subsurface
            scattering, shape (N, 5).
        colored: whether a body's vertex colours count, shape (N,).
    """

    images: tuple[Tensor, ...]
    maps: tuple[tuple[int, ...], ...]
    finish: Tensor
    colored: Tensor

    @classmethod
    def from_materials(cls, materials: Materials, *, device: torch.device, dtype: torch.dtype) -> Textures:
        """Copy the raster backend's textures."""
        texels = torch.as_tensor(materials.texels).to(device=device, dtype=dtype, copy=True)
        images = tuple(
            texels[first : first + width * height].reshape(height, width, 3)
            for first, width, height in materials.images.tolist()
        )
        maps = tuple(tuple(row[:4]) for row in materials.maps.tolist())
        finish = torch.as_tensor(materials.surface[:, 5:10]).to(device=device, dtype=dtype, copy=True)
        colored = torch.as_tensor(materials.maps[:, 5] != 0).to(device)
        return cls(images, maps, finish, colored)


def surface_at(
    hits: Hits, geometry: Geometry, placed: Placed, textures: Textures, parameters: TorchParameters
) -> Surface:
    """Interpolated attributes with all maps applied; normals of open bodies face the camera."""
    body = geometry.body_of_face[hits.face]
    position = interpolate(hits, placed.points, geometry)
    normal = smooth = unit(interpolate(hits, placed.normals, geometry), dim=-1)
    base = linear_from_srgb(parameters.base_color)[body]
    roughness, metallic = parameters.roughness[body], parameters.metallic[body]
    for number, (color_map, normal_map, roughness_map, metallic_map) in enumerate(textures.maps):
        if max(color_map, normal_map, roughness_map, metallic_map) < 0:
            continue
        on = torch.nonzero(body == number)[:, 0]
        some = Hits(*(part[on] for part in hits))
        uv = interpolate(some, geometry.uv, geometry)
        if color_map >= 0:
            base = base.index_put((on,), bilinear(textures.images[color_map], uv))
        if normal_map >= 0:
            bent = _bent(normal[on], bilinear(textures.images[normal_map], uv), some, geometry, placed)
            normal = normal.index_put((on,), bent)
        if roughness_map >= 0:
            value = roughness[on] * bilinear(textures.images[roughness_map], uv)[:, 0]
            roughness = roughness.index_put((on,), value)
        if metallic_map >= 0:
            value = metallic[on] * bilinear(textures.images[metallic_map], uv)[:, 0]
            metallic = metallic.index_put((on,), value)
    if geometry.colors is not None:
        factor = torch.where(
            textures.colored[body][:, None], interpolate(hits, geometry.colors, geometry), 1.0
        )
        base = base * factor
    finish = textures.finish[body]
    scattered = torch.where(finish[:, 2:3] < 0.0, base, finish[:, 2:5])
    a, b, c = placed.points[geometry.faces[hits.face]].unbind(1)
    away = (dot(torch.linalg.cross(b - a, c - a), hits.ray) > 0.0) & ~geometry.closed[body]
    normal, smooth = (torch.where(away[:, None], -n, n) for n in (normal, smooth))
    return Surface(
        body, position, normal, smooth, base, roughness, metallic, finish[:, 0], finish[:, 1], scattered
    )


def bilinear(image: Tensor, uv: Tensor) -> Tensor:
    """Look-up with repetition; v points up. (P, 2) to (P, 3)."""
    height, width = image.shape[:2]
    x = (uv[:, 0] % 1.0) * width - 0.5
    y = (1.0 - uv[:, 1] % 1.0) * height - 0.5
    i, j = torch.floor(x.detach()), torch.floor(y.detach())
    fx, fy = (x - i)[:, None], (y - j)[:, None]
    left, top = i.long() % width, j.long() % height
    right, bottom = (left + 1) % width, (top + 1) % height
    return (1 - fy) * ((1 - fx) * image[top, left] + fx * image[top, right]) + fy * (
        (1 - fx) * image[bottom, left] + fx * image[bottom, right]
    )


def _bent(normal: Tensor, sample: Tensor, hits: Hits, geometry: Geometry, placed: Placed) -> Tensor:
    """A tangent-space normal map (OpenGL, +Y up) applied to unit normals, shape (P, 3)."""
    corners = geometry.faces[hits.face]
    a, b, c = placed.points[corners].unbind(1)
    uv = geometry.uv[corners]
    du1, dv1 = (uv[:, 1] - uv[:, 0]).unbind(-1)
    du2, dv2 = (uv[:, 2] - uv[:, 0]).unbind(-1)
    det = du1 * dv2 - du2 * dv1
    mapped = det != 0.0
    safe = torch.where(mapped, det, torch.ones_like(det))[:, None]
    tangent = (dv2[:, None] * (b - a) - dv1[:, None] * (c - a)) / safe
    tangent = tangent - dot(tangent, normal)[:, None] * normal
    mapped &= dot(tangent, tangent) > 0.0
    tangent = unit(tangent, dim=-1)
    bitangent = torch.sign(safe) * torch.linalg.cross(normal, tangent)
    x, y, z = (2.0 * sample - 1.0).unbind(-1)
    bent = unit(x[:, None] * tangent + y[:, None] * bitangent + z[:, None] * normal, dim=-1)
    return torch.where(mapped[:, None], bent, normal)

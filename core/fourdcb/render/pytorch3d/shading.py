"""Light reflected to the camera, with the surface model of ``brdf``."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fourdcb.render._kernels.surface import MIN_COSINE
from fourdcb.render.brdf import brdf_terms
from fourdcb.render.pytorch3d.geometry import Viewpoint, dot
from fourdcb.render.pytorch3d.lights import LightSample, towards_light
from fourdcb.render.pytorch3d.shadows import ShadowMaps
from fourdcb.render.pytorch3d.surface import Surface, unit


class Shaded(NamedTuple):
    """Radiance of the hits, shape (P, 3), and the part of the lights' power that is lost, shape (P,)."""

    radiance: Tensor
    shadow: Tensor


def shade_hits(
    surface: Surface, eye: Viewpoint, samples: list[LightSample], ambient: Tensor, table: Tensor,
    maps: ShadowMaps | None, centres: Tensor,
) -> Shaded:  # fmt: skip
    """Shade hits under all light samples; ``maps`` None is without shadows."""
    towards_eye = unit(eye.position - surface.position, dim=-1)
    n_v = dot(surface.normal, towards_eye).clamp(min=MIN_COSINE)
    scale, offset = ambient_terms(table, surface.roughness, surface.metallic, n_v)
    radiance = ambient * (surface.base * scale[:, None] + offset[:, None])
    sent, arrived = torch.zeros_like(n_v), torch.zeros_like(n_v)
    for k, sample in enumerate(samples):
        direct, lit, strength = _direct(sample, surface, towards_eye, n_v)
        visible = lit.to(n_v)
        if maps is not None:
            visible = torch.where(lit, maps.visible(k, sample, surface, centres), visible)
        radiance = radiance + sample.intensity * visible[:, None] * direct
        power = (sample.intensity * sample.power.sum() * strength).detach()
        sent, arrived = sent + power, arrived + power * visible.detach()
    shadow = torch.where(sent > 0.0, 1.0 - arrived / sent.clamp(min=torch.finfo(sent.dtype).tiny), 0.0)
    return Shaded(radiance, shadow)


def _direct(
    sample: LightSample, surface: Surface, towards_eye: Tensor, n_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """(unshadowed radiance per unit intensity (P, 3), facing the light (P,), irradiance per power (P,))."""
    direction, _, strength = towards_light(sample, surface.position)
    n_l = dot(surface.normal, direction)
    half = unit(direction + towards_eye, dim=-1)
    n_h = dot(surface.normal, half).clamp(max=1.0)
    h_l = dot(direction, half).clamp(max=1.0)
    scale, offset = brdf_terms(surface.roughness, surface.metallic, n_l.clamp(min=MIN_COSINE), n_v, n_h, h_l)
    lit = (n_l > 0.0) & (dot(surface.smooth, direction) > 0.0)
    factor = torch.where(lit, n_l, 0.0) * strength
    direct = factor[:, None] * sample.power * (surface.base * scale[:, None] + offset[:, None])
    return direct, lit, strength


def ambient_terms(table: Tensor, roughness: Tensor, metallic: Tensor, n_v: Tensor) -> tuple[Tensor, Tensor]:
    """(scale, offset): the reflected share of a constant environment is ``base * scale + offset``.

    ``table`` is the raster backend's, rows over roughness and columns over n·v; bilinear.
    """
    last = table.shape[0] - 1
    y, x = roughness * last, n_v * last
    i = y.detach().long().clamp(0, last - 1)
    j = x.detach().long().clamp(0, last - 1)
    fy, fx = (y - i)[:, None], (x - j)[:, None]
    value = (1 - fy) * ((1 - fx) * table[i, j] + fx * table[i, j + 1]) + fy * (
        (1 - fx) * table[i + 1, j] + fx * table[i + 1, j + 1]
    )
    diffuse, dielectric, metal_scale, metal_offset = value.unbind(-1)
    keep = 1.0 - metallic
    return keep * diffuse + metallic * metal_scale, keep * dielectric + metallic * metal_offset

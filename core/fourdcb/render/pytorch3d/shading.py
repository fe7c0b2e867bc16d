"""Light reflected to the camera, with the surface model of ``brdf``."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fourdcb.render._kernels.ambient import HEAD_ON
from fourdcb.render._kernels.surface import MIN_COSINE
from fourdcb.render.brdf import ETA, brdf_terms, diffuse_lobe, scatter_lobe
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
    scale, offset, scatter = ambient_terms(table, surface, n_v)
    radiance = ambient * (
        surface.base * scale[:, None] + surface.scattered * scatter[:, None] + offset[:, None]
    )
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
    roughness, metallic, bounded = surface.roughness, surface.metallic, n_l.clamp(min=MIN_COSINE)
    scale, offset = brdf_terms(roughness, metallic, bounded, n_v, n_h, h_l, surface.eta)
    share = (1.0 - metallic) * surface.subsurface
    scale = scale - share * diffuse_lobe(roughness, bounded, n_v, h_l)
    scatter = share * scatter_lobe(roughness, bounded, n_v, h_l)
    lit = (n_l > 0.0) & (dot(surface.smooth, direction) > 0.0)
    factor = torch.where(lit, n_l, 0.0) * strength
    sent = surface.base * scale[:, None] + surface.scattered * scatter[:, None] + offset[:, None]
    direct = factor[:, None] * sample.power * sent
    return direct, lit, strength


def ambient_terms(table: Tensor, surface: Surface, n_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(scale, offset, scatter): the reflected share of a constant environment is
    ``base * scale + scattered * scatter + offset``, as in the raster backend.

    ``table`` is the raster backend's, rows over roughness and columns over n·v; bilinear.
    """
    roughness, metallic = surface.roughness, surface.metallic
    last = table.shape[0] - 1
    y, x = roughness * last, n_v * last
    i = y.detach().long().clamp(0, last - 1)
    j = x.detach().long().clamp(0, last - 1)
    fy, fx = (y - i)[:, None], (x - j)[:, None]
    value = (1 - fy) * ((1 - fx) * table[i, j] + fx * table[i, j + 1]) + fy * (
        (1 - fx) * table[i + 1, j] + fx * table[i + 1, j + 1]
    )
    diffuse, dielectric, metal_scale, metal_offset, flat = value.unbind(-1)
    head_on = ((surface.eta - 1.0) / (surface.eta + 1.0)) ** 2
    more = dielectric + (head_on - HEAD_ON) * metal_scale
    dielectric = torch.where(surface.eta < ETA, dielectric * head_on / HEAD_ON, more)
    keep, share = 1.0 - metallic, surface.subsurface
    scale = keep * (1.0 - share) * diffuse + metallic * metal_scale
    return scale, keep * dielectric + metallic * metal_offset, keep * share * flat

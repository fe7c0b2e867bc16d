"""Reflection of a constant environment: hemispherical albedo of the surface model, tabulated once.

A surface under constant ambient radiance La sends La · a(v) towards the viewer, a(v) = ∫ f(l, v) n·l dl. The
model is affine in the base colour and in the metallic parameter, so five functions of (n·v, roughness) say
it all.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fourdcb.kernels.jit import inline, kernel
from fourdcb.render._kernels.arrays import F32
from fourdcb.render._kernels.surface_model import (
    ETA,
    alpha_from_roughness,
    diffuse_lobe,
    fresnel_dielectric,
    scatter_lobe,
    schlick_weight,
    smith_g1,
)

GRID = 24
HEAD_ON = ((ETA - 1.0) / (ETA + 1.0)) ** 2
_STRATA = 32


@inline
def _diffuse_albedo(roughness: float, n_v: float) -> tuple[float, float]:
    """∫ diffuse_lobe n·l dl and ∫ scatter_lobe n·l dl with cosine-distributed stratified directions."""
    total, scattered = 0.0, 0.0
    vx = (1.0 - n_v * n_v) ** 0.5
    for i in range(_STRATA):
        for j in range(_STRATA):
            u, phi = (i + 0.5) / _STRATA, np.pi * (j + 0.5) / _STRATA
            lx, ly, n_l = u**0.5 * np.cos(phi), u**0.5 * np.sin(phi), (1.0 - u) ** 0.5
            hx, hy, hz = lx + vx, ly, n_l + n_v
            h_l = (hx * lx + hy * ly + hz * n_l) / (hx * hx + hy * hy + hz * hz) ** 0.5
            total += np.pi * diffuse_lobe(roughness, n_l, n_v, h_l)
            scattered += np.pi * scatter_lobe(roughness, n_l, n_v, h_l)
    return total / (_STRATA * _STRATA), scattered / (_STRATA * _STRATA)


@kernel
def fill_albedo_table(table: F32) -> None:
    """Rows over roughness, columns over n·v: diffuse, dielectric, metal scale, metal offset, subsurface.

    The microfacet lobe is integrated with half vectors distributed as D n·h (stratified, deterministic).
    """
    for r in range(GRID):
        roughness = r / (GRID - 1)
        alpha = alpha_from_roughness(roughness)
        for c in range(GRID):
            n_v = max(c / (GRID - 1), 0.01)
            vx = (1.0 - n_v * n_v) ** 0.5
            dielectric, metal_scale, metal_offset = 0.0, 0.0, 0.0
            for i in range(_STRATA):
                for j in range(_STRATA):
                    u, phi = (i + 0.5) / _STRATA, np.pi * (j + 0.5) / _STRATA
                    n_h = ((1.0 - u) / (1.0 + (alpha * alpha - 1.0) * u)) ** 0.5
                    hx = (1.0 - n_h * n_h) ** 0.5 * np.cos(phi)
                    v_h = vx * hx + n_v * n_h
                    n_l = 2.0 * v_h * n_h - n_v
                    if v_h <= 0.0 or n_l <= 0.0:
                        continue
                    weight = smith_g1(alpha, n_l) * smith_g1(alpha, n_v) * v_h / (n_v * n_h)
                    schlick = schlick_weight(v_h)
                    dielectric += weight * fresnel_dielectric(v_h, ETA)
                    metal_scale += weight * (1.0 - schlick)
                    metal_offset += weight * schlick
            n = _STRATA * _STRATA
            table[r, c, 0], table[r, c, 4] = _diffuse_albedo(roughness, n_v)
            table[r, c, 1] = dielectric / n
            table[r, c, 2] = metal_scale / n
            table[r, c, 3] = metal_offset / n


@inline
def ambient_terms(
    table: F32, roughness: float, metallic: float, n_v: float, eta: float, subsurface: float
) -> tuple[float, float, float]:
    """(scale, offset, scatter): the reflected share of a constant environment is
    ``base * scale + subsurface_color * scatter + offset``.

    Other indices than ``ETA`` scale the dielectric's share by their reflectance head-on where they reflect
    less, and add Schlick's share of the rest where they reflect more.
    """
    y, x = roughness * (GRID - 1), n_v * (GRID - 1)
    i, j = min(int(y), GRID - 2), min(int(x), GRID - 2)
    fy, fx = y - i, x - j
    w00, w01, w10, w11 = (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx
    p, q = i + 1, j + 1
    diffuse = w00 * table[i, j, 0] + w01 * table[i, q, 0] + w10 * table[p, j, 0] + w11 * table[p, q, 0]
    dielectric = w00 * table[i, j, 1] + w01 * table[i, q, 1] + w10 * table[p, j, 1] + w11 * table[p, q, 1]
    metal_scale = w00 * table[i, j, 2] + w01 * table[i, q, 2] + w10 * table[p, j, 2] + w11 * table[p, q, 2]
    metal_offset = w00 * table[i, j, 3] + w01 * table[i, q, 3] + w10 * table[p, j, 3] + w11 * table[p, q, 3]
    keep, scatter = 1.0 - metallic, 0.0
    if eta != ETA:
        head_on = ((eta - 1.0) / (eta + 1.0)) ** 2
        if eta < ETA:
            dielectric *= head_on / HEAD_ON
        else:
            dielectric += (head_on - HEAD_ON) * metal_scale
    if subsurface > 0.0:
        flat = w00 * table[i, j, 4] + w01 * table[i, q, 4] + w10 * table[p, j, 4] + w11 * table[p, q, 4]
        scatter = keep * subsurface * flat
        diffuse *= 1.0 - subsurface
    return keep * diffuse + metallic * metal_scale, keep * dielectric + metallic * metal_offset, scatter


@cache
def albedo_table() -> F32:
    """Shape (GRID, GRID, 5); see :func:`fill_albedo_table`."""
    table = np.zeros((GRID, GRID, 5), np.float32)
    fill_albedo_table(table)
    return table

"""Roughness and metallic of a surface, solved from the pixels of its highlight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fourdcb.arrays import F64

_GRID = np.linspace(0.0, 1.0, 33)
_REFINEMENTS = 22
_GOLDEN = 0.5 * (5**0.5 - 1)
_MIN_COSINE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """Pixels of one surface around its highlight, from a picture and its geometry buffers.

    Attributes:
        radiance: linear, before exposure, without ambient light and shadows, shape (P, 3).
        base: linear base colour, shape (P, 3).
        normal, view: unit vectors, shape (P, 3).
        light: unit direction towards each of L lights, shape (L, P, 3).
        irradiance: of each light on a facing surface, shape (L, P, 3).
    """

    radiance: F64
    base: F64
    normal: F64
    view: F64
    light: F64
    irradiance: F64


@dataclass(frozen=True, slots=True)
class Surface:
    """What was solved for; ``residual`` is the root mean square of the relative radiance error."""

    roughness: float
    metallic: float
    residual: float


def solve(pixels: Highlight) -> Surface:
    """Least squares over roughness and metallic.

    The surface model is affine in metallic, so that unknown has a closed form for every roughness; roughness
    is searched on a grid and refined by golden sections. Errors count relative to the pixel's radiance.
    """
    terms = _terms(pixels)
    weight = 1.0 / (pixels.radiance + 0.05 * float(pixels.radiance.max()) + 1e-9)

    def fit(roughness: float) -> tuple[float, float]:
        dielectric, metal = terms(roughness)
        slope, gap = (metal - dielectric) * weight, (pixels.radiance - dielectric) * weight
        square = float(np.sum(slope * slope))
        metallic = min(max(float(np.sum(slope * gap)) / square, 0.0), 1.0) if square > 0 else 0.0
        return float(np.mean((gap - metallic * slope) ** 2)), metallic

    errors = [fit(float(r))[0] for r in _GRID]
    best = int(np.argmin(errors))
    low, high = _GRID[max(best - 1, 0)], _GRID[min(best + 1, len(_GRID) - 1)]
    roughness = _golden_section(lambda r: fit(r)[0], float(low), float(high))
    error, metallic = fit(roughness)
    return Surface(roughness, metallic, error**0.5)


def _golden_section(cost: Callable[[float], float], low: float, high: float) -> float:
    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_inner, at_outer = cost(inner), cost(outer)
    for _ in range(_REFINEMENTS):
        if at_inner < at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - _GOLDEN * (high - low)
            at_inner = cost(inner)
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + _GOLDEN * (high - low)
            at_outer = cost(outer)
    return 0.5 * (low + high)


def _terms(p: Highlight) -> Callable[[float], tuple[F64, F64]]:
    """Radiance [P, 3] of a pure dielectric and of a pure metal, as functions of the roughness."""
    from fourdcb.render.brdf import brdf_terms

    half = p.light + p.view
    half /= np.maximum(np.linalg.norm(half, axis=-1, keepdims=True), 1e-12)
    n_l = np.sum(p.normal * p.light, axis=-1)
    lit = n_l > 0
    n_l = np.maximum(n_l, _MIN_COSINE)
    n_v = np.maximum(np.sum(p.normal * p.view, axis=-1), _MIN_COSINE)
    n_h = np.clip(np.sum(p.normal * half, axis=-1), _MIN_COSINE, 1.0)
    h_l = np.clip(np.sum(half * p.light, axis=-1), _MIN_COSINE, 1.0)
    arriving = np.where(lit, n_l, 0.0)[..., None] * p.irradiance

    def radiance(roughness: float, metallic: float) -> F64:
        scale, offset = brdf_terms(roughness, metallic, n_l, n_v, n_h, h_l)
        return np.sum(arriving * (p.base * scale[..., None] + offset[..., None]), axis=0)

    return lambda roughness: (radiance(roughness, 0.0), radiance(roughness, 1.0))

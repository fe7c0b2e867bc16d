"""The surface model, written once in plain arithmetic for floats, numpy arrays, torch tensors and numba.

It is Mitsuba's ``principled`` with base colour, roughness, metallic, specular and flatness: Disney diffuse
with retro-reflection (Burley 2012, 2015), its local approximation of subsurface scattering (Hanrahan and
Krueger 1993) and a GGX microfacet lobe with separable Smith shadowing, whose Fresnel
term mixes the exact dielectric one with Schlick's for metals. The model is affine in the base colour, so one
evaluation serves all channels: ``f = base * scale + offset`` [1/sr].

Cosines must be positive: ``n_l`` normal·light, ``n_v`` normal·view, ``n_h`` normal·half, ``h_l`` half·light.
Only ``+ - * / ** abs`` are used, so that the functions compile and differentiate everywhere.
"""

from __future__ import annotations

from typing import Any

ETA = 1.5
MIN_ALPHA = 1e-3
_PI = 3.141592653589793


def alpha_from_roughness(roughness: Any) -> Any:
    """GGX width: roughness², not below ``MIN_ALPHA``."""
    alpha = roughness * roughness
    return 0.5 * (alpha + MIN_ALPHA + abs(alpha - MIN_ALPHA))


def eta_from_specular(specular: Any) -> Any:
    """Index of refraction that reflects 0.08 · specular head-on; 0.5 is ``ETA``."""
    return 2.0 / (1.0 - (0.08 * specular) ** 0.5) - 1.0


def fresnel_dielectric(cos_i: Any, eta: Any = ETA) -> Any:
    """Unpolarised reflectance of a dielectric of index ``eta`` seen from outside."""
    cos_t = (1.0 - (1.0 - cos_i * cos_i) / (eta * eta)) ** 0.5
    parallel = (eta * cos_i - cos_t) / (eta * cos_i + cos_t)
    perpendicular = (cos_i - eta * cos_t) / (cos_i + eta * cos_t)
    return 0.5 * (parallel * parallel + perpendicular * perpendicular)


def schlick_weight(cos: Any) -> Any:
    """(1 − cos)⁵."""
    c = 1.0 - cos
    return c * c * c * c * c


def diffuse_lobe(roughness: Any, n_l: Any, n_v: Any, h_l: Any) -> Any:
    """Disney diffuse with retro-reflection, for base colour 1 and no metal [1/sr]."""
    f_i, f_o = schlick_weight(n_l), schlick_weight(n_v)
    r = 2.0 * roughness * h_l * h_l
    lambertian = (1.0 - 0.5 * f_i) * (1.0 - 0.5 * f_o)
    return (lambertian + r * (f_o + f_i + f_o * f_i * (r - 1.0))) / _PI


def scatter_lobe(roughness: Any, n_l: Any, n_v: Any, h_l: Any) -> Any:
    """Disney's local approximation of subsurface scattering, for colour 1 and no metal [1/sr]."""
    f90 = roughness * h_l * h_l
    flat = (1.0 + (f90 - 1.0) * schlick_weight(n_l)) * (1.0 + (f90 - 1.0) * schlick_weight(n_v))
    return 1.25 * (flat * (1.0 / (n_l + n_v) - 0.5) + 0.5) / _PI


def smith_g1(alpha: Any, cos: Any) -> Any:
    """Smith masking of GGX for one direction."""
    a2, c2 = alpha * alpha, cos * cos
    return 2.0 * cos / (cos + (c2 + a2 * (1.0 - c2)) ** 0.5)


def specular_lobe(roughness: Any, n_l: Any, n_v: Any, n_h: Any) -> Any:
    """D·G1·G1 / (4 n·l n·v) of GGX, without Fresnel [1/sr]."""
    alpha = alpha_from_roughness(roughness)
    a2 = alpha * alpha
    t = n_h * n_h * (a2 - 1.0) + 1.0
    distribution = a2 / (_PI * t * t)
    return distribution * smith_g1(alpha, n_l) * smith_g1(alpha, n_v) / (4.0 * n_l * n_v)


def brdf_terms(roughness: Any, metallic: Any, n_l: Any, n_v: Any, n_h: Any, h_l: Any, eta: Any = ETA) -> Any:
    """(scale, offset) with ``f = base * scale + offset`` [1/sr], without cosine and subsurface part."""
    specular = specular_lobe(roughness, n_l, n_v, n_h)
    schlick = schlick_weight(h_l)
    dielectric = 1.0 - metallic
    scale = dielectric * diffuse_lobe(roughness, n_l, n_v, h_l) + metallic * specular * (1.0 - schlick)
    offset = specular * (dielectric * fresnel_dielectric(h_l, eta) + metallic * schlick)
    return scale, offset

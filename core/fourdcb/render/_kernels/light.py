"""Radiance that one light sends off a surface, and whether it gets there."""

from __future__ import annotations

from fourdcb.kernels.jit import inline
from fourdcb.render._kernels.arrays import AREA, DIRECTIONAL, I32, Lights, Mesh, Shadows
from fourdcb.render._kernels.shadow import map_visibility, plane_blocks, shadow_bias
from fourdcb.render._kernels.surface import MIN_COSINE
from fourdcb.render._kernels.surface_model import brdf_terms, diffuse_lobe, scatter_lobe

_FAR = 1e30
LAST_BIT = 62
ALL = -1  # the mask of all casters


@inline
def towards_light(
    light: int, x: float, y: float, z: float, lights: Lights
) -> tuple[float, float, float, float, float]:
    """(unit direction 3, distance, irradiance per power on a facing surface) of a light seen from a point."""
    a, b, c = lights.rows[light, 0], lights.rows[light, 1], lights.rows[light, 2]
    if lights.kind[light] == DIRECTIONAL:
        return -a, -b, -c, _FAR, 1.0
    dx, dy, dz = a - x, b - y, c - z
    square = max(dx * dx + dy * dy + dz * dz, 1e-12)
    distance = square**0.5
    dx, dy, dz = dx / distance, dy / distance, dz / distance
    strength = 1.0 / square
    if lights.kind[light] == AREA:
        facing = lights.rows[light, 3] * dx + lights.rows[light, 4] * dy + lights.rows[light, 5] * dz
        strength *= max(-facing, 0.0)
    return dx, dy, dz, distance, strength


@inline
def direct_light(
    light: int, x: float, y: float, z: float, nx: float, ny: float, nz: float,
    sx: float, sy: float, sz: float, vx: float, vy: float, vz: float,
    red: float, green: float, blue: float, roughness: float, metallic: float, eta: float,
    subsurface: float, sub_red: float, sub_green: float, sub_blue: float, lights: Lights,
) -> tuple[float, float, float]:  # fmt: skip
    """Unshadowed radiance per unit intensity towards the unit view direction v.

    A share ``subsurface`` of the diffuse part is light that has been inside, of its own colour.

    A surface whose own normal s faces away from the light stays dark, wherever a normal map turns n.
    """
    lx, ly, lz, _, strength = towards_light(light, x, y, z, lights)
    n_l = nx * lx + ny * ly + nz * lz
    if n_l <= 0.0 or sx * lx + sy * ly + sz * lz <= 0.0 or strength <= 0.0:
        return 0.0, 0.0, 0.0
    n_v = max(nx * vx + ny * vy + nz * vz, MIN_COSINE)
    hx, hy, hz = lx + vx, ly + vy, lz + vz
    length = max((hx * hx + hy * hy + hz * hz) ** 0.5, 1e-9)
    n_h = min((nx * hx + ny * hy + nz * hz) / length, 1.0)
    h_l = min((lx * hx + ly * hy + lz * hz) / length, 1.0)
    scale, offset = brdf_terms(roughness, metallic, max(n_l, MIN_COSINE), n_v, n_h, h_l, eta)
    within = 0.0
    if subsurface > 0.0:
        share, bounded = (1.0 - metallic) * subsurface, max(n_l, MIN_COSINE)
        within = share * scatter_lobe(roughness, bounded, n_v, h_l)
        scale -= share * diffuse_lobe(roughness, bounded, n_v, h_l)
    red, green, blue = red * scale + offset, green * scale + offset, blue * scale + offset
    if subsurface > 0.0:
        red, green, blue = red + sub_red * within, green + sub_green * within, blue + sub_blue * within
    factor = n_l * strength
    return (
        factor * lights.rows[light, 6] * red,
        factor * lights.rows[light, 7] * green,
        factor * lights.rows[light, 8] * blue,
    )


@inline
def visibility(
    light: int, body: int, x: float, y: float, z: float, nx: float, ny: float, nz: float, casters: I32,
    mask: int, mesh: Mesh, lights: Lights, s: Shadows,
) -> float:  # fmt: skip
    """Share of a light that ``casters`` let through to a point of ``body``; the darkest caster counts.

    Bit i of ``mask`` says whether caster i is looked at; the last bit speaks for all that have none.
    """
    directional = lights.kind[light] == DIRECTIONAL
    share = 1.0
    for i in range(len(casters)):
        if (mask >> min(i, LAST_BIT)) & 1 == 0:
            continue
        c = casters[i]
        if c != body:
            share = min(share, map_visibility(light, c, directional, x, y, z, s))
        elif mesh.bodies[c, 4] == 0:
            d = shadow_bias(light, c, mesh, s)
            share = min(share, map_visibility(light, c, directional, x + d * nx, y + d * ny, z + d * nz, s))
        if share == 0.0:
            return 0.0
    return share


@inline
def plane_visibility(
    light: int, body: int, x: float, y: float, z: float, lights: Lights, s: Shadows
) -> float:
    """0 when a plane lies between a point of ``body`` and the light, else 1."""
    if len(s.planes) == 0:
        return 1.0
    lx, ly, lz, distance, _ = towards_light(light, x, y, z, lights)
    return 0.0 if plane_blocks(body, x, y, z, lx, ly, lz, distance, s) else 1.0

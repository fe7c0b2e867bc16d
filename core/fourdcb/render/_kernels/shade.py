"""Shading of drawn samples, tile by tile, and the change that moving bodies make to the static layer."""

from __future__ import annotations

import numpy as np

from fourdcb.kernels.jit import inline, kernel
from fourdcb.render._kernels.ambient import ambient_terms
from fourdcb.render._kernels.arrays import F32, F64, I32, Drawn, Layer, Lights, Materials, Mesh, Shadows, View
from fourdcb.render._kernels.draw import has_map, may_darken
from fourdcb.render._kernels.light import ALL, LAST_BIT, direct_light, plane_visibility, visibility
from fourdcb.render._kernels.surface import MIN_COSINE, pixel_ray, surface_at


@inline
def _shade_sample(
    p: int, x: float, y: float, f: int, shadowed: bool, casters: I32, view: View, mesh: Mesh, m: Materials,
    lights: Lights, s: Shadows, ambient: float, out: Layer,
) -> None:  # fmt: skip
    px, py, pz, nx, ny, nz, sx, sy, sz, red, green, blue, roughness, metallic = surface_at(
        f, x, y, view, mesh, m
    )
    out.normal[p, 0], out.normal[p, 1], out.normal[p, 2] = nx, ny, nz
    out.albedo[p, 0], out.albedo[p, 1], out.albedo[p, 2] = red, green, blue
    vx, vy, vz = view.position[0] - px, view.position[1] - py, view.position[2] - pz
    length = (vx * vx + vy * vy + vz * vz) ** 0.5
    vx, vy, vz = vx / length, vy / length, vz / length
    n_v = max(nx * vx + ny * vy + nz * vz, MIN_COSINE)
    body = mesh.faces[f, 3]
    eta, subsurface = m.surface[body, 5], m.surface[body, 6]
    sub_red, sub_green, sub_blue = m.surface[body, 7], m.surface[body, 8], m.surface[body, 9]
    if sub_red < 0.0:  # not stated: the base colour's, texture and all
        sub_red, sub_green, sub_blue = red, green, blue
    scale, offset, scatter = ambient_terms(m.albedo, roughness, metallic, n_v, eta, subsurface)
    out.ambient[p, 0] = ambient * (red * scale + sub_red * scatter + offset)
    out.ambient[p, 1] = ambient * (green * scale + sub_green * scatter + offset)
    out.ambient[p, 2] = ambient * (blue * scale + sub_blue * scatter + offset)
    for light in range(len(lights.kind)):
        r, g, b = direct_light(
            light, px, py, pz, nx, ny, nz, sx, sy, sz, vx, vy, vz, red, green, blue, roughness, metallic,
            eta, subsurface, sub_red, sub_green, sub_blue, lights,
        )  # fmt: skip
        share = 1.0 if r + g + b > 0.0 else 0.0  # nothing shades what faces away
        if shadowed and share > 0.0:
            share = plane_visibility(light, body, px, py, pz, lights, s)
            if share > 0.0:
                share = visibility(light, body, px, py, pz, nx, ny, nz, casters, ALL, mesh, lights, s)
        out.direct[light, p, 0], out.direct[light, p, 1], out.direct[light, p, 2] = r, g, b
        out.visible[light, p] = share


@inline
def shade_tile(
    t: int, tile: int, moving: int, shadowed: bool, casters: I32, view: View, mesh: Mesh, m: Materials,
    lights: Lights, s: Shadows, ambient: float, drawn: Drawn, out: Layer,
) -> None:  # fmt: skip
    """Shade the samples of tile ``t`` that show a body whose moving flag is ``moving``."""
    across = (view.width + tile - 1) // tile
    j, i = t // across, t % across
    for y in range(j * tile, min((j + 1) * tile, view.height)):
        for x in range(i * tile, min((i + 1) * tile, view.width)):
            p = y * view.width + x
            f = drawn.face[p]
            if f >= 0 and mesh.bodies[mesh.faces[f, 3], 5] == moving:
                _shade_sample(
                    p, x + 0.5, y + 0.5, f, shadowed, casters, view, mesh, m, lights, s, ambient, out
                )


@inline
def add_covering(
    t: int, tile: int, k: int, group: int, scales: F64, view: View, mesh: Mesh, drawn: Drawn, under: Layer,
    over: Layer, delta: F32,
) -> None:  # fmt: skip
    """Add to ``delta`` what the samples of tile ``t`` gain that show a moving body in ``over``."""
    across = (view.width + tile - 1) // tile
    j, i = t // across, t % across
    for y in range(j * tile, min((j + 1) * tile, view.height)):
        for p in range(y * view.width + i * tile, y * view.width + min((i + 1) * tile, view.width)):
            f = drawn.face[p]
            if f < 0 or mesh.bodies[mesh.faces[f, 3], 5] == 0:
                continue
            for c in range(3):
                change = float(over.ambient[p, c]) - under.ambient[p, c]
                for light in range(scales.shape[1]):
                    change += scales[k, light] * over.visible[light, p] * over.direct[light, p, c]
                    change -= scales[k, light] * under.visible[light, p] * under.direct[light, p, c]
                delta[group, p, c] += np.float32(change)


@inline
def _near_casters(
    light: int, t: int, casters: I32, mesh: Mesh, lights: Lights, s: Shadows, bounds: F64
) -> int:
    """Mask of the casters that may darken static points of tile ``t``."""
    if len(casters) > LAST_BIT:
        return ALL
    mask = 0
    for i in range(len(casters)):
        if has_map(casters[i], s) and may_darken(light, casters[i], t, mesh, lights, s, bounds):
            mask |= 1 << i
    return mask


@inline
def add_shadows(
    t: int, tile: int, k: int, group: int, scales: F64, shadowed: bool, casters: I32, view: View, mesh: Mesh,
    lights: Lights, s: Shadows, bounds: F64, still: Drawn, drawn: Drawn, under: Layer, over: Layer,
    delta: F32,
) -> None:  # fmt: skip
    """Add to ``delta`` what the static samples of tile ``t`` lose to the shadows of moving ``casters``.

    The lower visibility is stored in ``over``.
    """
    across = (view.width + tile - 1) // tile
    j, i = t // across, t % across
    for light in range(scales.shape[1]):
        mask = _near_casters(light, t, casters, mesh, lights, s, bounds) if shadowed else 0
        for y in range(j * tile, min((j + 1) * tile, view.height)):
            for x in range(i * tile, min((i + 1) * tile, view.width)):
                p = y * view.width + x
                f = drawn.face[p]
                if f < 0 or mesh.bodies[mesh.faces[f, 3], 5] != 0:
                    continue
                before = under.visible[light, p]
                over.visible[light, p] = before
                if mask == 0 or before <= 0.0:
                    continue
                dx, dy, dz = pixel_ray(x + 0.5, y + 0.5, view)
                d = 1.0 / still.inverse_depth[p]
                px, py, pz = view.position[0] + d * dx, view.position[1] + d * dy, view.position[2] + d * dz
                body = mesh.faces[f, 3]
                share = visibility(light, body, px, py, pz, 0.0, 0.0, 0.0, casters, mask, mesh, lights, s)
                if share < before:
                    over.visible[light, p] = share
                    w = scales[k, light] * (share - before)
                    for c in range(3):
                        delta[group, p, c] += np.float32(w * under.direct[light, p, c])


@kernel
def combine(top: int, bottom: int, width: int, scale: F64, layer: Layer, out: F32) -> None:
    """Radiance of a layer alone for light intensities ``scale`` [L], rows ``top`` … ``bottom`` - 1."""
    for p in range(top * width, bottom * width):
        for k in range(3):
            value = float(layer.ambient[p, k])
            for light in range(len(scale)):
                value += scale[light] * layer.visible[light, p] * layer.direct[light, p, k]
            out[p, k] = value

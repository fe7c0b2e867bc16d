"""Shading of drawn samples, tile by tile, and the change that moving bodies make to the static layer."""

from __future__ import annotations

import numpy as np

from fourdcb.render._kernels.ambient import ambient_terms
from fourdcb.render._kernels.arrays import F32, F64, I32, Drawn, Layer, Lights, Materials, Mesh, Shadows, View
from fourdcb.render._kernels.jit import inline, kernel
from fourdcb.render._kernels.light import direct_light, plane_visibility, visibility
from fourdcb.render._kernels.surface import MIN_COSINE, pixel_ray, surface_at


@inline
def _shade_sample(
    p: int, x: float, y: float, f: int, shadowed: bool, casters: I32, view: View, mesh: Mesh, m: Materials,
    lights: Lights, s: Shadows, ambient: float, out: Layer,
) -> None:  # fmt: skip
    px, py, pz, nx, ny, nz, red, green, blue, roughness, metallic = surface_at(f, x, y, view, mesh, m)
    out.normal[p, 0], out.normal[p, 1], out.normal[p, 2] = nx, ny, nz
    out.albedo[p, 0], out.albedo[p, 1], out.albedo[p, 2] = red, green, blue
    vx, vy, vz = view.position[0] - px, view.position[1] - py, view.position[2] - pz
    length = (vx * vx + vy * vy + vz * vz) ** 0.5
    vx, vy, vz = vx / length, vy / length, vz / length
    n_v = max(nx * vx + ny * vy + nz * vz, MIN_COSINE)
    scale, offset = ambient_terms(m.albedo, roughness, metallic, n_v)
    out.ambient[p, 0] = ambient * (red * scale + offset)
    out.ambient[p, 1] = ambient * (green * scale + offset)
    out.ambient[p, 2] = ambient * (blue * scale + offset)
    body = mesh.faces[f, 3]
    for light in range(len(lights.kind)):
        r, g, b = direct_light(
            light, px, py, pz, nx, ny, nz, vx, vy, vz, red, green, blue, roughness, metallic, lights
        )
        share = 1.0
        if shadowed and r + g + b > 0.0:
            share = plane_visibility(light, body, px, py, pz, lights, s)
            if share > 0.0:
                share = visibility(light, body, px, py, pz, nx, ny, nz, casters, mesh, lights, s)
        out.direct[light, p, 0], out.direct[light, p, 1], out.direct[light, p, 2] = r, g, b
        out.visible[light, p] = share


@kernel
def shade_tiles(
    tiles: I32, tile: int, moving: int, shadowed: bool, casters: I32, view: View, mesh: Mesh, m: Materials,
    lights: Lights, s: Shadows, ambient: float, drawn: Drawn, out: Layer,
) -> None:  # fmt: skip
    """Shade the samples of ``tiles`` (flat indices) that show a body whose moving flag is ``moving``."""
    across = (view.width + tile - 1) // tile
    for t in range(len(tiles)):
        j, i = tiles[t] // across, tiles[t] % across
        for y in range(j * tile, min((j + 1) * tile, view.height)):
            for x in range(i * tile, min((i + 1) * tile, view.width)):
                p = y * view.width + x
                f = drawn.face[p]
                if f >= 0 and mesh.bodies[mesh.faces[f, 3], 5] == moving:
                    _shade_sample(
                        p, x + 0.5, y + 0.5, f, shadowed, casters, view, mesh, m, lights, s, ambient, out
                    )


@kernel
def add_change(
    tiles: I32, tile: int, scale: F64, shadowed: bool, casters: I32, view: View, mesh: Mesh, lights: Lights,
    s: Shadows, still: Drawn, drawn: Drawn, under: Layer, over: Layer, delta: F32,
) -> None:  # fmt: skip
    """Add (radiance - static radiance) of the samples of ``tiles`` to ``delta``.

    Samples that show a moving body are in ``over``. Where the static layer ``under`` shows, the moving
    ``casters`` darken it; the lower visibility is stored in ``over``. ``scale`` [L] are light intensities.
    """
    across = (view.width + tile - 1) // tile
    for t in range(len(tiles)):
        j, i = tiles[t] // across, tiles[t] % across
        for y in range(j * tile, min((j + 1) * tile, view.height)):
            for x in range(i * tile, min((i + 1) * tile, view.width)):
                p = y * view.width + x
                f = drawn.face[p]
                if f < 0:
                    continue
                if mesh.bodies[mesh.faces[f, 3], 5]:
                    for k in range(3):
                        change = over.ambient[p, k] - under.ambient[p, k]
                        for light in range(len(scale)):
                            change += scale[light] * over.visible[light, p] * over.direct[light, p, k]
                            change -= scale[light] * under.visible[light, p] * under.direct[light, p, k]
                        delta[p, k] += np.float32(change)
                    continue
                dx, dy, dz = pixel_ray(x + 0.5, y + 0.5, view)
                d = 1.0 / still.inverse_depth[p]
                px, py, pz = view.position[0] + d * dx, view.position[1] + d * dy, view.position[2] + d * dz
                for light in range(len(scale)):
                    before = under.visible[light, p]
                    share = before
                    if shadowed and before > 0.0:
                        body = mesh.faces[f, 3]
                        share = visibility(light, body, px, py, pz, 0.0, 0.0, 0.0, casters, mesh, lights, s)
                        share = min(share, before)
                    over.visible[light, p] = share
                    if share < before:
                        w = scale[light] * (share - before)
                        for k in range(3):
                            delta[p, k] += np.float32(w * under.direct[light, p, k])


@kernel
def combine(top: int, bottom: int, width: int, scale: F64, layer: Layer, out: F32) -> None:
    """Radiance of a layer alone for light intensities ``scale`` [L], rows ``top`` … ``bottom`` - 1."""
    for p in range(top * width, bottom * width):
        for k in range(3):
            value = float(layer.ambient[p, k])
            for light in range(len(scale)):
                value += scale[light] * layer.visible[light, p] * layer.direct[light, p, k]
            out[p, k] = value


@kernel
def restore_tiles(tiles: I32, tile: int, view: View, still: Drawn, drawn: Drawn) -> None:
    """Copy the static z-buffer back into ``tiles``."""
    across = (view.width + tile - 1) // tile
    for t in range(len(tiles)):
        j, i = tiles[t] // across, tiles[t] % across
        for y in range(j * tile, min((j + 1) * tile, view.height)):
            for p in range(y * view.width + i * tile, y * view.width + min((i + 1) * tile, view.width)):
                drawn.face[p] = still.face[p]
                drawn.inverse_depth[p] = still.inverse_depth[p]

"""Shading of the layer that never moves, kept by light so that shadows and intensities can change over it."""

from __future__ import annotations

from fourdcb.render._ambient import ambient_terms
from fourdcb.render._arrays import F32, F64, I32, Geometry, Lights, Materials, Shadows, StaticLayer, View
from fourdcb.render._jit import inline, kernel
from fourdcb.render._light import direct_light, plane_visibility, visibility
from fourdcb.render._surface import MIN_COSINE, surface_at


@inline
def _shade_static_pixel(
    x: int, y: int, shadowed: bool, casters: I32, view: View, g: Geometry, m: Materials, lights: Lights,
    s: Shadows, ambient: float, layer: StaticLayer,
) -> None:  # fmt: skip
    f = layer.face[y, x]
    px, py, pz, nx, ny, nz, red, green, blue, roughness, metallic = surface_at(f, x + 0.5, y + 0.5, view, g, m)
    vx, vy, vz = view.position[0] - px, view.position[1] - py, view.position[2] - pz
    length = (vx * vx + vy * vy + vz * vz) ** 0.5
    vx, vy, vz = vx / length, vy / length, vz / length
    n_v = max(nx * vx + ny * vy + nz * vz, MIN_COSINE)
    scale, offset = ambient_terms(m.albedo_table, roughness, metallic, n_v)
    layer.ambient[y, x, 0] = ambient * (red * scale + offset)
    layer.ambient[y, x, 1] = ambient * (green * scale + offset)
    layer.ambient[y, x, 2] = ambient * (blue * scale + offset)
    body = g.face_body[f]
    for light in range(len(lights.kind)):
        r, gr, b = direct_light(
            light, px, py, pz, nx, ny, nz, vx, vy, vz, red, green, blue, roughness, metallic, lights
        )
        share = 1.0
        if shadowed and r + gr + b > 0.0:
            share = plane_visibility(light, body, px, py, pz, lights, s)
            if share > 0.0:
                share = visibility(light, body, px, py, pz, nx, ny, nz, casters, g, lights, s)
        layer.direct[light, y, x, 0] = r
        layer.direct[light, y, x, 1] = gr
        layer.direct[light, y, x, 2] = b
        layer.visible[light, y, x] = share


@kernel
def shade_static(
    top: int, bottom: int, shadowed: bool, casters: I32, view: View, g: Geometry, m: Materials, lights: Lights,
    s: Shadows, ambient: float, background: F64, layer: StaticLayer,
) -> None:  # fmt: skip
    """Shade rows ``top`` … ``bottom`` - 1 of the static layer."""
    for y in range(top, bottom):
        for x in range(view.width):
            if layer.face[y, x] < 0:
                for k in range(3):
                    layer.ambient[y, x, k] = background[k]
                for light in range(len(lights.kind)):
                    layer.direct[light, y, x, :] = 0.0
                    layer.visible[light, y, x] = 1.0
            else:
                _shade_static_pixel(x, y, shadowed, casters, view, g, m, lights, s, ambient, layer)


@kernel
def combine_static(top: int, bottom: int, scale: F64, layer: StaticLayer, out: F32) -> None:
    """Radiance of the static layer alone for light intensities ``scale`` [L]."""
    for y in range(top, bottom):
        for x in range(out.shape[1]):
            for k in range(3):
                out[y, x, k] = layer.ambient[y, x, k]
            for light in range(len(scale)):
                w = scale[light] * layer.visible[light, y, x]
                for k in range(3):
                    out[y, x, k] += w * layer.direct[light, y, x, k]


@kernel
def tile_bounds(tile: int, view: View, layer: StaticLayer) -> None:
    """Bounding spheres of the static surface points of every tile; background only: radius -1."""
    for j in range(layer.bounds.shape[0]):
        for i in range(layer.bounds.shape[1]):
            _tile_bound(i, j, tile, view, layer)


@inline
def _tile_bound(i: int, j: int, tile: int, view: View, layer: StaticLayer) -> None:
    o, r = view.position, view.world_from_camera
    low_x, low_y, low_z, high_x, high_y, high_z = 1e30, 1e30, 1e30, -1e30, -1e30, -1e30
    for y in range(j * tile, min((j + 1) * tile, view.height)):
        for x in range(i * tile, min((i + 1) * tile, view.width)):
            if layer.face[y, x] < 0:
                continue
            d = 1.0 / layer.inverse_depth[y, x]
            u, v = (x + 0.5 - view.centre_x) / view.focal * d, (y + 0.5 - view.centre_y) / view.focal * d
            px = r[0, 0] * u + r[0, 1] * v + r[0, 2] * d + o[0]
            py = r[1, 0] * u + r[1, 1] * v + r[1, 2] * d + o[1]
            pz = r[2, 0] * u + r[2, 1] * v + r[2, 2] * d + o[2]
            low_x, low_y, low_z = min(low_x, px), min(low_y, py), min(low_z, pz)
            high_x, high_y, high_z = max(high_x, px), max(high_y, py), max(high_z, pz)
    dx, dy, dz = high_x - low_x, high_y - low_y, high_z - low_z
    layer.bounds[j, i, 0] = 0.5 * (low_x + high_x)
    layer.bounds[j, i, 1] = 0.5 * (low_y + high_y)
    layer.bounds[j, i, 2] = 0.5 * (low_z + high_z)
    layer.bounds[j, i, 3] = 0.5 * (dx * dx + dy * dy + dz * dz) ** 0.5 if high_x >= low_x else -1.0

"""One temporal sample: draw what moves, find the tiles that differ from the static layer, shade only those."""

from __future__ import annotations

import numpy as np

from fourdcb.render._ambient import ambient_terms
from fourdcb.render._arrays import (
    DIRECTIONAL,
    F32,
    F64,
    I32,
    U8,
    Buffers,
    Geometry,
    Lights,
    Materials,
    Shadows,
    StaticLayer,
    View,
)
from fourdcb.render._jit import inline, kernel
from fourdcb.render._light import direct_light, plane_visibility, visibility
from fourdcb.render._project import place_body, project_body
from fourdcb.render._rasterise import rasterise_body
from fourdcb.render._shadow import draw_shadow_maps
from fourdcb.render._surface import MIN_COSINE, pixel_ray, surface_at


@kernel
def draw_moving(
    bodies: I32, positions: F64, rotations: F64, shadow_limit: int, tile: int, view: View, g: Geometry,
    lights: Lights, s: Shadows, layer: StaticLayer, out: Buffers, dirty: U8,
) -> None:  # fmt: skip
    """Place, rasterise and cast shadows of the moving bodies; mark the tiles that they change in ``dirty``.

    ``shadow_limit`` is the largest side of a shadow map, 0 for no shadows.
    """
    dirty[:] = 0
    for i in range(len(bodies)):
        b = bodies[i]
        place_body(b, positions[b], rotations[b], g)
        project_body(b, view, g)
        rasterise_body(b, view, g, out)
        x0, y0, x1, y1 = g.rect[b, 0], g.rect[b, 1], g.rect[b, 2], g.rect[b, 3]
        if x1 > x0 and y1 > y0:
            dirty[y0 // tile : (y1 - 1) // tile + 1, x0 // tile : (x1 - 1) // tile + 1] = 1
        if shadow_limit > 0:
            draw_shadow_maps(b, shadow_limit, view, g, lights, s)
            for light in range(len(lights.kind)):
                _mark_shadowed(light, b, g, lights, layer, dirty)


@inline
def _mark_shadowed(light: int, b: int, g: Geometry, lights: Lights, layer: StaticLayer, dirty: U8) -> None:
    """Mark the tiles whose static points may lie in the shadow volume of a body's bounding sphere."""
    directional = lights.kind[light] == DIRECTIONAL
    radius = 1.1 * g.radius[b]
    origin = g.centre[b] if directional else lights.vector[light]
    axis = lights.vector[light].copy()
    widening, start = 0.0, 0.0
    if not directional:
        axis = g.centre[b] - origin
        distance = (axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2) ** 0.5
        if distance <= radius:
            dirty[:] = 1
            return
        axis /= distance
        start = distance
        widening = radius / (distance * distance - radius * radius) ** 0.5
    for j in range(dirty.shape[0]):
        for i in range(dirty.shape[1]):
            tile_radius = layer.bounds[j, i, 3]
            if dirty[j, i] or tile_radius < 0.0:
                continue
            x, y, z = (
                layer.bounds[j, i, 0] - origin[0],
                layer.bounds[j, i, 1] - origin[1],
                layer.bounds[j, i, 2] - origin[2],
            )
            along = x * axis[0] + y * axis[1] + z * axis[2]
            if along < start - radius - tile_radius:
                continue
            away = max(x * x + y * y + z * z - along * along, 0.0) ** 0.5
            width = radius if directional else max(along + tile_radius, 0.0) * widening
            if away <= width + tile_radius * (1.0 + widening):
                dirty[j, i] = 1


@inline
def _shade_moving_pixel(
    x: int, y: int, f: int, scale: F64, shadowed: bool, casters: I32, view: View, g: Geometry, m: Materials,
    lights: Lights, s: Shadows, ambient: float,
) -> tuple[float, float, float]:  # fmt: skip
    px, py, pz, nx, ny, nz, red, green, blue, roughness, metallic = surface_at(f, x + 0.5, y + 0.5, view, g, m)
    vx, vy, vz = view.position[0] - px, view.position[1] - py, view.position[2] - pz
    length = (vx * vx + vy * vy + vz * vz) ** 0.5
    vx, vy, vz = vx / length, vy / length, vz / length
    n_v = max(nx * vx + ny * vy + nz * vz, MIN_COSINE)
    reflect, offset = ambient_terms(m.albedo_table, roughness, metallic, n_v)
    r = ambient * (red * reflect + offset)
    gr = ambient * (green * reflect + offset)
    b = ambient * (blue * reflect + offset)
    body = g.face_body[f]
    for light in range(len(lights.kind)):
        dr, dg, db = direct_light(
            light, px, py, pz, nx, ny, nz, vx, vy, vz, red, green, blue, roughness, metallic, lights
        )
        share = scale[light]
        if shadowed and share * (dr + dg + db) > 0.0:
            share *= plane_visibility(light, body, px, py, pz, lights, s)
            if share > 0.0:
                share *= visibility(light, body, px, py, pz, nx, ny, nz, casters, g, lights, s)
        r += share * dr
        gr += share * dg
        b += share * db
    return r, gr, b


@inline
def _shadow_change(
    x: int, y: int, f: int, scale: F64, moving: I32, view: View, g: Geometry, lights: Lights, s: Shadows,
    layer: StaticLayer,
) -> tuple[float, float, float]:  # fmt: skip
    """Radiance that moving casters take from a static pixel (three numbers <= 0)."""
    dx, dy, dz = pixel_ray(x + 0.5, y + 0.5, view)
    d = 1.0 / layer.inverse_depth[y, x]
    px, py, pz = view.position[0] + d * dx, view.position[1] + d * dy, view.position[2] + d * dz
    r, gr, b = 0.0, 0.0, 0.0
    for light in range(len(lights.kind)):
        before = layer.visible[light, y, x]
        if before == 0.0 or scale[light] == 0.0:
            continue
        share = visibility(light, g.face_body[f], px, py, pz, 0.0, 0.0, 0.0, moving, g, lights, s)
        if share < before:
            w = scale[light] * (share - before)
            r += w * layer.direct[light, y, x, 0]
            gr += w * layer.direct[light, y, x, 1]
            b += w * layer.direct[light, y, x, 2]
    return r, gr, b


@kernel
def shade_tiles(
    tiles: I32, tile: int, scale: F64, shadowed: bool, is_moving: I32, casters: I32, moving: I32, view: View,
    g: Geometry, m: Materials, lights: Lights, s: Shadows, ambient: float, layer: StaticLayer, out: Buffers,
    delta: F32,
) -> None:  # fmt: skip
    """Add (radiance − static radiance) of every pixel of ``tiles`` to ``delta``; reset the z-buffer there.

    ``is_moving`` [N] says whether a body moves. ``tiles`` are flat indices.
    """
    across = layer.bounds.shape[1]
    for t in range(len(tiles)):
        j, i = tiles[t] // across, tiles[t] % across
        for y in range(j * tile, min((j + 1) * tile, view.height)):
            for x in range(i * tile, min((i + 1) * tile, view.width)):
                f = out.face[y, x]
                if f < 0:
                    continue
                if is_moving[g.face_body[f]]:
                    r, gr, b = _shade_moving_pixel(
                        x, y, f, scale, shadowed, casters, view, g, m, lights, s, ambient
                    )
                    r -= layer.ambient[y, x, 0]
                    gr -= layer.ambient[y, x, 1]
                    b -= layer.ambient[y, x, 2]
                    for light in range(len(lights.kind)):
                        w = scale[light] * layer.visible[light, y, x]
                        r -= w * layer.direct[light, y, x, 0]
                        gr -= w * layer.direct[light, y, x, 1]
                        b -= w * layer.direct[light, y, x, 2]
                    out.face[y, x] = layer.face[y, x]
                    out.inverse_depth[y, x] = layer.inverse_depth[y, x]
                elif shadowed:
                    r, gr, b = _shadow_change(x, y, f, scale, moving, view, g, lights, s, layer)
                else:
                    continue
                delta[y, x, 0] += np.float32(r)
                delta[y, x, 1] += np.float32(gr)
                delta[y, x, 2] += np.float32(b)

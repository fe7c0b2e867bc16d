"""Place bodies, rasterise them, draw their shadow maps, and find the tiles that they change."""

from __future__ import annotations

from fourdcb.kernels.jit import inline, kernel
from fourdcb.render._kernels.arrays import (
    DIRECTIONAL,
    F64,
    I32,
    U8,
    Drawn,
    Lights,
    Mesh,
    Scratch,
    Shadows,
    View,
)
from fourdcb.render._kernels.project import place_body, project_body
from fourdcb.render._kernels.shadow import draw_map, fit_map, shadow_reach


@inline
def place_bodies(
    k: int, bodies: I32, positions: F64, rotations: F64, shadow_limit: int, tile: int, view: View, mesh: Mesh,
    lights: Lights, s: Shadows, bounds: F64, dirty: U8,
) -> None:  # fmt: skip
    """Put ``bodies`` at pose ``k``, fit their shadow maps, mark in ``dirty`` the tiles that they change."""
    across = (view.width + tile - 1) // tile
    for t in range(len(dirty)):
        dirty[t] = 0
    for i in range(len(bodies)):
        b = bodies[i]
        place_body(k, b, positions, rotations, mesh)
        project_body(b, view, mesh)
        x0, y0, x1, y1 = mesh.rects[b, 0], mesh.rects[b, 1], mesh.rects[b, 2], mesh.rects[b, 3]
        if x1 > x0 and y1 > y0:
            for y in range(y0 // tile, (y1 - 1) // tile + 1):
                for x in range(x0 // tile, (x1 - 1) // tile + 1):
                    dirty[y * across + x] = 1
        if shadow_limit == 0 or not has_map(b, s):
            continue
        for light in range(len(lights.kind)):
            fit_map(light, b, shadow_limit, view, mesh, lights, s)
            for t in range(len(dirty)):
                if dirty[t] == 0 and may_darken(light, b, t, mesh, lights, s, bounds):
                    dirty[t] = 1


@inline
def draw_maps(
    part: int, parts: int, bodies: I32, mesh: Mesh, lights: Lights, s: Shadows, scratch: Scratch, faces: I32
) -> None:
    """Draw every ``parts``-th of the shadow maps of placed ``bodies``."""
    count = 0
    for i in range(len(bodies)):
        if not has_map(bodies[i], s):
            continue
        for light in range(len(lights.kind)):
            if count % parts == part:
                draw_map(light, bodies[i], mesh, lights, s, scratch, faces)
            count += 1


@inline
def has_map(b: int, s: Shadows) -> bool:
    """Whether a body casts its shadow by a map; a plane has none: it is intersected exactly."""
    return s.slots.shape[0] > 0 and s.slots[0, b, 0] >= 0


@inline
def may_darken(light: int, b: int, t: int, mesh: Mesh, lights: Lights, s: Shadows, bounds: F64) -> bool:
    """Whether static points of tile ``t`` may lie in the shadow volume of a placed body's bounding sphere."""
    tile_radius = bounds[t, 3]
    if tile_radius < 0.0:
        return False
    radius = shadow_reach(light, b, mesh, s)
    ox, oy, oz = mesh.spheres[b, 4], mesh.spheres[b, 5], mesh.spheres[b, 6]
    ax, ay, az = lights.rows[light, 0], lights.rows[light, 1], lights.rows[light, 2]
    if lights.kind[light] == DIRECTIONAL:
        x, y, z = bounds[t, 0] - ox, bounds[t, 1] - oy, bounds[t, 2] - oz
        along = x * ax + y * ay + z * az
        away = max(x * x + y * y + z * z - along * along, 0.0) ** 0.5
        return along >= -radius - tile_radius and away <= radius + tile_radius
    x, y, z = bounds[t, 0] - ax, bounds[t, 1] - ay, bounds[t, 2] - az
    ax, ay, az = ox - ax, oy - ay, oz - az
    start = (ax * ax + ay * ay + az * az) ** 0.5
    if start <= radius:
        return True
    along = (x * ax + y * ay + z * az) / start
    away = max(x * x + y * y + z * z - along * along, 0.0) ** 0.5
    widening = radius / max(start * start - radius * radius, 1e-12) ** 0.5
    width = max(along + tile_radius, 0.0) * widening
    return along >= start - radius - tile_radius and away <= width + tile_radius * (1.0 + widening)


@kernel
def tile_bounds(tile: int, view: View, drawn: Drawn, bounds: F64) -> None:
    """Bounding spheres [tiles, 4] of the surface points in every tile; background only: radius -1."""
    across = (view.width + tile - 1) // tile
    o, r = view.position, view.rotation
    for t in range(len(bounds)):
        j, i = t // across, t % across
        low_x, low_y, low_z, high_x, high_y, high_z = 1e30, 1e30, 1e30, -1e30, -1e30, -1e30
        for y in range(j * tile, min((j + 1) * tile, view.height)):
            for x in range(i * tile, min((i + 1) * tile, view.width)):
                p = y * view.width + x
                if drawn.face[p] < 0:
                    continue
                d = 1.0 / drawn.inverse_depth[p]
                u, v = (x + 0.5 - view.centre_x) / view.focal * d, (y + 0.5 - view.centre_y) / view.focal * d
                px = r[0] * u + r[1] * v + r[2] * d + o[0]
                py = r[3] * u + r[4] * v + r[5] * d + o[1]
                pz = r[6] * u + r[7] * v + r[8] * d + o[2]
                low_x, low_y, low_z = min(low_x, px), min(low_y, py), min(low_z, pz)
                high_x, high_y, high_z = max(high_x, px), max(high_y, py), max(high_z, pz)
        dx, dy, dz = high_x - low_x, high_y - low_y, high_z - low_z
        bounds[t, 0], bounds[t, 1], bounds[t, 2] = (
            0.5 * (low_x + high_x),
            0.5 * (low_y + high_y),
            0.5 * (low_z + high_z),
        )
        bounds[t, 3] = 0.5 * (dx * dx + dy * dy + dz * dz) ** 0.5 if high_x >= low_x else -1.0

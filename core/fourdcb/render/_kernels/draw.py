"""Place bodies, rasterise them, draw their shadow maps, and find the tiles that they change."""

from __future__ import annotations

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
from fourdcb.render._kernels.jit import inline, kernel
from fourdcb.render._kernels.project import place_body, project_body
from fourdcb.render._kernels.rasterise import rasterise_body
from fourdcb.render._kernels.shadow import draw_shadow_map


@kernel
def draw_bodies(
    bodies: I32, positions: F64, rotations: F64, shadow_limit: int, tile: int, view: View, mesh: Mesh,
    lights: Lights, s: Shadows, scratch: Scratch, bounds: F64, out: Drawn, dirty: U8,
) -> None:  # fmt: skip
    """Draw ``bodies`` at their poses (indexed by body) over what ``out`` holds.

    Marks in ``dirty`` [tiles] the tiles that they cover or may shadow; ``bounds`` are the tiles' bounding
    spheres. ``shadow_limit`` is the largest side of a shadow map, 0 for no shadows.
    """
    across = (view.width + tile - 1) // tile
    for i in range(len(dirty)):
        dirty[i] = 0
    for i in range(len(bodies)):
        b = bodies[i]
        place_body(b, positions, rotations, mesh)
        project_body(b, view, mesh)
        rasterise_body(b, view, mesh, scratch, out)
        x0, y0, x1, y1 = mesh.rects[b, 0], mesh.rects[b, 1], mesh.rects[b, 2], mesh.rects[b, 3]
        if x1 > x0 and y1 > y0:
            for y in range(y0 // tile, (y1 - 1) // tile + 1):
                for x in range(x0 // tile, (x1 - 1) // tile + 1):
                    dirty[y * across + x] = 1
        # A plane has no map: it is intersected exactly.
        if shadow_limit > 0 and s.slots.shape[0] > 0 and s.slots[0, b, 0] >= 0:
            for light in range(len(lights.kind)):
                draw_shadow_map(light, b, shadow_limit, view, mesh, lights, s, scratch, out.face)
                _mark_shadowed(light, b, mesh, lights, bounds, dirty)


@inline
def _mark_shadowed(light: int, b: int, mesh: Mesh, lights: Lights, bounds: F64, dirty: U8) -> None:
    """Mark the tiles whose static points may lie in the shadow volume of a body's bounding sphere."""
    directional = lights.kind[light] == DIRECTIONAL
    radius = 1.1 * mesh.spheres[b, 3]
    ax, ay, az = lights.rows[light, 0], lights.rows[light, 1], lights.rows[light, 2]
    ox, oy, oz = mesh.spheres[b, 4], mesh.spheres[b, 5], mesh.spheres[b, 6]
    widening, start = 0.0, 0.0
    everywhere = False
    if not directional:
        px, py, pz = ax, ay, az
        ax, ay, az = ox - px, oy - py, oz - pz
        ox, oy, oz = px, py, pz
        start = (ax * ax + ay * ay + az * az) ** 0.5
        everywhere = start <= radius
        ax, ay, az = ax / start, ay / start, az / start
        widening = radius / max(start * start - radius * radius, 1e-12) ** 0.5
    for i in range(len(dirty)):
        tile_radius = bounds[i, 3]
        if dirty[i] or tile_radius < 0.0:
            continue
        x, y, z = bounds[i, 0] - ox, bounds[i, 1] - oy, bounds[i, 2] - oz
        along = x * ax + y * ay + z * az
        if not everywhere and along < start - radius - tile_radius:
            continue
        away = max(x * x + y * y + z * z - along * along, 0.0) ** 0.5
        width = radius if directional else max(along + tile_radius, 0.0) * widening
        if everywhere or away <= width + tile_radius * (1.0 + widening):
            dirty[i] = 1


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

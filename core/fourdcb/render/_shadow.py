"""Shadow maps, one per light and caster and fitted to the caster, so that they stay sharp in a large scene.

A body never looks itself up when it is closed and convex (its far side is dark because n·l < 0), so contact
shadows need no bias: no acne, no peter-panning. Only mesh files shadow themselves, with a normal offset.
Planes are squares and are intersected exactly.
"""

from __future__ import annotations

import numpy as np

from fourdcb.render._arrays import DIRECTIONAL, F64, I32, Geometry, Lights, Shadows, View
from fourdcb.render._jit import inline, kernel
from fourdcb.render._project import GUARD, SUBPIXEL
from fourdcb.render._rasterise import fill_triangle

_TEXELS_PER_PIXEL = 2.0
_MIN_SIZE = 24
_BORDER = 3.0  # texels around the caster, so that the filter fades out inside the map
_MAX_TANGENT = 5.7  # a point light's map spans at most 80° to each side
_MIN_DEPTH = 1e-3
_EMPTY = np.float32(-1e30)


@inline
def _frame_towards(axis: F64, out: F64) -> None:
    """Rows of ``out``: right, up, axis; an orthonormal frame around a unit axis."""
    helper = 0 if abs(axis[0]) < 0.6 else 1
    a, b, c = axis[0], axis[1], axis[2]
    if helper == 0:
        ux, uy, uz = 0.0, c, -b
    else:
        ux, uy, uz = -c, 0.0, a
    length = (ux * ux + uy * uy + uz * uz) ** 0.5
    ux, uy, uz = ux / length, uy / length, uz / length
    out[0, 0], out[0, 1], out[0, 2] = ux, uy, uz
    out[1, 0], out[1, 1], out[1, 2] = b * uz - c * uy, c * ux - a * uz, a * uy - b * ux
    out[2, 0], out[2, 1], out[2, 2] = a, b, c


@inline
def _fit_map(light: int, b: int, limit: int, view: View, g: Geometry, lights: Lights, s: Shadows) -> None:
    """Choose frame, extent and resolution of one map; about two texels per pixel at the caster's distance."""
    axis = np.empty(3)
    radius = g.radius[b]
    distance, to_camera = 0.0, 0.0
    for k in range(3):
        to_camera += (g.centre[b, k] - view.position[k]) ** 2
        axis[k] = lights.vector[light, k]
        if lights.kind[light] != DIRECTIONAL:
            axis[k] = g.centre[b, k] - lights.vector[light, k]
        distance += axis[k] ** 2
    distance = max(distance**0.5, 1e-9)
    for k in range(3):
        axis[k] /= distance
        s.origin[light, b, k] = g.centre[b, k]
        if lights.kind[light] != DIRECTIONAL:
            s.origin[light, b, k] = lights.vector[light, k]
    _frame_towards(axis, s.rotation[light, b])
    extent = radius
    if lights.kind[light] != DIRECTIONAL:
        tangent = radius / max(distance * distance - radius * radius, 1e-12) ** 0.5
        extent = _MAX_TANGENT if distance <= radius else min(tangent, _MAX_TANGENT)
    pixel = max(to_camera**0.5, 0.1 * radius) / view.focal
    size = int(min(max(_TEXELS_PER_PIXEL * 2.0 * radius / pixel + 2.0 * _BORDER, _MIN_SIZE), limit))
    s.size[light, b] = size
    s.extent[light, b] = extent * size / (size - 2.0 * _BORDER)


@inline
def _draw_map(light: int, b: int, directional: bool, g: Geometry, s: Shadows) -> None:
    """Depth of the caster's surface nearest to the light; keys fall with the distance."""
    size = s.size[light, b]
    first = s.first[light, b]
    texels = s.texels[first : first + size * size].reshape((size, size))
    texels[:] = _EMPTY
    owner = np.empty((size, size), np.int32)
    r, o = s.rotation[light, b], s.origin[light, b]
    scale = 0.5 * size / s.extent[light, b]
    start = g.vertex_start[b]
    n = g.vertex_start[b + 1] - start
    grid, key = np.empty((n, 2), np.int64), np.empty(n)
    for i in range(n):
        x, y, z = g.vertices[start + i, 0] - o[0], g.vertices[start + i, 1] - o[1], g.vertices[start + i, 2] - o[2]
        depth = r[2, 0] * x + r[2, 1] * y + r[2, 2] * z
        w = 1.0 if directional else 1.0 / max(depth, _MIN_DEPTH)
        key[i] = -depth if directional else w
        for k in range(2):
            place = (r[k, 0] * x + r[k, 1] * y + r[k, 2] * z) * w * scale + 0.5 * size
            grid[i, k] = round(min(max(place, -GUARD), GUARD) * SUBPIXEL)
    cull = g.closed[b] != 0
    for f in range(g.face_start[b], g.face_start[b + 1]):
        u, v, t = g.faces[f, 0] - start, g.faces[f, 1] - start, g.faces[f, 2] - start
        fill_triangle(
            grid[u, 0], grid[u, 1], grid[v, 0], grid[v, 1], grid[t, 0], grid[t, 1], key[u], key[v], key[t],
            f, cull, size, size, owner, texels,
        )  # fmt: skip


@inline
def draw_shadow_maps(b: int, limit: int, view: View, g: Geometry, lights: Lights, s: Shadows) -> None:
    """Maps of one placed body for all lights."""
    for light in range(len(lights.kind)):
        _fit_map(light, b, limit, view, g, lights, s)
        _draw_map(light, b, lights.kind[light] == DIRECTIONAL, g, s)


@kernel
def shadow_maps(bodies: I32, limit: int, view: View, g: Geometry, lights: Lights, s: Shadows) -> None:
    """Maps of placed bodies for all lights; ``limit`` is the largest side [texels]."""
    for i in range(len(bodies)):
        draw_shadow_maps(bodies[i], limit, view, g, lights, s)


@inline
def map_visibility(light: int, b: int, directional: bool, x: float, y: float, z: float, s: Shadows) -> float:
    """Share of light that one caster lets through to a point: a tent of 4 x 4 texels over depth tests."""
    size = s.size[light, b]
    r, o = s.rotation[light, b], s.origin[light, b]
    x, y, z = x - o[0], y - o[1], z - o[2]
    depth = r[2, 0] * x + r[2, 1] * y + r[2, 2] * z
    if not directional and depth < _MIN_DEPTH:
        return 1.0
    w = 1.0 if directional else 1.0 / depth
    key = -depth if directional else w
    scale = 0.5 * size / s.extent[light, b] * w
    u = (r[0, 0] * x + r[0, 1] * y + r[0, 2] * z) * scale + 0.5 * size - 0.5
    v = (r[1, 0] * x + r[1, 1] * y + r[1, 2] * z) * scale + 0.5 * size - 0.5
    if not (u >= 1.0 and v >= 1.0 and u < size - 2.0 and v < size - 2.0):
        return 1.0
    i, j = int(u), int(v)
    fu, fv = u - i, v - j
    first = s.first[light, b] + (j - 1) * size + i - 1
    lit = 0.0
    for row in range(4):
        weight = 1.0 - fv if row == 0 else (fv if row == 3 else 1.0)
        t = first + row * size
        span = 0.0
        if s.texels[t] <= key:
            span += 1.0 - fu
        if s.texels[t + 1] <= key:
            span += 1.0
        if s.texels[t + 2] <= key:
            span += 1.0
        if s.texels[t + 3] <= key:
            span += fu
        lit += weight * span
    return lit / 9.0


@inline
def plane_blocks(
    body: int, x: float, y: float, z: float, lx: float, ly: float, lz: float, reach: float, s: Shadows
) -> bool:
    """Whether a plane other than ``body`` crosses the segment from a point towards the light."""
    for p in range(len(s.plane_half)):
        if s.plane_body[p] == body:
            continue
        n, c = s.plane_normal[p], s.plane_centre[p]
        slope = n[0] * lx + n[1] * ly + n[2] * lz
        if abs(slope) < 1e-9:
            continue
        t = (n[0] * (c[0] - x) + n[1] * (c[1] - y) + n[2] * (c[2] - z)) / slope
        if t <= 0.0 or t >= reach:
            continue
        dx, dy, dz = x + t * lx - c[0], y + t * ly - c[1], z + t * lz - c[2]
        a = s.plane_right[p]
        right = dx * a[0] + dy * a[1] + dz * a[2]
        up2 = dx * dx + dy * dy + dz * dz - right * right
        if abs(right) <= s.plane_half[p] and up2 <= s.plane_half[p] ** 2:
            return True
    return False


@inline
def shadow_bias(light: int, b: int, g: Geometry, s: Shadows) -> float:
    """Normal offset [m] with which a body that can shadow itself looks into its own map."""
    return 3.0 * g.radius[b] / s.size[light, b]

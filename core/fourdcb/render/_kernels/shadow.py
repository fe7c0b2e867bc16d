"""Shadow maps, one per light and caster and fitted to the caster, so that they stay sharp in a large scene.

A body never looks itself up when it is closed and convex (its far side is dark because n·l < 0), so contact
shadows need no bias: no acne, no peter-panning. Only mesh files shadow themselves, with a normal offset.
Planes are squares and are intersected exactly.
"""

from __future__ import annotations

import numpy as np

from fourdcb.kernels.jit import inline
from fourdcb.render._kernels.arrays import DIRECTIONAL, I32, Lights, Mesh, Scratch, Shadows, View
from fourdcb.render._kernels.project import GUARD, SUBPIXEL
from fourdcb.render._kernels.rasterise import fill_triangle

_TEXELS_PER_PIXEL = 2.0
_MIN_SIZE = 24
_BORDER = 3.0  # texels around the caster, so that the filter fades out inside the map
_MAX_TANGENT = 5.7  # a point light's map spans at most 80° to each side
MIN_DEPTH = 1e-3
_EMPTY = np.float32(-1e30)


@inline
def _set_frame(light: int, b: int, a: float, e: float, c: float, s: Shadows) -> None:
    """An orthonormal frame (right, up, axis) around the unit axis (a, e, c)."""
    ux, uy, uz = (0.0, c, -e) if abs(a) < 0.6 else (-c, 0.0, a)
    length = (ux * ux + uy * uy + uz * uz) ** 0.5
    ux, uy, uz = ux / length, uy / length, uz / length
    f = s.frames
    f[light, b, 0], f[light, b, 1], f[light, b, 2] = ux, uy, uz
    f[light, b, 3], f[light, b, 4], f[light, b, 5] = e * uz - c * uy, c * ux - a * uz, a * uy - e * ux
    f[light, b, 6], f[light, b, 7], f[light, b, 8] = a, e, c


@inline
def fit_map(light: int, b: int, limit: int, view: View, mesh: Mesh, lights: Lights, s: Shadows) -> None:
    """Choose frame, extent and resolution of one map; about two texels per pixel at the caster's distance."""
    radius = mesh.spheres[b, 3]
    x, y, z = mesh.spheres[b, 4], mesh.spheres[b, 5], mesh.spheres[b, 6]
    o = view.position
    to_camera = ((x - o[0]) ** 2 + (y - o[1]) ** 2 + (z - o[2]) ** 2) ** 0.5
    ax, ay, az = lights.rows[light, 0], lights.rows[light, 1], lights.rows[light, 2]
    extent = radius
    if lights.kind[light] == DIRECTIONAL:
        s.frames[light, b, 9], s.frames[light, b, 10], s.frames[light, b, 11] = x, y, z
    else:
        s.frames[light, b, 9], s.frames[light, b, 10], s.frames[light, b, 11] = ax, ay, az
        ax, ay, az = x - ax, y - ay, z - az
        distance = max((ax * ax + ay * ay + az * az) ** 0.5, 1e-9)
        ax, ay, az = ax / distance, ay / distance, az / distance
        tangent = radius / max(distance * distance - radius * radius, 1e-12) ** 0.5
        extent = _MAX_TANGENT if distance <= radius else min(tangent, _MAX_TANGENT)
    _set_frame(light, b, ax, ay, az, s)
    pixel = max(to_camera, 0.1 * radius) / view.focal
    size = int(min(max(_TEXELS_PER_PIXEL * 2.0 * radius / pixel + 2.0 * _BORDER, _MIN_SIZE), limit))
    s.slots[light, b, 1] = size
    s.frames[light, b, 12] = extent * size / (size - 2.0 * _BORDER)


@inline
def draw_map(
    light: int, b: int, mesh: Mesh, lights: Lights, s: Shadows, scratch: Scratch, faces: I32
) -> None:
    """Keys of the caster's surface nearest to the light."""
    directional = lights.kind[light] == DIRECTIONAL
    first, size = s.slots[light, b, 0], s.slots[light, b, 1]
    for i in range(first, first + size * size):
        s.texels[i] = _EMPTY
    r = s.frames
    scale = 0.5 * size / r[light, b, 12]
    start, grid, key = mesh.bodies[b, 0], scratch.grid, scratch.key
    for v in range(start, mesh.bodies[b, 1]):
        x, y, z = (
            mesh.points[v, 0] - r[light, b, 9],
            mesh.points[v, 1] - r[light, b, 10],
            mesh.points[v, 2] - r[light, b, 11],
        )
        depth = r[light, b, 6] * x + r[light, b, 7] * y + r[light, b, 8] * z
        w = 1.0 if directional else 1.0 / max(depth, MIN_DEPTH)
        key[v - start] = -depth if directional else w
        for k in range(2):
            along = r[light, b, 3 * k] * x + r[light, b, 3 * k + 1] * y + r[light, b, 3 * k + 2] * z
            place = min(max(along * w * scale + 0.5 * size, -GUARD), GUARD)
            grid[v - start, k] = int(round(place * SUBPIXEL))  # noqa: RUF046
    cull = mesh.bodies[b, 4] != 0
    for f in range(mesh.bodies[b, 2], mesh.bodies[b, 3]):
        u, v, t = mesh.faces[f, 0] - start, mesh.faces[f, 1] - start, mesh.faces[f, 2] - start
        fill_triangle(
            grid[u, 0], grid[u, 1], grid[v, 0], grid[v, 1], grid[t, 0], grid[t, 1], key[u], key[v], key[t],
            -1, cull, size, size, first, s.texels, faces,
        )  # fmt: skip


@inline
def shadow_reach(light: int, b: int, mesh: Mesh, s: Shadows) -> float:
    """Radius [m] around a body's centre that its filtered shadow stays within: the filter adds two texels."""
    return mesh.spheres[b, 3] * (1.0 + 4.0 / (s.slots[light, b, 1] - 2.0 * _BORDER))


@inline
def map_visibility(light: int, b: int, directional: bool, x: float, y: float, z: float, s: Shadows) -> float:
    """Share of light that one caster lets through to a point: a tent of 4 x 4 texels over depth tests."""
    size = s.slots[light, b, 1]
    x, y, z = x - s.frames[light, b, 9], y - s.frames[light, b, 10], z - s.frames[light, b, 11]
    r = s.frames
    depth = r[light, b, 6] * x + r[light, b, 7] * y + r[light, b, 8] * z
    if not directional and depth < MIN_DEPTH:
        return 1.0
    w = 1.0 if directional else 1.0 / depth
    key = -depth if directional else w
    scale = 0.5 * size / r[light, b, 12] * w
    u = (r[light, b, 0] * x + r[light, b, 1] * y + r[light, b, 2] * z) * scale + 0.5 * size - 0.5
    v = (r[light, b, 3] * x + r[light, b, 4] * y + r[light, b, 5] * z) * scale + 0.5 * size - 0.5
    if not (u >= 1.0 and v >= 1.0 and u < size - 2.0 and v < size - 2.0):
        return 1.0
    i, j = int(u), int(v)
    fu, fv = u - i, v - j
    first = s.slots[light, b, 0] + (j - 1) * size + i - 1
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
    for p in range(len(s.planes)):
        if s.planes[p, 10] == body:
            continue
        nx, ny, nz = s.planes[p, 0], s.planes[p, 1], s.planes[p, 2]
        dx, dy, dz = x - s.planes[p, 3], y - s.planes[p, 4], z - s.planes[p, 5]
        slope = nx * lx + ny * ly + nz * lz
        if abs(slope) < 1e-9:
            continue
        t = -(nx * dx + ny * dy + nz * dz) / slope
        if t <= 0.0 or t >= reach:
            continue
        dx, dy, dz = dx + t * lx, dy + t * ly, dz + t * lz
        right = dx * s.planes[p, 6] + dy * s.planes[p, 7] + dz * s.planes[p, 8]
        up2 = dx * dx + dy * dy + dz * dz - right * right
        if abs(right) <= s.planes[p, 9] and up2 <= s.planes[p, 9] ** 2:
            return True
    return False


@inline
def shadow_bias(light: int, b: int, mesh: Mesh, s: Shadows) -> float:
    """Normal offset [m] with which a body that can shadow itself looks into its own map."""
    return 3.0 * mesh.spheres[b, 3] / s.slots[light, b, 1]

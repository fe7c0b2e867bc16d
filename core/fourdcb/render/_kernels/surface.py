"""The surface under a pixel: position, shading normal, colour and roughness there."""

from __future__ import annotations

import math

import numpy as np

from fourdcb.kernels.jit import inline
from fourdcb.render._kernels.arrays import BASE_COLOR, NORMAL, ROUGHNESS, Materials, Mesh, View

MIN_COSINE = 1e-4
MAX_PROBES = 8
_LOG2E = 1.4426950408889634


@inline
def pixel_ray(x: float, y: float, view: View) -> tuple[float, float, float]:
    """World direction through an image point [px], with camera z = 1."""
    u, v = (x - view.centre_x) / view.focal, (y - view.centre_y) / view.focal
    r = view.rotation
    return (
        r[0] * u + r[1] * v + r[2],
        r[3] * u + r[4] * v + r[5],
        r[6] * u + r[7] * v + r[8],
    )


@inline
def barycentrics(f: int, dx: float, dy: float, dz: float, view: View, mesh: Mesh) -> tuple[float, float]:
    """Weights of a face's second and third vertex where the ray meets it (Möller-Trumbore), clamped."""
    o = view.position
    a, b, c = mesh.faces[f, 0], mesh.faces[f, 1], mesh.faces[f, 2]
    ax, ay, az = mesh.points[a, 0], mesh.points[a, 1], mesh.points[a, 2]
    e1x, e1y, e1z = mesh.points[b, 0] - ax, mesh.points[b, 1] - ay, mesh.points[b, 2] - az
    e2x, e2y, e2z = mesh.points[c, 0] - ax, mesh.points[c, 1] - ay, mesh.points[c, 2] - az
    px, py, pz = dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x
    det = e1x * px + e1y * py + e1z * pz
    if det == 0.0:
        return 1.0 / 3.0, 1.0 / 3.0
    tx, ty, tz = o[0] - ax, o[1] - ay, o[2] - az
    u = (tx * px + ty * py + tz * pz) / det
    qx, qy, qz = ty * e1z - tz * e1y, tz * e1x - tx * e1z, tx * e1y - ty * e1x
    v = (dx * qx + dy * qy + dz * qz) / det
    u, v = min(max(u, 0.0), 1.0), min(max(v, 0.0), 1.0)
    if u + v > 1.0:
        u, v = u / (u + v), v / (u + v)
    return u, v


@inline
def _texel(index: int, x: int, y: int, m: Materials) -> tuple[float, float, float]:
    width, height = m.images[index, 1], m.images[index, 2]
    i = m.images[index, 0] + (y % height) * width + x % width
    return m.texels[i, 0], m.texels[i, 1], m.texels[i, 2]


@inline
def bilinear(index: int, u: float, v: float, m: Materials) -> tuple[float, float, float]:
    """Bilinear look-up in one image with repetition; v points up."""
    x, y = (u % 1.0) * m.images[index, 1] - 0.5, (1.0 - v % 1.0) * m.images[index, 2] - 0.5
    i, j = int(x + 1.0) - 1, int(y + 1.0) - 1
    fx, fy = x - i, y - j
    r00, g00, b00 = _texel(index, i, j, m)
    r10, g10, b10 = _texel(index, i + 1, j, m)
    r01, g01, b01 = _texel(index, i, j + 1, m)
    r11, g11, b11 = _texel(index, i + 1, j + 1, m)
    w00, w10, w01, w11 = (1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy
    return (
        w00 * r00 + w10 * r10 + w01 * r01 + w11 * r11,
        w00 * g00 + w10 * g10 + w01 * g01 + w11 * g11,
        w00 * b00 + w10 * b10 + w01 * b01 + w11 * b11,
    )


@inline
def sample_texture(
    index: int, u: float, v: float, du_x: float, dv_x: float, du_y: float, dv_y: float, m: Materials
) -> tuple[float, float, float]:
    """Look-up averaged over a sample's footprint, whose sides are (du_x, dv_x) and (du_y, dv_y).

    Trilinear in the pyramid that follows image ``index``, at the level of the footprint's shorter side, with
    up to ``MAX_PROBES`` probes along its longer side (Heckbert 1989). Where a texel covers more than a sample
    this is the bilinear look-up.
    """
    width, height = float(m.images[index, 1]), float(m.images[index, 2])
    long2 = (du_x * width) ** 2 + (dv_x * height) ** 2
    short2 = (du_y * width) ** 2 + (dv_y * height) ** 2
    along_u, along_v = du_x, dv_x
    if short2 > long2:
        long2, short2 = short2, long2
        along_u, along_v = du_y, dv_y
    probes, level, share = 1, 0, 0.0
    if long2 > 1.0:
        longest = long2**0.5
        probes = int(min(np.ceil(longest / max(short2**0.5, 1.0)), MAX_PROBES))
        lod = max(math.log(longest / probes) * _LOG2E, 0.0)
        last = int(math.log(max(width, height)) * _LOG2E + 1e-9)
        level = min(int(lod), last)
        share = lod - level if level < last else 0.0
    red, green, blue = 0.0, 0.0, 0.0
    for finer in range(2):
        weight = (1.0 - share if finer == 0 else share) / probes
        if weight == 0.0:
            continue
        for i in range(probes):
            shift = (i + 0.5) / probes - 0.5
            r, g, b = bilinear(index + level + finer, u + shift * along_u, v + shift * along_v, m)
            red, green, blue = red + weight * r, green + weight * g, blue + weight * b
    return red, green, blue


@inline
def footprint(
    f: int, w1: float, w2: float, dx: float, dy: float, dz: float, view: View, mesh: Mesh
) -> tuple[float, float, float, float]:
    """Change of the texture coordinates to the next sample on the right and below: (du, dv, du, dv).

    Barycentrics are ratios of functions that are linear in the ray; this is the derivative of those ratios.
    """
    a, b, c = mesh.faces[f, 0], mesh.faces[f, 1], mesh.faces[f, 2]
    t, o, r = mesh.points, view.position, view.rotation
    e1x, e1y, e1z = t[b, 0] - t[a, 0], t[b, 1] - t[a, 1], t[b, 2] - t[a, 2]
    e2x, e2y, e2z = t[c, 0] - t[a, 0], t[c, 1] - t[a, 1], t[c, 2] - t[a, 2]
    nx, ny, nz = e2y * e1z - e2z * e1y, e2z * e1x - e2x * e1z, e2x * e1y - e2y * e1x
    det = (dx * nx + dy * ny + dz * nz) * view.focal
    if det == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    tx, ty, tz = o[0] - t[a, 0], o[1] - t[a, 1], o[2] - t[a, 2]
    px, py, pz = e2y * tz - e2z * ty, e2z * tx - e2x * tz, e2x * ty - e2y * tx
    qx, qy, qz = ty * e1z - tz * e1y, tz * e1x - tx * e1z, tx * e1y - ty * e1x
    px, py, pz = px - w1 * nx, py - w1 * ny, pz - w1 * nz
    qx, qy, qz = qx - w2 * nx, qy - w2 * ny, qz - w2 * nz
    x1, x2 = (px * r[0] + py * r[3] + pz * r[6]) / det, (qx * r[0] + qy * r[3] + qz * r[6]) / det
    y1, y2 = (px * r[1] + py * r[4] + pz * r[7]) / det, (qx * r[1] + qy * r[4] + qz * r[7]) / det
    u1, u2 = t[b, 6] - t[a, 6], t[c, 6] - t[a, 6]
    v1, v2 = t[b, 7] - t[a, 7], t[c, 7] - t[a, 7]
    return x1 * u1 + x2 * u2, x1 * v1 + x2 * v2, y1 * u1 + y2 * u2, y1 * v1 + y2 * v2


@inline
def _mapped_normal(
    f: int, nx: float, ny: float, nz: float, red: float, green: float, blue: float, mesh: Mesh
) -> tuple[float, float, float]:
    """A colour of a tangent-space normal map (OpenGL, +Y up) applied to a unit normal."""
    ia, ib, ic = mesh.faces[f, 0], mesh.faces[f, 1], mesh.faces[f, 2]
    du1, dv1 = mesh.points[ib, 6] - mesh.points[ia, 6], mesh.points[ib, 7] - mesh.points[ia, 7]
    du2, dv2 = mesh.points[ic, 6] - mesh.points[ia, 6], mesh.points[ic, 7] - mesh.points[ia, 7]
    det = du1 * dv2 - du2 * dv1
    if det == 0.0:
        return nx, ny, nz
    tx = (
        dv2 * (mesh.points[ib, 0] - mesh.points[ia, 0]) - dv1 * (mesh.points[ic, 0] - mesh.points[ia, 0])
    ) / det
    ty = (
        dv2 * (mesh.points[ib, 1] - mesh.points[ia, 1]) - dv1 * (mesh.points[ic, 1] - mesh.points[ia, 1])
    ) / det
    tz = (
        dv2 * (mesh.points[ib, 2] - mesh.points[ia, 2]) - dv1 * (mesh.points[ic, 2] - mesh.points[ia, 2])
    ) / det
    along = tx * nx + ty * ny + tz * nz
    tx, ty, tz = tx - along * nx, ty - along * ny, tz - along * nz
    length = (tx * tx + ty * ty + tz * tz) ** 0.5
    if length == 0.0:
        return nx, ny, nz
    tx, ty, tz = tx / length, ty / length, tz / length
    hand = 1.0 if det > 0.0 else -1.0
    bx, by, bz = hand * (ny * tz - nz * ty), hand * (nz * tx - nx * tz), hand * (nx * ty - ny * tx)
    sx, sy, sz = 2.0 * red - 1.0, 2.0 * green - 1.0, 2.0 * blue - 1.0
    x, y, z = sx * tx + sy * bx + sz * nx, sx * ty + sy * by + sz * ny, sx * tz + sy * bz + sz * nz
    length = max((x * x + y * y + z * z) ** 0.5, 1e-12)
    return x / length, y / length, z / length


@inline
def _faces_away(a: int, b: int, c: int, dx: float, dy: float, dz: float, mesh: Mesh) -> bool:
    """Whether a ray sees the back of a face. The facet decides: smooth normals lean away at silhouettes."""
    t = mesh.points
    e1x, e1y, e1z = t[b, 0] - t[a, 0], t[b, 1] - t[a, 1], t[b, 2] - t[a, 2]
    e2x, e2y, e2z = t[c, 0] - t[a, 0], t[c, 1] - t[a, 1], t[c, 2] - t[a, 2]
    x, y, z = e1y * e2z - e1z * e2y, e1z * e2x - e1x * e2z, e1x * e2y - e1y * e2x
    return x * dx + y * dy + z * dz > 0.0


@inline
def surface_at(
    f: int, x: float, y: float, view: View, mesh: Mesh, m: Materials
) -> tuple[
    float, float, float, float, float, float, float, float, float, float, float, float, float, float
]:  # fmt: skip
    """Of a face at (x, y): (position 3, normal towards the camera 3, the same before a normal map bends it 3,
    base colour 3, roughness, metallic).
    """
    dx, dy, dz = pixel_ray(x, y, view)
    w1, w2 = barycentrics(f, dx, dy, dz, view, mesh)
    w0 = 1.0 - w1 - w2
    ia, ib, ic = mesh.faces[f, 0], mesh.faces[f, 1], mesh.faces[f, 2]
    px = w0 * mesh.points[ia, 0] + w1 * mesh.points[ib, 0] + w2 * mesh.points[ic, 0]
    py = w0 * mesh.points[ia, 1] + w1 * mesh.points[ib, 1] + w2 * mesh.points[ic, 1]
    pz = w0 * mesh.points[ia, 2] + w1 * mesh.points[ib, 2] + w2 * mesh.points[ic, 2]
    nx = w0 * mesh.points[ia, 3] + w1 * mesh.points[ib, 3] + w2 * mesh.points[ic, 3]
    ny = w0 * mesh.points[ia, 4] + w1 * mesh.points[ib, 4] + w2 * mesh.points[ic, 4]
    nz = w0 * mesh.points[ia, 5] + w1 * mesh.points[ib, 5] + w2 * mesh.points[ic, 5]
    length = max((nx * nx + ny * ny + nz * nz) ** 0.5, 1e-12)
    nx, ny, nz = nx / length, ny / length, nz / length
    sx, sy, sz = nx, ny, nz
    body = mesh.faces[f, 3]
    red, green, blue = m.surface[body, 0], m.surface[body, 1], m.surface[body, 2]
    roughness, metallic = m.surface[body, 3], m.surface[body, 4]
    if m.maps[body, 4]:
        u = w0 * mesh.points[ia, 6] + w1 * mesh.points[ib, 6] + w2 * mesh.points[ic, 6]
        v = w0 * mesh.points[ia, 7] + w1 * mesh.points[ib, 7] + w2 * mesh.points[ic, 7]
        du_x, dv_x, du_y, dv_y = footprint(f, w1, w2, dx, dy, dz, view, mesh)
        for kind in range(4):
            index = m.maps[body, kind]
            if index < 0:
                continue
            r, g, b = sample_texture(index, u, v, du_x, dv_x, du_y, dv_y, m)
            if kind == BASE_COLOR:
                red, green, blue = r, g, b
            elif kind == NORMAL:
                nx, ny, nz = _mapped_normal(f, nx, ny, nz, r, g, b, mesh)
            elif kind == ROUGHNESS:
                roughness *= r
            else:
                metallic *= r
    if m.maps[body, 5]:
        colors = mesh.colors
        red *= w0 * colors[ia, 0] + w1 * colors[ib, 0] + w2 * colors[ic, 0]
        green *= w0 * colors[ia, 1] + w1 * colors[ib, 1] + w2 * colors[ic, 1]
        blue *= w0 * colors[ia, 2] + w1 * colors[ib, 2] + w2 * colors[ic, 2]
    if mesh.bodies[body, 4] == 0 and _faces_away(ia, ib, ic, dx, dy, dz, mesh):
        nx, ny, nz = -nx, -ny, -nz
        sx, sy, sz = -sx, -sy, -sz
    return px, py, pz, nx, ny, nz, sx, sy, sz, red, green, blue, roughness, metallic

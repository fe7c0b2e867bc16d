"""The surface under a pixel: position, shading normal, colour and roughness there."""

from __future__ import annotations

from fourdcb.render._arrays import I64, F32, Geometry, Materials, View
from fourdcb.render._jit import inline

MIN_COSINE = 1e-4


@inline
def pixel_ray(x: float, y: float, view: View) -> tuple[float, float, float]:
    """World direction through an image point [px], with camera z = 1."""
    u, v = (x - view.centre_x) / view.focal, (y - view.centre_y) / view.focal
    r = view.world_from_camera
    return (
        r[0, 0] * u + r[0, 1] * v + r[0, 2],
        r[1, 0] * u + r[1, 1] * v + r[1, 2],
        r[2, 0] * u + r[2, 1] * v + r[2, 2],
    )


@inline
def barycentrics(f: int, dx: float, dy: float, dz: float, view: View, g: Geometry) -> tuple[float, float]:
    """Weights of the face's second and third vertex where the ray meets it (Möller-Trumbore), clamped inside."""
    o = view.position
    a, b, c = g.vertices[g.faces[f, 0]], g.vertices[g.faces[f, 1]], g.vertices[g.faces[f, 2]]
    e1x, e1y, e1z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    e2x, e2y, e2z = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    px, py, pz = dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x
    det = e1x * px + e1y * py + e1z * pz
    if det == 0.0:
        return 1.0 / 3.0, 1.0 / 3.0
    tx, ty, tz = o[0] - a[0], o[1] - a[1], o[2] - a[2]
    u = (tx * px + ty * py + tz * pz) / det
    qx, qy, qz = ty * e1z - tz * e1y, tz * e1x - tx * e1z, tx * e1y - ty * e1x
    v = (dx * qx + dy * qy + dz * qz) / det
    u, v = min(max(u, 0.0), 1.0), min(max(v, 0.0), 1.0)
    if u + v > 1.0:
        u, v = u / (u + v), v / (u + v)
    return u, v


@inline
def _texel(info: I64, texels: F32, x: int, y: int) -> tuple[float, float, float]:
    i = info[0] + (y % info[2]) * info[1] + x % info[1]
    return texels[i, 0], texels[i, 1], texels[i, 2]


@inline
def sample_texture(index: int, u: float, v: float, m: Materials) -> tuple[float, float, float]:
    """Bilinear look-up with repetition; v points up."""
    info = m.texture_info[index]
    x, y = (u % 1.0) * info[1] - 0.5, (1.0 - v % 1.0) * info[2] - 0.5
    i, j = int(x + 1.0) - 1, int(y + 1.0) - 1
    fx, fy = x - i, y - j
    r00, g00, b00 = _texel(info, m.texels, i, j)
    r10, g10, b10 = _texel(info, m.texels, i + 1, j)
    r01, g01, b01 = _texel(info, m.texels, i, j + 1)
    r11, g11, b11 = _texel(info, m.texels, i + 1, j + 1)
    w00, w10, w01, w11 = (1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy
    return (
        w00 * r00 + w10 * r10 + w01 * r01 + w11 * r11,
        w00 * g00 + w10 * g10 + w01 * g01 + w11 * g11,
        w00 * b00 + w10 * b10 + w01 * b01 + w11 * b11,
    )


@inline
def _mapped_normal(
    f: int, nx: float, ny: float, nz: float, u: float, v: float, g: Geometry, m: Materials, index: int
) -> tuple[float, float, float]:
    """Tangent-space normal map (OpenGL, +Y up) applied to a unit normal."""
    ia, ib, ic = g.faces[f, 0], g.faces[f, 1], g.faces[f, 2]
    a, b, c = g.vertices[ia], g.vertices[ib], g.vertices[ic]
    du1, dv1 = g.uv[ib, 0] - g.uv[ia, 0], g.uv[ib, 1] - g.uv[ia, 1]
    du2, dv2 = g.uv[ic, 0] - g.uv[ia, 0], g.uv[ic, 1] - g.uv[ia, 1]
    det = du1 * dv2 - du2 * dv1
    if det == 0.0:
        return nx, ny, nz
    tx = (dv2 * (b[0] - a[0]) - dv1 * (c[0] - a[0])) / det
    ty = (dv2 * (b[1] - a[1]) - dv1 * (c[1] - a[1])) / det
    tz = (dv2 * (b[2] - a[2]) - dv1 * (c[2] - a[2])) / det
    along = tx * nx + ty * ny + tz * nz
    tx, ty, tz = tx - along * nx, ty - along * ny, tz - along * nz
    length = (tx * tx + ty * ty + tz * tz) ** 0.5
    if length == 0.0:
        return nx, ny, nz
    tx, ty, tz = tx / length, ty / length, tz / length
    hand = 1.0 if det > 0.0 else -1.0
    bx, by, bz = hand * (ny * tz - nz * ty), hand * (nz * tx - nx * tz), hand * (nx * ty - ny * tx)
    sx, sy, sz = sample_texture(index, u, v, m)
    sx, sy, sz = 2.0 * sx - 1.0, 2.0 * sy - 1.0, 2.0 * sz - 1.0
    x, y, z = sx * tx + sy * bx + sz * nx, sx * ty + sy * by + sz * ny, sx * tz + sy * bz + sz * nz
    length = max((x * x + y * y + z * z) ** 0.5, 1e-12)
    return x / length, y / length, z / length


@inline
def surface_at(
    f: int, x: float, y: float, view: View, g: Geometry, m: Materials
) -> tuple[float, float, float, float, float, float, float, float, float, float, float]:
    """(position 3, unit normal towards the camera 3, base colour 3, roughness, metallic) of a face at (x, y)."""
    dx, dy, dz = pixel_ray(x, y, view)
    w1, w2 = barycentrics(f, dx, dy, dz, view, g)
    w0 = 1.0 - w1 - w2
    ia, ib, ic = g.faces[f, 0], g.faces[f, 1], g.faces[f, 2]
    px = w0 * g.vertices[ia, 0] + w1 * g.vertices[ib, 0] + w2 * g.vertices[ic, 0]
    py = w0 * g.vertices[ia, 1] + w1 * g.vertices[ib, 1] + w2 * g.vertices[ic, 1]
    pz = w0 * g.vertices[ia, 2] + w1 * g.vertices[ib, 2] + w2 * g.vertices[ic, 2]
    nx = w0 * g.normals[ia, 0] + w1 * g.normals[ib, 0] + w2 * g.normals[ic, 0]
    ny = w0 * g.normals[ia, 1] + w1 * g.normals[ib, 1] + w2 * g.normals[ic, 1]
    nz = w0 * g.normals[ia, 2] + w1 * g.normals[ib, 2] + w2 * g.normals[ic, 2]
    length = max((nx * nx + ny * ny + nz * nz) ** 0.5, 1e-12)
    nx, ny, nz = nx / length, ny / length, nz / length
    body = g.face_body[f]
    red, green, blue = m.base_color[body, 0], m.base_color[body, 1], m.base_color[body, 2]
    roughness, metallic = m.roughness[body], m.metallic[body]
    maps = m.maps[body]
    if maps[0] >= 0 or maps[1] >= 0 or maps[2] >= 0 or maps[3] >= 0:
        u = w0 * g.uv[ia, 0] + w1 * g.uv[ib, 0] + w2 * g.uv[ic, 0]
        v = w0 * g.uv[ia, 1] + w1 * g.uv[ib, 1] + w2 * g.uv[ic, 1]
        if maps[0] >= 0:
            red, green, blue = sample_texture(maps[0], u, v, m)
        if maps[1] >= 0:
            nx, ny, nz = _mapped_normal(f, nx, ny, nz, u, v, g, m, maps[1])
        if maps[2] >= 0:
            roughness *= sample_texture(maps[2], u, v, m)[0]
        if maps[3] >= 0:
            metallic *= sample_texture(maps[3], u, v, m)[0]
    if nx * dx + ny * dy + nz * dz > 0.0:
        nx, ny, nz = -nx, -ny, -nz
    return px, py, pz, nx, ny, nz, red, green, blue, roughness, metallic

"""From body frames to the screen."""

from __future__ import annotations

from fourdcb.kernels.jit import inline
from fourdcb.render._kernels.arrays import F64, Mesh, View

NEAR = 1e-2  # [m]
SUBPIXEL = 4096.0
GUARD = 16384.0  # [px] beyond which triangles are clipped, so that edge functions fit 64 bits


@inline
def place_body(k: int, b: int, positions: F64, rotations: F64, mesh: Mesh) -> None:
    """World positions and normals of one body's vertices at pose ``k``, and its bounding centre."""
    px, py, pz = positions[k, b, 0], positions[k, b, 1], positions[k, b, 2]
    r00, r01, r02 = rotations[k, b, 0, 0], rotations[k, b, 0, 1], rotations[k, b, 0, 2]
    r10, r11, r12 = rotations[k, b, 1, 0], rotations[k, b, 1, 1], rotations[k, b, 1, 2]
    r20, r21, r22 = rotations[k, b, 2, 0], rotations[k, b, 2, 1], rotations[k, b, 2, 2]
    s, local, points = mesh.spheres, mesh.local, mesh.points
    x, y, z = s[b, 0], s[b, 1], s[b, 2]
    s[b, 4] = r00 * x + r01 * y + r02 * z + px
    s[b, 5] = r10 * x + r11 * y + r12 * z + py
    s[b, 6] = r20 * x + r21 * y + r22 * z + pz
    for v in range(mesh.bodies[b, 0], mesh.bodies[b, 1]):
        x, y, z = local[v, 0], local[v, 1], local[v, 2]
        points[v, 0] = r00 * x + r01 * y + r02 * z + px
        points[v, 1] = r10 * x + r11 * y + r12 * z + py
        points[v, 2] = r20 * x + r21 * y + r22 * z + pz
        x, y, z = local[v, 3], local[v, 4], local[v, 5]
        points[v, 3] = r00 * x + r01 * y + r02 * z
        points[v, 4] = r10 * x + r11 * y + r12 * z
        points[v, 5] = r20 * x + r21 * y + r22 * z


@inline
def project_body(b: int, view: View, mesh: Mesh) -> None:
    """Camera and screen coordinates of one body's vertices and the pixels that it may cover."""
    r, o = view.rotation, view.position
    low_x, low_y, high_x, high_y = 1e30, 1e30, -1e30, -1e30
    clipped = False
    for v in range(mesh.bodies[b, 0], mesh.bodies[b, 1]):
        x, y, z = mesh.points[v, 0] - o[0], mesh.points[v, 1] - o[1], mesh.points[v, 2] - o[2]
        cx = r[0] * x + r[3] * y + r[6] * z
        cy = r[1] * x + r[4] * y + r[7] * z
        depth = r[2] * x + r[5] * y + r[8] * z
        mesh.camera[v, 0], mesh.camera[v, 1], mesh.camera[v, 2] = cx, cy, depth
        mesh.screen[v, 2] = 1
        if depth < NEAR:
            clipped = True
            continue
        sx = view.focal * cx / depth + view.centre_x
        sy = view.focal * cy / depth + view.centre_y
        if abs(sx) > GUARD or abs(sy) > GUARD:
            clipped = True
            continue
        mesh.screen[v, 2] = 0
        mesh.camera[v, 3] = 1.0 / depth
        mesh.screen[v, 0] = int(round(sx * SUBPIXEL))  # noqa: RUF046  # numba's round gives a float
        mesh.screen[v, 1] = int(round(sy * SUBPIXEL))  # noqa: RUF046
        low_x, low_y = min(low_x, sx), min(low_y, sy)
        high_x, high_y = max(high_x, sx), max(high_y, sy)
    if clipped:
        low_x, low_y, high_x, high_y = 0.0, 0.0, float(view.width), float(view.height)
    mesh.rects[b, 0] = int(min(max(low_x - 1.0, 0.0), view.width))
    mesh.rects[b, 1] = int(min(max(low_y - 1.0, 0.0), view.height))
    mesh.rects[b, 2] = int(min(max(high_x + 2.0, 0.0), view.width))
    mesh.rects[b, 3] = int(min(max(high_y + 2.0, 0.0), view.height))

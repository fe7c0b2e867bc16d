"""From body frames to the screen."""

from __future__ import annotations

from fourdcb.render._kernels.arrays import F64, Mesh, View
from fourdcb.render._kernels.jit import inline

NEAR = 1e-2  # [m]
SUBPIXEL = 4096.0
GUARD = 16384.0  # [px] beyond which triangles are clipped, so that edge functions fit 64 bits


@inline
def place_body(b: int, positions: F64, rotations: F64, mesh: Mesh) -> None:
    """World positions and normals of one body's vertices, and its bounding centre."""
    for k in range(3):
        p, r0, r1, r2 = positions[b, k], rotations[b, k, 0], rotations[b, k, 1], rotations[b, k, 2]
        s = mesh.spheres
        s[b, 4 + k] = r0 * s[b, 0] + r1 * s[b, 1] + r2 * s[b, 2] + p
        for v in range(mesh.bodies[b, 0], mesh.bodies[b, 1]):
            x, y, z = mesh.local[v, 0], mesh.local[v, 1], mesh.local[v, 2]
            mesh.points[v, k] = r0 * x + r1 * y + r2 * z + p
            nx, ny, nz = mesh.local[v, 3], mesh.local[v, 4], mesh.local[v, 5]
            mesh.points[v, 3 + k] = r0 * nx + r1 * ny + r2 * nz


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

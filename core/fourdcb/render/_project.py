"""From body frames to the screen."""

from __future__ import annotations

from fourdcb.render._arrays import F64, I32, Geometry, View
from fourdcb.render._jit import inline, kernel

NEAR = 1e-2
SUBPIXEL = 4096.0
GUARD = 16384.0


@inline
def place_body(b: int, position: F64, rotation: F64, g: Geometry) -> None:
    """World positions and normals of one body's vertices, and its bounding centre."""
    for k in range(3):
        g.centre[b, k] = position[k]
        for j in range(3):
            g.centre[b, k] += rotation[k, j] * g.local_centre[b, j]
    for v in range(g.vertex_start[b], g.vertex_start[b + 1]):
        x, y, z = g.local_vertices[v, 0], g.local_vertices[v, 1], g.local_vertices[v, 2]
        nx, ny, nz = g.local_normals[v, 0], g.local_normals[v, 1], g.local_normals[v, 2]
        for k in range(3):
            a, c, d = rotation[k, 0], rotation[k, 1], rotation[k, 2]
            g.vertices[v, k] = a * x + c * y + d * z + position[k]
            g.normals[v, k] = a * nx + c * ny + d * nz


@inline
def project_body(b: int, view: View, g: Geometry) -> None:
    """Camera and screen coordinates of one body's vertices and the pixels that it may cover."""
    r, o = view.world_from_camera, view.position
    low_x, low_y, high_x, high_y = 1e30, 1e30, -1e30, -1e30
    clipped = False
    for v in range(g.vertex_start[b], g.vertex_start[b + 1]):
        x, y, z = g.vertices[v, 0] - o[0], g.vertices[v, 1] - o[1], g.vertices[v, 2] - o[2]
        for k in range(3):
            g.camera_vertices[v, k] = r[0, k] * x + r[1, k] * y + r[2, k] * z
        depth = g.camera_vertices[v, 2]
        g.outside[v] = 1
        if depth < NEAR:
            clipped = True
            continue
        sx = view.focal * g.camera_vertices[v, 0] / depth + view.centre_x
        sy = view.focal * g.camera_vertices[v, 1] / depth + view.centre_y
        if abs(sx) > GUARD or abs(sy) > GUARD:
            clipped = True
            continue
        g.outside[v] = 0
        g.inverse_depth[v] = 1.0 / depth
        g.screen[v, 0] = round(sx * SUBPIXEL)
        g.screen[v, 1] = round(sy * SUBPIXEL)
        low_x, low_y = min(low_x, sx), min(low_y, sy)
        high_x, high_y = max(high_x, sx), max(high_y, sy)
    if clipped:
        low_x, low_y, high_x, high_y = 0.0, 0.0, float(view.width), float(view.height)
    g.rect[b, 0] = int(min(max(low_x - 1.0, 0.0), view.width))
    g.rect[b, 1] = int(min(max(low_y - 1.0, 0.0), view.height))
    g.rect[b, 2] = int(min(max(high_x + 2.0, 0.0), view.width))
    g.rect[b, 3] = int(min(max(high_y + 2.0, 0.0), view.height))


@kernel
def place_bodies(bodies: I32, positions: F64, rotations: F64, view: View, g: Geometry) -> None:
    """Place and project ``bodies``; poses are indexed by body."""
    for i in range(len(bodies)):
        b = bodies[i]
        place_body(b, positions[b], rotations[b], g)
        project_body(b, view, g)

"""The z-buffer. Edge functions are exact integers on a 1/4096 px grid, so that shared edges are watertight.

A pixel belongs to a face when its centre is inside, or on a top or left edge. Of faces at equal depth the
first drawn wins. Back faces of closed convex bodies are skipped.
"""

from __future__ import annotations

import numpy as np

from fourdcb.kernels.jit import inline
from fourdcb.render._kernels.arrays import F32, F64, I32, Drawn, Mesh, Scratch, View
from fourdcb.render._kernels.project import GUARD, NEAR, SUBPIXEL

_ONE = int(SUBPIXEL)
_HALF = _ONE // 2
MAX_CLIPPED = 9  # a triangle gains at most one corner at each of five planes


@inline
def _edge_bias(dx: int, dy: int) -> int:
    return 0 if dy < 0 or (dy == 0 and dx > 0) else -1


@inline
def fill_triangle(
    x0: int, y0: int, x1: int, y1: int, x2: int, y2: int, k0: float, k1: float, k2: float, face: int,
    cull: bool, width: int, height: int, first: int, out_key: F32, out_face: I32,
) -> None:  # fmt: skip
    """Draw one triangle given on the subpixel grid; ``k`` are vertex keys (1/z), the largest wins.

    The image has ``width`` columns and begins at ``out_key[first]``. Faces < 0 write keys only.
    """
    area = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
    # Outward counter-clockwise faces have a negative area where y points down.
    if area == 0 or (cull and area > 0):
        return
    if area < 0:
        x1, y1, k1, x2, y2, k2 = x2, y2, k2, x1, y1, k1
        area = -area
    left = max(0, (min(x0, x1, x2) + _HALF - 1) >> 12)
    top = max(0, (min(y0, y1, y2) + _HALF - 1) >> 12)
    right = min(width - 1, (max(x0, x1, x2) - _HALF) >> 12)
    bottom = min(height - 1, (max(y0, y1, y2) - _HALF) >> 12)
    if left > right or top > bottom:
        return
    ax, ay, bx, by, cx, cy = x2 - x1, y2 - y1, x0 - x2, y0 - y2, x1 - x0, y1 - y0
    px, py = left * _ONE + _HALF, top * _ONE + _HALF
    exact0, exact1 = ax * (py - y1) - ay * (px - x1), bx * (py - y2) - by * (px - x2)
    row0 = exact0 + _edge_bias(ax, ay)
    row1 = exact1 + _edge_bias(bx, by)
    row2 = cx * (py - y0) - cy * (px - x0) + _edge_bias(cx, cy)
    scale = 1.0 / area
    g0, g1 = (k0 - k2) * scale, (k1 - k2) * scale
    key_row = k2 + exact0 * g0 + exact1 * g1
    key_x, key_y = -_ONE * (ay * g0 + by * g1), _ONE * (ax * g0 + bx * g1)
    for y in range(top, bottom + 1):
        w0, w1, w2 = row0, row1, row2
        i = first + y * width + left
        for x in range(right - left + 1):
            if (w0 | w1 | w2) >= 0:
                key = np.float32(key_row + x * key_x)
                if key > out_key[i + x]:
                    out_key[i + x] = key
                    if face >= 0:
                        out_face[i + x] = face
            w0 -= ay * _ONE
            w1 -= by * _ONE
            w2 -= cy * _ONE
        row0 += ax * _ONE
        row1 += bx * _ONE
        row2 += cx * _ONE
        key_row += key_y


@inline
def _clip_plane(points: F64, n: int, out: F64, a: float, b: float, c: float, d: float) -> int:
    """Sutherland-Hodgman against a x + b y + c z + d >= 0; returns the number of points left."""
    kept = 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        here = a * points[i, 0] + b * points[i, 1] + c * points[i, 2] + d
        there = a * points[j, 0] + b * points[j, 1] + c * points[j, 2] + d
        if here >= 0.0:
            for k in range(3):
                out[kept, k] = points[i, k]
            kept += 1
        if (here >= 0.0) != (there >= 0.0):
            share = here / (here - there)
            for k in range(3):
                out[kept, k] = points[i, k] + share * (points[j, k] - points[i, k])
            kept += 1
    return kept


@inline
def _clip_face(f: int, view: View, mesh: Mesh, s: Scratch) -> int:
    """Clip a face to the near plane and the guard band into ``s.grid`` and ``s.key``; number of corners."""
    for i in range(3):
        for k in range(3):
            s.ping[i, k] = mesh.camera[mesh.faces[f, i], k]
    n = 3
    for side in range(5):
        a, b, c, d = 0.0, 0.0, 1.0, -NEAR
        if side == 1 or side == 2:
            a = view.focal if side == 1 else -view.focal
            c, d = GUARD - 1.0 + (view.centre_x if side == 1 else -view.centre_x), 0.0
        elif side > 2:
            b = view.focal if side == 3 else -view.focal
            c, d = GUARD - 1.0 + (view.centre_y if side == 3 else -view.centre_y), 0.0
        n = _clip_plane(s.ping, n, s.pong, a, b, c, d)
        for i in range(n):
            for k in range(3):
                s.ping[i, k] = s.pong[i, k]
    for i in range(n):
        key = 1.0 / s.ping[i, 2]
        s.key[i] = key
        s.grid[i, 0] = int(round((view.focal * s.ping[i, 0] * key + view.centre_x) * SUBPIXEL))  # noqa: RUF046
        s.grid[i, 1] = int(round((view.focal * s.ping[i, 1] * key + view.centre_y) * SUBPIXEL))  # noqa: RUF046
    return n


@inline
def rasterise_body(b: int, view: View, mesh: Mesh, scratch: Scratch, out: Drawn) -> None:
    """Draw one projected body into the z-buffer."""
    if mesh.rects[b, 0] >= mesh.rects[b, 2] or mesh.rects[b, 1] >= mesh.rects[b, 3]:
        return
    cull = mesh.bodies[b, 4] != 0
    s, grid, key = mesh.screen, scratch.grid, scratch.key
    for f in range(mesh.bodies[b, 2], mesh.bodies[b, 3]):
        u, v, w = mesh.faces[f, 0], mesh.faces[f, 1], mesh.faces[f, 2]
        n = 3
        if s[u, 2] | s[v, 2] | s[w, 2]:
            n = _clip_face(f, view, mesh, scratch)
        else:
            grid[0, 0], grid[0, 1], key[0] = s[u, 0], s[u, 1], mesh.camera[u, 3]
            grid[1, 0], grid[1, 1], key[1] = s[v, 0], s[v, 1], mesh.camera[v, 3]
            grid[2, 0], grid[2, 1], key[2] = s[w, 0], s[w, 1], mesh.camera[w, 3]
        for i in range(1, n - 1):
            fill_triangle(
                grid[0, 0], grid[0, 1], grid[i, 0], grid[i, 1], grid[i + 1, 0], grid[i + 1, 1],
                key[0], key[i], key[i + 1], f, cull, view.width, view.height, 0, out.inverse_depth, out.face,
            )  # fmt: skip

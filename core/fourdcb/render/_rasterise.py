"""The z-buffer. Edge functions are exact integers on a 1/4096 px grid, so that shared edges are watertight.

A pixel belongs to a face when its centre is inside, or on a top or left edge. Of faces at equal depth the first
drawn wins. Back faces of closed convex bodies are skipped.
"""

from __future__ import annotations

import numpy as np

from fourdcb.render._arrays import F64, I32, Buffers, Geometry, View
from fourdcb.render._jit import inline, kernel
from fourdcb.render._project import GUARD, NEAR, SUBPIXEL

_ONE = int(SUBPIXEL)
_HALF = _ONE // 2
_MAX_CLIPPED = 9


@inline
def _edge_bias(dx: int, dy: int) -> int:
    return 0 if dy < 0 or (dy == 0 and dx > 0) else -1


@inline
def fill_triangle(
    x0: int,
    y0: int,
    x1: int,
    y1: int,
    x2: int,
    y2: int,
    k0: float,
    k1: float,
    k2: float,
    face: int,
    cull: bool,
    width: int,
    height: int,
    out_face: I32,
    out_key: F64,
) -> None:
    """Draw one triangle given on the subpixel grid; ``k`` are vertex keys (1/z), the largest wins."""
    area = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
    # Counter-clockwise from outside is clockwise on a screen whose y points down... which has area < 0.
    if area == 0 or (cull and area > 0):
        return
    if area < 0:
        x1, y1, k1, x2, y2, k2 = x2, y2, k2, x1, y1, k1
        area = -area
    left = max(0, (min(x0, x1, x2) - _HALF + _ONE - 1) // _ONE)
    top = max(0, (min(y0, y1, y2) - _HALF + _ONE - 1) // _ONE)
    right = min(width - 1, (max(x0, x1, x2) - _HALF) // _ONE)
    bottom = min(height - 1, (max(y0, y1, y2) - _HALF) // _ONE)
    if left > right or top > bottom:
        return
    ax, ay, bx, by, cx, cy = x2 - x1, y2 - y1, x0 - x2, y0 - y2, x1 - x0, y1 - y0
    px, py = left * _ONE + _HALF, top * _ONE + _HALF
    row0 = ax * (py - y1) - ay * (px - x1)
    row1 = bx * (py - y2) - by * (px - x2)
    row2 = cx * (py - y0) - cy * (px - x0)
    bias0, bias1, bias2 = _edge_bias(ax, ay), _edge_bias(bx, by), _edge_bias(cx, cy)
    scale = 1.0 / area
    g0, g1, g2 = k0 * scale, k1 * scale, k2 * scale
    for y in range(top, bottom + 1):
        w0, w1, w2 = row0, row1, row2
        for x in range(left, right + 1):
            if (w0 + bias0) | (w1 + bias1) | (w2 + bias2) >= 0:
                key = np.float32(w0 * g0 + w1 * g1 + w2 * g2)
                if key > out_key[y, x]:
                    out_key[y, x] = key
                    out_face[y, x] = face
            w0 -= ay * _ONE
            w1 -= by * _ONE
            w2 -= cy * _ONE
        row0 += ax * _ONE
        row1 += bx * _ONE
        row2 += cx * _ONE


@inline
def _clip_plane(points: F64, n: int, out: F64, a: float, b: float, c: float, d: float) -> int:
    """Sutherland-Hodgman against a x + b y + c z + d >= 0; returns the number of points left."""
    kept = 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        here = a * points[i, 0] + b * points[i, 1] + c * points[i, 2] + d
        there = a * points[j, 0] + b * points[j, 1] + c * points[j, 2] + d
        if here >= 0.0:
            out[kept] = points[i]
            kept += 1
        if (here >= 0.0) != (there >= 0.0):
            share = here / (here - there)
            for k in range(3):
                out[kept, k] = points[i, k] + share * (points[j, k] - points[i, k])
            kept += 1
    return kept


@inline
def _fill_clipped(f: int, cull: bool, view: View, g: Geometry, out: Buffers) -> None:
    """Draw a face that crosses the near plane or leaves the guard band."""
    ping, pong = np.empty((_MAX_CLIPPED, 3)), np.empty((_MAX_CLIPPED, 3))
    for i in range(3):
        ping[i] = g.camera_vertices[g.faces[f, i]]
    focal, band = view.focal, GUARD - 1.0
    n = _clip_plane(ping, 3, pong, 0.0, 0.0, 1.0, -NEAR)
    n = _clip_plane(pong, n, ping, focal, 0.0, band + view.centre_x, 0.0)
    n = _clip_plane(ping, n, pong, -focal, 0.0, band - view.centre_x, 0.0)
    n = _clip_plane(pong, n, ping, 0.0, focal, band + view.centre_y, 0.0)
    n = _clip_plane(ping, n, pong, 0.0, -focal, band - view.centre_y, 0.0)
    if n < 3:
        return
    xs, ys, keys = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        keys[i] = 1.0 / pong[i, 2]
        xs[i] = round((focal * pong[i, 0] * keys[i] + view.centre_x) * SUBPIXEL)
        ys[i] = round((focal * pong[i, 1] * keys[i] + view.centre_y) * SUBPIXEL)
    for i in range(1, n - 1):
        j = i + 1
        fill_triangle(
            xs[0], ys[0], xs[i], ys[i], xs[j], ys[j], keys[0], keys[i], keys[j],
            f, cull, view.width, view.height, out.face, out.inverse_depth,
        )  # fmt: skip


@inline
def rasterise_body(b: int, view: View, g: Geometry, out: Buffers) -> None:
    """Draw one projected body into the z-buffer."""
    if g.rect[b, 0] >= g.rect[b, 2] or g.rect[b, 1] >= g.rect[b, 3]:
        return
    cull = g.closed[b] != 0
    s, k = g.screen, g.inverse_depth
    for f in range(g.face_start[b], g.face_start[b + 1]):
        u, v, w = g.faces[f, 0], g.faces[f, 1], g.faces[f, 2]
        if g.outside[u] | g.outside[v] | g.outside[w]:
            _fill_clipped(f, cull, view, g, out)
            continue
        fill_triangle(
            s[u, 0], s[u, 1], s[v, 0], s[v, 1], s[w, 0], s[w, 1], k[u], k[v], k[w],
            f, cull, view.width, view.height, out.face, out.inverse_depth,
        )  # fmt: skip


@kernel
def rasterise(bodies: I32, view: View, g: Geometry, out: Buffers) -> None:
    """Draw placed bodies over what the buffers hold."""
    for i in range(len(bodies)):
        rasterise_body(bodies[i], view, g, out)

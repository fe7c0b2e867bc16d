"""Geometry buffers out of the z-buffer and the shaded layers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.kernels.jit import kernel
from fourdcb.render._kernels.arrays import F32, F64, U8, Drawn, Layer, Lights, Mesh, View
from fourdcb.render._kernels.light import towards_light
from fourdcb.render._kernels.surface import barycentrics, pixel_ray


@kernel
def gather_fragments(view: View, mesh: Mesh, drawn: Drawn, barycentric: F32, depth: F32) -> None:
    """Perspective-correct barycentrics and depth."""
    for y in range(view.height):
        for x in range(view.width):
            p = y * view.width + x
            f = drawn.face[p]
            if f < 0:
                continue
            dx, dy, dz = pixel_ray(x + 0.5, y + 0.5, view)
            w1, w2 = barycentrics(f, dx, dy, dz, view, mesh)
            barycentric[y, x, 0], barycentric[y, x, 1], barycentric[y, x, 2] = 1.0 - w1 - w2, w1, w2
            depth[y, x] = 1.0 / drawn.inverse_depth[p]


@kernel
def gather_buffers(
    top: int, bottom: int, tile: int, changed: U8, scale: F64, view: View, mesh: Mesh, lights: Lights,
    drawn: Drawn, under: Layer, over: Layer, depth: F32, normal: F32,
    instance: NDArray[np.int16], albedo: F32, shadow: F32,
) -> None:  # fmt: skip
    """All buffers; ``changed`` [tiles] says where the visibility of the static layer is in ``over``."""
    across = (view.width + tile - 1) // tile
    for y in range(top, bottom):
        for x in range(view.width):
            p = y * view.width + x
            f = drawn.face[p]
            shadow[y, x] = 0.0
            if f < 0:
                depth[y, x], instance[y, x] = np.inf, -1
                for k in range(3):
                    normal[y, x, k], albedo[y, x, k] = 0.0, 0.0
                continue
            body = mesh.faces[f, 3]
            moving = mesh.bodies[body, 5] == 1
            newer = moving or changed[(y // tile) * across + x // tile] == 1
            instance[y, x] = body
            d = 1.0 / drawn.inverse_depth[p]
            depth[y, x] = d
            for k in range(3):
                normal[y, x, k] = over.normal[p, k] if moving else under.normal[p, k]
                albedo[y, x, k] = over.albedo[p, k] if moving else under.albedo[p, k]
            dx, dy, dz = pixel_ray(x + 0.5, y + 0.5, view)
            px, py, pz = view.position[0] + d * dx, view.position[1] + d * dy, view.position[2] + d * dz
            sent, arrived = 0.0, 0.0
            for light in range(len(lights.kind)):
                lx, ly, lz, _, strength = towards_light(light, px, py, pz, lights)
                power = lights.rows[light, 6] + lights.rows[light, 7] + lights.rows[light, 8]
                power *= scale[light] * strength
                sent += power
                if normal[y, x, 0] * lx + normal[y, x, 1] * ly + normal[y, x, 2] * lz > 0.0:
                    arrived += power * (over.visible[light, p] if newer else under.visible[light, p])
            if sent > 0.0:
                shadow[y, x] = 1.0 - arrived / sent

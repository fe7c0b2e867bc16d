"""Geometry buffers of the sharp scene at the pixel centres."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.render._arrays import F32, F64, U8, Drawn, Layer, Lights, Mesh, View
from fourdcb.render._jit import kernel
from fourdcb.render._layers import Layers, Poses
from fourdcb.render._light import towards_light
from fourdcb.render._surface import barycentrics, pixel_ray
from fourdcb.render._threads import over_rows
from fourdcb.render.settings import Fragments, FrameBuffers


def geometry_buffers(layers: Layers, poses: Poses, scale: F64) -> FrameBuffers:
    """Depth, normal, instance, albedo and shadow as ``Frame`` defines them; ``layers`` has one sample a pixel."""
    tiles = layers.show(poses, scale)
    view = layers.view
    changed = np.zeros(layers.n_tiles, np.uint8)
    changed[tiles] = 1
    shape = (view.height, view.width)
    out = FrameBuffers(
        depth=np.empty(shape, np.float32),
        normal=np.empty((*shape, 3), np.float32),
        instance=np.empty(shape, np.int16),
        albedo=np.empty((*shape, 3), np.float32),
        shadow=np.empty(shape, np.float32),
    )
    over_rows(
        view.height,
        lambda top, bottom: _fill_buffers(
            top, bottom, layers.tile, changed, scale, view, layers.scene.mesh, layers.scene.lights, layers.drawn,
            layers.under, layers.over, *out,
        ),
    )  # fmt: skip
    layers.hide(tiles)
    return out


def fragments(layers: Layers, poses: Poses, scale: F64) -> Fragments:
    """Nearest face, barycentrics and depth at the sample centres of ``layers``."""
    tiles = layers.show(poses, scale)
    view = layers.view
    shape = (view.height, view.width)
    face = layers.drawn.face.reshape(shape).copy()
    barycentric, depth = np.zeros((*shape, 3), np.float32), np.full(shape, np.inf, np.float32)
    _fill_fragments(view, layers.scene.mesh, layers.drawn, barycentric, depth)
    layers.hide(tiles)
    return Fragments(face, barycentric, depth)


@kernel
def _fill_fragments(view: View, mesh: Mesh, drawn: Drawn, barycentric: F32, depth: F32) -> None:
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
def _fill_buffers(
    top: int, bottom: int, tile: int, changed: U8, scale: F64, view: View, mesh: Mesh, lights: Lights, drawn: Drawn,
    under: Layer, over: Layer, depth: F32, normal: F32, instance: NDArray[np.int16], albedo: F32, shadow: F32,
) -> None:  # fmt: skip
    """``changed`` [tiles] says where the visibility of the static layer is in ``over``."""
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

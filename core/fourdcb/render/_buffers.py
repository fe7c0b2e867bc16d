"""Geometry buffers of the sharp scene at the pixel centres."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourdcb.render._arrays import (
    F32,
    F64,
    I32,
    Buffers,
    Geometry,
    Lights,
    Materials,
    Shadows,
    View,
)
from fourdcb.render._jit import kernel
from fourdcb.render._layers import Layers, Poses
from fourdcb.render._light import plane_visibility, towards_light, visibility
from fourdcb.render._surface import barycentrics, pixel_ray, surface_at
from fourdcb.render._threads import over_rows
from fourdcb.render.settings import Fragments


def geometry_buffers(layers: Layers, poses: Poses, scale: F64) -> tuple[NDArray[np.generic], ...]:
    """(depth, normal, instance, albedo, shadow) as :class:`Frame` defines them."""
    layers.prepare(poses)
    layers.draw(poses)
    scene, view = layers.scene, layers.view
    shape = (view.height, view.width)
    depth, shadow = np.full(shape, np.inf, np.float32), np.zeros(shape, np.float32)
    normal, albedo = np.zeros((*shape, 3), np.float32), np.zeros((*shape, 3), np.float32)
    instance = np.full(shape, -1, np.int16)
    casters = scene.casters if layers.casts_shadows else scene.casters[:0]
    over_rows(
        view.height,
        lambda top, bottom: _fill(
            top, bottom, layers.casts_shadows, scale, casters, view, scene.geometry, scene.materials,
            scene.lights, layers.shadows, layers.buffers, depth, normal, instance, albedo, shadow,
        ),
    )  # fmt: skip
    layers.restore()
    return depth, normal, instance, albedo, shadow


def fragments(layers: Layers, poses: Poses) -> Fragments:
    """Nearest face, barycentrics and depth at the sample centres of ``layers``."""
    layers.prepare(poses)
    layers.draw(poses)
    view = layers.view
    barycentric = np.zeros((view.height, view.width, 3), np.float32)
    depth = np.full((view.height, view.width), np.inf, np.float32)
    _fill_fragments(view, layers.scene.geometry, layers.buffers, barycentric, depth)
    face = layers.buffers.face.copy()
    layers.restore()
    return Fragments(face, barycentric, depth)


@kernel
def _fill_fragments(view: View, g: Geometry, drawn: Buffers, barycentric: F32, depth: F32) -> None:
    for y in range(view.height):
        for x in range(view.width):
            f = drawn.face[y, x]
            if f < 0:
                continue
            dx, dy, dz = pixel_ray(x + 0.5, y + 0.5, view)
            w1, w2 = barycentrics(f, dx, dy, dz, view, g)
            barycentric[y, x, 0], barycentric[y, x, 1], barycentric[y, x, 2] = 1.0 - w1 - w2, w1, w2
            depth[y, x] = 1.0 / drawn.inverse_depth[y, x]


@kernel
def _fill(
    top: int, bottom: int, shadowed: bool, scale: F64, casters: I32, view: View, g: Geometry, m: Materials,
    lights: Lights, s: Shadows, drawn: Buffers, depth: F32, normal: F32, instance: NDArray[np.int16],
    albedo: F32, shadow: F32,
) -> None:  # fmt: skip
    for y in range(top, bottom):
        for x in range(view.width):
            f = drawn.face[y, x]
            if f < 0:
                continue
            px, py, pz, nx, ny, nz, red, green, blue, _, _ = surface_at(f, x + 0.5, y + 0.5, view, g, m)
            depth[y, x] = 1.0 / drawn.inverse_depth[y, x]
            normal[y, x, 0], normal[y, x, 1], normal[y, x, 2] = nx, ny, nz
            albedo[y, x, 0], albedo[y, x, 1], albedo[y, x, 2] = red, green, blue
            body = g.face_body[f]
            instance[y, x] = body
            sent, arrived = 0.0, 0.0
            for light in range(len(lights.kind)):
                lx, ly, lz, _, strength = towards_light(light, px, py, pz, lights)
                power = lights.power[light, 0] + lights.power[light, 1] + lights.power[light, 2]
                power *= scale[light] * strength
                sent += power
                if power <= 0.0 or nx * lx + ny * ly + nz * lz <= 0.0:
                    continue
                if shadowed:
                    power *= plane_visibility(light, body, px, py, pz, lights, s)
                    power *= visibility(light, body, px, py, pz, nx, ny, nz, casters, g, lights, s)
                arrived += power
            if sent > 0.0:
                shadow[y, x] = 1.0 - arrived / sent

"""Geometry buffers of the sharp scene at the pixel centres."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F64, Poses
from fourdcb.render._kernels.gather import gather_buffers, gather_fragments
from fourdcb.render._layers import Layers
from fourdcb.render._threads import over_rows
from fourdcb.render.settings import Fragments, FrameBuffers


def geometry_buffers(layers: Layers, poses: Poses, scale: F64) -> FrameBuffers:
    """The buffers as ``Frame`` defines them; ``layers`` has one sample a pixel."""
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
        lambda top, bottom: gather_buffers(
            top, bottom, layers.tile, changed, scale, view, layers.scene.mesh, layers.scene.lights,
            layers.drawn, layers.under, layers.over, *out,
        ),
    )  # fmt: skip
    return out


def fragments(layers: Layers, poses: Poses, scale: F64) -> Fragments:
    """Nearest face, barycentrics and depth at the sample centres of ``layers``."""
    layers.show(poses, scale)
    view = layers.view
    shape = (view.height, view.width)
    face = layers.drawn.face.reshape(shape).copy()
    barycentric, depth = np.zeros((*shape, 3), np.float32), np.full(shape, np.inf, np.float32)
    gather_fragments(view, layers.scene.mesh, layers.drawn, barycentric, depth)
    return Fragments(face, barycentric, depth)

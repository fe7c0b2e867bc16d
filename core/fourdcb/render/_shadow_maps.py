"""Shadow maps alone, for backends that look them up themselves."""

from __future__ import annotations

import numpy as np

from fourdcb.arrays import F64
from fourdcb.render._kernels.arrays import Lights, Scratch, Shadows, View
from fourdcb.render._kernels.paint import MAPS, PLACE, paint
from fourdcb.render._scene import Scene
from fourdcb.render._workers import empty_drawn, empty_layer

_TILE = 64


def draw_shadow_maps(
    scene: Scene,
    positions: F64,
    rotations: F64,
    *,
    lights: Lights,
    view: View,
    shadows: Shadows,
    scratch: Scratch,
    size: int,
) -> None:
    """Draw the maps of all casters into ``shadows``.

    Args:
        scene: whose mesh is placed.
        positions, rotations: places of all bodies, shapes (N, 3), (N, 3, 3).
        lights: light samples, as many as the scene's.
        view: the camera, which decides how fine the maps are.
        shadows, scratch: room that was made for the scene.
        size: largest side of a map [texels].
    """
    count = len(lights.kind)
    tiles = -(-view.width // _TILE) * -(-view.height // _TILE)
    drawn, layer = empty_drawn(0), empty_layer(0, count)
    paint(
        PLACE | MAPS, 0, 1, 0, 1, 1, size, _TILE, 0.0,
        np.arange(len(scene.mesh.bodies), dtype=np.int32), scene.casters,
        np.ascontiguousarray(positions)[None], np.ascontiguousarray(rotations)[None], np.zeros((1, count)),
        view, scene.materials, lights, np.full((tiles, 4), -1.0), drawn, layer, scene.mesh, shadows, scratch,
        drawn, layer, np.zeros(tiles, np.uint8), np.zeros(tiles, np.uint8), np.zeros((1, 0, 3), np.float32),
    )  # fmt: skip

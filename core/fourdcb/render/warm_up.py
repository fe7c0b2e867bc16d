"""Compiles all kernels ahead of their first use."""

from __future__ import annotations

import numpy as np

from fourdcb.progress import NullProgress, Progress
from fourdcb.render.raster import RasterRenderer
from fourdcb.render.settings import RenderSettings
from fourdcb.world import Camera, DirectionalLight, Object, World

_ORIGIN = (0.0, 0.0, 0.0)


def compile_kernels(progress: Progress | None = None) -> bool:
    """Compile and keep every kernel of judging, rendering and the Studio; half a minute on a new machine.

    Where they are kept already this takes a fraction of a second. Kernels know sizes, materials and lights as
    data, so one small picture needs all of them.

    Args:
        progress: told of the pictures and buffers that are drawn for it.

    Returns:
        Whether they are kept; False when no folder can be written, every process then compiles its own.
    """
    from fourdcb.kernels.storage import cache_folder

    told = progress or NullProgress()
    told.start("compiling the renderer's kernels", 3)
    ball = Object(
        name="ball", geometry="sphere", size=(1.0, 1.0, 1.0), mass=1.0, pos=_ORIGIN, vel=_ORIGIN, acc=_ORIGIN
    )
    world = World(
        duration=1.0, fps=30, objects=(ball,), lights=(DirectionalLight(direction=(0.0, 1.0, -1.0)),),
        camera=Camera(pos=(0.0, -3.0, 0.0), target=_ORIGIN, width=16, height=16),
    )  # fmt: skip
    renderer = RasterRenderer(world, RenderSettings())
    poses = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    renderer.render(poses, 0.0, aux=False)
    told.advance()
    renderer.render(poses, 0.0)
    told.advance()
    renderer.fragments(poses, 0.0)
    told.advance()
    return cache_folder() is not None

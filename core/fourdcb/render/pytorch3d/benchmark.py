"""Speed of this backend for ``fourdcb bench render``."""

from __future__ import annotations

import time

from fourdcb.render.pytorch3d.renderer import TorchRenderer
from fourdcb.render.settings import RenderSettings
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


def pytorch3d_fps(
    world: World, trajectory: Trajectory, settings: RenderSettings, *, frames: int = 3
) -> float:
    """Frames per second of the fastest of ``frames`` frames: other load only ever slows one."""
    renderer = TorchRenderer(world, settings)
    seconds = []
    for k in range(frames + 1):
        start = time.perf_counter()
        renderer.render(trajectory, k / world.fps, aux=False)
        seconds.append(time.perf_counter() - start)
    return 1.0 / min(seconds[1:])

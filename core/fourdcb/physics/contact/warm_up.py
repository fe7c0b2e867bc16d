"""Compiles the engine ahead of its first use."""

from __future__ import annotations

from fourdcb.kernels.storage import cache_folder
from fourdcb.physics.contact.engine import ContactEngine
from fourdcb.world import Object, World

_ORIGIN = (0.0, 0.0, 0.0)


def compile_engine() -> bool:
    """Compile and keep the rollout kernel; half a minute on a new machine, next to nothing afterwards.

    The kernel knows bodies and shapes as data, so that one step of one ball needs all of it.

    Returns:
        Whether it is kept; False when no folder can be written, every process then compiles its own.
    """
    ball = Object(
        name="ball", geometry="sphere", size=(1.0, 1.0, 1.0), mass=1.0, pos=_ORIGIN, vel=_ORIGIN, acc=_ORIGIN
    )
    with ContactEngine() as engine:
        engine.rollout(World(duration=0.1, fps=10, objects=(ball,)), rate_hz=240.0)
    return cache_folder() is not None

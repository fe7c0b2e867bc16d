"""Many worlds rolled out one after another, two at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import SimulationDivergedError
from fourdcb.physics.engine import BulletEngine
from fourdcb.world import World

Poses = tuple[NDArray[np.float64], NDArray[np.float64]]


class PoseSource(Protocol):
    """An engine, as far as it is needed here."""

    def frame_poses(self, world: World, *, rate_hz: float) -> Poses:
        """See :meth:`fourdcb.physics.BulletEngine.frame_poses`."""


def frame_poses_of(
    worlds: Sequence[World], *, rate_hz: float, engine: PoseSource
) -> Iterator[Poses | SimulationDivergedError]:
    """Poses of every world at its frames, in the order of the worlds; the same as one at a time gives.

    While a :class:`BulletEngine` plays one world, a second one plays the next in a thread of its own. Any
    other engine plays them all. Rollouts are made when they are asked for, one ahead at most.

    Args:
        worlds: what to simulate.
        rate_hz: substeps per second, an integer multiple of every world's frame rate.
        engine: reused engine of this thread.

    Yields:
        :meth:`BulletEngine.frame_poses` of each world, or the error of a state that exploded.

    Raises:
        UserError: for a rate that does not fit, or a body that cannot be simulated.
    """
    if not isinstance(engine, BulletEngine):
        yield from (_outcome(engine, world, rate_hz) for world in worlds)
        return
    with BulletEngine() as second, ThreadPoolExecutor(max_workers=1) as other_thread:
        for k in range(0, len(worlds), 2):
            ahead = [other_thread.submit(_outcome, second, world, rate_hz) for world in worlds[k + 1 : k + 2]]
            yield _outcome(engine, worlds[k], rate_hz)
            yield from (future.result() for future in ahead)


def _outcome(engine: PoseSource, world: World, rate_hz: float) -> Poses | SimulationDivergedError:
    try:
        return engine.frame_poses(world, rate_hz=rate_hz)
    except SimulationDivergedError as error:
        return error

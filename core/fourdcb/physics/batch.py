"""Many worlds rolled out one after another, two at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from fourdcb.arrays import Poses
from fourdcb.errors import SimulationDivergedError
from fourdcb.physics.engine import ENGINES, Engine, make_engine
from fourdcb.world import World


def frame_poses_of(
    worlds: Sequence[World], *, rate_hz: float, engine: Engine
) -> Iterator[Poses | SimulationDivergedError]:
    """Poses of every world at its frames, in the order of the worlds; the same as one at a time gives.

    While an engine of :data:`~fourdcb.physics.ENGINES` plays one world, a second one of its kind plays the
    next in a thread of its own; any other engine plays them all. Rollouts are made when they are asked for,
    one ahead at most.

    Args:
        worlds: what to simulate.
        rate_hz: substeps per second, an integer multiple of every world's frame rate.
        engine: reused engine of this thread.

    Yields:
        :meth:`Engine.frame_poses` of each world, or the error of a state that exploded.

    Raises:
        UserError: for a rate that does not fit, or a body that cannot be simulated.
    """
    if engine.id not in ENGINES:
        yield from (_outcome(engine, world, rate_hz) for world in worlds)
        return
    with make_engine(engine.id) as second, ThreadPoolExecutor(max_workers=1) as other_thread:
        for k in range(0, len(worlds), 2):
            ahead = [other_thread.submit(_outcome, second, world, rate_hz) for world in worlds[k + 1 : k + 2]]
            yield _outcome(engine, worlds[k], rate_hz)
            yield from (future.result() for future in ahead)


def _outcome(engine: Engine, world: World, rate_hz: float) -> Poses | SimulationDivergedError:
    try:
        return engine.frame_poses(world, rate_hz=rate_hz)
    except SimulationDivergedError as error:
        return error

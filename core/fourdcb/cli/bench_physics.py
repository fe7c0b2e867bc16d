"""``fourdcb bench physics``: processor time of rollouts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourdcb.world import World

_TRIES = 12


def bench_physics(json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False) -> None:
    """Measure rollouts of 3 tumbling bodies, 3 standing cylinders and 50 bodies: least processor time."""
    figures = measure_physics()
    if json_:
        typer.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        typer.echo(f"{name:32} {value:.5g}")


def measure_physics() -> dict[str, Any]:
    """Processor time [ms] of this thread, fastest of several tries: other load only ever slows it."""
    from fourdcb.physics import make_engine

    tumbling, standing, crowd = _tumbling(), _standing(), _crowd()
    with make_engine() as engine:

        def rollout(world: World, rate_hz: float, tries: int = _TRIES) -> float:
            return _best(lambda: engine.rollout(world, rate_hz=rate_hz), tries)

        def poses(world: World, rate_hz: float) -> float:
            return _best(lambda: engine.frame_poses(world, rate_hz=rate_hz), _TRIES)

        return {
            "tumbling_3_bodies_240hz_ms": rollout(tumbling, 240.0),
            "tumbling_3_bodies_960hz_ms": rollout(tumbling, 960.0),
            "standing_3_cylinders_240hz_ms": rollout(standing, 240.0),
            "standing_3_cylinders_960hz_ms": rollout(standing, 960.0),
            "crowd_50_bodies_240hz_ms": rollout(crowd, 240.0, tries=2),
            "frame_poses_3_bodies_240hz_ms": poses(tumbling, 240.0),
            "frame_poses_3_bodies_960hz_ms": poses(tumbling, 960.0),
            "load_3_bodies_ms": _best(lambda: engine.start(tumbling, rate_hz=240.0), _TRIES),
            "seconds_simulated": tumbling.duration,
        }


def _best(call: Callable[[], object], tries: int) -> float:
    spent = []
    for _ in range(tries):
        start = time.thread_time()
        call()
        spent.append(time.thread_time() - start)
    return 1e3 * min(spent)


def _tumbling() -> World:
    from fourdcb.physics.conformance.scenes import floor, stage, thing

    return stage(
        thing("ball", "sphere", (0.0, 0.0, 0.5), restitution=0.4, vel=(0.3, 0.0, 0.0)),
        thing("box", "box", (0.3, 0.0, 0.3), restitution=0.4, ang_vel=(1.0, 2.0, 0.5)),
        thing("block", "box", (-0.3, 0.1, 0.4), restitution=0.4, vel=(0.4, 0.2, 0.0)),
        duration=3.0,
        planes=(floor(),),
    )


def _standing() -> World:
    from fourdcb.physics.conformance.scenes import floor, stage, thing

    cups = (thing(f"cup {k}", "cylinder", (0.3 * k, 0.0, 0.05)) for k in range(3))
    return stage(*cups, duration=3.0, planes=(floor(),))


def _crowd() -> World:
    from fourdcb.physics.conformance.scenes import floor, stage, thing

    bodies = (
        thing(
            f"body {k}",
            "box" if k % 2 else "sphere",
            (0.15 * (k % 5), 0.15 * (k // 5 % 5), 0.1 + 0.2 * (k // 25)),
        )
        for k in range(50)
    )
    return stage(*bodies, duration=3.0, planes=(floor(),))

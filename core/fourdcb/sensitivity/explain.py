"""Which single change of a script explains a residual best: one rollout per change, nothing linearised.

Contact makes motion a broken function of its parameters; a derivative at the candidate says little about the
reference. The secant from the candidate's value to another one is measured instead.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourdcb.arrays import Poses
from fourdcb.errors import SimulationDivergedError
from fourdcb.physics import frame_poses_of
from fourdcb.world import World

if TYPE_CHECKING:
    from fourdcb.physics import Engine

_log = logging.getLogger(__name__)
Residual = Callable[[World, Poses], Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One number of a script set to another value.

    Attributes:
        path: parameter path in the changed script.
        current, suggested: values before and after [unit].
        world: the world after the change.
    """

    path: str
    current: float
    suggested: float
    unit: str
    world: World


@dataclass(frozen=True, slots=True)
class Explanation:
    """How much of one object's residual a change takes away: 1 all, 0 nothing, negative makes it worse."""

    change: Change
    explained: float


def explain(
    changes: Sequence[Change],
    residual: Residual,
    baseline: Mapping[str, float],
    *,
    rate_hz: float,
    enough: float | None = None,
    engine: Engine | None = None,
) -> dict[str, list[Explanation]]:
    """Play the changes and rank them for every object, the best first.

    Args:
        changes: what to try, the likeliest first; every one costs a rollout.
        residual: squared error by object of a changed world and its poses at the frames (position
            (T, N, 3), orientation_wxyz (T, N, 4) in the order of ``world.bodies``).
        baseline: the same of the unchanged world; objects without error are left out.
        rate_hz: physics rate of the judgement.
        enough: stop once every object has a change that explains more than this; default play them all.
        engine: reused engine; default a fresh one.
    """
    wrong = [name for name, value in baseline.items() if value > 0]
    if not changes or not wrong:
        return {}
    if engine is None:
        from fourdcb.physics import make_engine

        with make_engine() as fresh:
            return explain(changes, residual, baseline, rate_hz=rate_hz, enough=enough, engine=fresh)
    ranked: dict[str, list[Explanation]] = {name: [] for name in wrong}
    rollouts = frame_poses_of([change.world for change in changes], rate_hz=rate_hz, engine=engine)
    for change, poses in zip(changes, rollouts, strict=True):
        if isinstance(poses, SimulationDivergedError):
            _log.info("%s = %g explains nothing: %s", change.path, change.suggested, poses)
            continue
        left = residual(change.world, poses)
        for name in wrong:
            ranked[name].append(Explanation(change, 1.0 - left.get(name, baseline[name]) / baseline[name]))
        if enough is not None and all(max(e.explained for e in ranked[name]) > enough for name in wrong):
            break
    for explanations in ranked.values():
        explanations.sort(key=lambda e: -e.explained)
    return ranked

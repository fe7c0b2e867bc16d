"""From a seed to a world worth keeping: sampled, rolled out, framed and examined, attempt after attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fourdcb.dataset.acceptance import too_small, unobservable, unpredictable, unseen
from fourdcb.dataset.degrade import Level, sample_lens
from fourdcb.dataset.framing import Framing, framed, framing, trimmed
from fourdcb.dataset.looks import unlit
from fourdcb.dataset.templates import Draw, Template
from fourdcb.dsl import emit, parse_script
from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.physics import Engine, judging_rate
from fourdcb.randomness import generator
from fourdcb.trajectory import Trajectory
from fourdcb.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """One attempt.

    Attributes:
        path: node of the seed tree.
        script: what was sampled, as a world script.
        reasons: against keeping it; empty when it is kept.
        world, trajectory, shown, looks, horizon, effects: as far as the examination came.
    """

    path: str
    script: str
    reasons: tuple[str, ...]
    world: World
    trajectory: Trajectory | None = None
    shown: Framing | None = None
    looks: dict[str, float] | None = None
    horizon: dict[str, float] | None = None
    effects: dict[str, float] | None = None

    def figures(self) -> dict[str, Any]:
        """What was measured, in numbers that a record holds."""
        assert self.shown is not None
        return {
            "motion": round(self.shown.motion, 4),
            "speed": round(self.shown.speed, 3),
            "smallest": round(min(self.shown.sizes.values()), 2),
            "horizon": {name: round(t, 4) for name, t in (self.horizon or {}).items()},
            "looks": {path: round(levels, 1) for path, levels in (self.looks or {}).items()},
            "effects": {path: round(px, 2) for path, px in (self.effects or {}).items()},
        }


def examine(found: Template, *, seed: int, path: str, level: Level, engine: Engine) -> Examined:
    """Sample one world and look whether it is worth keeping; the cheapest looks come first."""
    random = generator(seed, f"{path}/sample")
    draw = Draw(random, found.ranges)
    world = parse_script(emit(found.compose(draw))).world  # what a script says: its quaternions are unit
    rate = judging_rate(world.fps)
    try:
        whole = engine.rollout(world, rate_hz=rate)
        world = trimmed(world, whole, longest=min(found.longest, world.duration))
        trajectory = engine.rollout(world, rate_hz=rate)
        lens = sample_lens(generator(seed, f"{path}/lens"), level)
        world = framed(world, trajectory, found, draw, lens=lens)
        script = f"# {found.line[0].upper()}{found.line[1:]}.\n{emit(world)}"
        world = parse_script(script).world
        shown = framing(world, trajectory)
        reasons = [*too_small(shown)] or unseen(world, trajectory)
        known: dict[str, Any] = {"trajectory": trajectory, "shown": shown}
        if not reasons:
            known["looks"], reasons = unlit(world, trajectory)
        if not reasons:
            known["horizon"], reasons = unpredictable(world, trajectory, engine)
        if not reasons:
            known["effects"], reasons = unobservable(world, found.watched, trajectory, engine)
    except SimulationDivergedError as error:
        return Examined(path=path, script=emit(world), reasons=(f"diverged: {error}",), world=world)
    except UserError as error:
        return Examined(path=path, script=emit(world), reasons=(f"not drawable: {error}",), world=world)
    return Examined(path=path, script=script, reasons=tuple(reasons), world=world, **known)

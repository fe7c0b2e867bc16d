"""One reference, replayed once, and what is wrong with many candidates on its stage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fourdcb.errors import SimulationDivergedError
from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.criteria import Criteria, Threshold
from fourdcb.metrics.judge import WorldsCompared, compare_worlds, report_of
from fourdcb.metrics.result import AXES, Axis, MetricValue, Report
from fourdcb.physics import Engine, judging_rate
from fourdcb.replay import Replay, replay
from fourdcb.sensitivity import predictability_horizon
from fourdcb.world import World, on_stage_of
from fourdcb.world.parts import part_of

_UNTIMED = "how fast the replay is drawn does not change with the script's values"
_MOST = 10.0
_MISSING = 40.0  # more than one body that is there can do wrong
_WRONG_KIND = 15.0
_UNREPLAYABLE = 1e6


@dataclass(frozen=True, slots=True)
class Judgement:
    """One candidate, judged without pictures of the clip.

    Attributes:
        report: verdict, axes, findings; None where the motion explodes.
        comparison: what it was made from; None likewise.
        cost: 0 where everything passes; else a sum over metrics and bodies of how far beyond they are, so
            that it falls when one of many faults is mended.
    """

    report: Report | None
    comparison: Comparison | None
    cost: float

    @property
    def verdict(self) -> str:
        """Of the report."""
        return "DEPLOYMENT_NOT_RECOMMENDED" if self.report is None else self.report.verdict

    @property
    def deployable(self) -> bool:
        """Whether nothing is left to mend."""
        return self.verdict == "DEPLOYABLE"

    @property
    def failed(self) -> tuple[Axis, ...]:
        """Axes that fail."""
        if self.report is None:
            return AXES
        return tuple(axis for axis in AXES if self.report.axes[axis].passed is False)

    def better_than(self, other: Judgement, least: float = 0.01) -> bool:
        """Whether it costs less, and no more axes fail."""
        return self.cost < other.cost - least and len(self.failed) <= len(other.failed)


class RepairStage:
    """Judges candidates against one reference; a motion that was replayed once is kept."""

    def __init__(self, reference: World, criteria: Criteria, engine: Engine) -> None:
        """Replay the reference."""
        self.reference, self.criteria, self._engine = reference, criteria, engine
        self._rate_hz = judging_rate(reference.fps)
        self._kept: dict[object, Replay] = {}
        self._truth = self._replay(reference)
        self._horizon = predictability_horizon(
            reference, rate_hz=self._rate_hz, trajectory=self._truth.trajectory, engine=engine
        )
        self.judgements = 0

    def judge(self, candidate: World, *, causes: bool = False) -> Judgement:
        """What is wrong with a candidate.

        Args:
            causes: also look for the numbers behind it, which takes a dozen replays more.
        """
        self.judgements += 1
        try:
            own = self._replay(on_stage_of(candidate, self.reference))
        except SimulationDivergedError:
            return Judgement(None, None, _UNREPLAYABLE)
        worlds = compare_worlds(
            self._truth, own, self.criteria, horizon=self._horizon, engine=self._engine, causes=causes
        )
        report = report_of(
            worlds, None, reference=self._truth, candidate=own, video_times=None, criteria=self.criteria,
            fast=False, horizon=self._horizon, remarks=(), inputs=None, environment=None,
            replay_rate=self.criteria.unmeasured("replay_fps", "not_applicable", _UNTIMED),
        )  # fmt: skip
        return Judgement(report, worlds.comparison, _cost(worlds, self.criteria.thresholds))

    def _replay(self, world: World) -> Replay:
        key = part_of(world, "rollout", engine=self._engine.id)
        if key not in self._kept:
            if len(self._kept) > 8:
                self._kept.pop(next(k for i, k in enumerate(self._kept) if i == 1))  # the truth stays
            self._kept[key] = replay(world, rate_hz=self._rate_hz, frames=False, engine=self._engine)
        return replace(self._kept[key], world=world)


def _cost(worlds: WorldsCompared, limits: Mapping[str, Threshold]) -> float:
    matching = worlds.comparison.matching
    cost = _MISSING * (len(matching.missing) + len(matching.extra))
    cost += _WRONG_KIND * sum(not pair.same_kind for pair in matching.pairs)
    for metrics in worlds.metrics.values():
        for name, metric in metrics.items():
            cost += _beyond(metric, limits[name])
    errors = [*matching.static.errors.values(), *matching.static.extra.values()]
    return cost + sum(_excess(error, limits["delta_pos"]) for error in errors)


def _beyond(metric: MetricValue, limit: Threshold) -> float:
    if metric.value is None:
        return _MOST if metric.passed is False else 0.0
    values = list(metric.per_object.values()) or [metric.value]
    found = sum(_excess(value, limit) for value in values)
    return max(found, 1.0) if metric.passed is False else found


def _excess(value: float, limit: Threshold) -> float:
    """0 on the passing side; else 1 and more, by each doubling one more."""
    if limit.passes(value):
        return 0.0
    above = limit.direction == "above"
    gap = (1.0 - value) / max(1.0 - limit.value, 1e-9) if above else value / max(limit.value, 1e-9)
    return min(1.0 + math.log2(max(gap, 1.0)), _MOST)

"""Does the judge say of known faults what they deserve? Every scene, fault and size, judged and compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fourdcb.dataset.faults import SIZES, Fault, FaultSize, faulty_source
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import parse_script
from fourdcb.evaluation.pipeline import judge_replays
from fourdcb.identity import StrPath
from fourdcb.metrics import AXES, Axis, Criteria, MetricValue, Report, Verdict, load_criteria
from fourdcb.metrics.geometry.drift import replay_fps
from fourdcb.metrics.judge import compare_worlds, report_of
from fourdcb.physics import Engine, judging_rate, make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.replay import Replay, replay
from fourdcb.sensitivity import predictability_horizon
from fourdcb.world import World, on_stage_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What the judge said of one fault in one size.

    Attributes:
        scene, fault, size: which; ``size`` is "perfect" for the truth itself.
        parameter, value: what was said wrong; None for the truth itself.
        verdict, failed: of the report.
        cause: parameter that the first finding with a likely cause blames, or None.
        message: the first finding, or "".
        complaints: what is not as the fault deserves; empty when the cell is right.
    """

    scene: str
    fault: str
    size: str
    parameter: str | None
    value: float | None
    verdict: Verdict
    failed: tuple[Axis, ...]
    cause: str | None
    message: str
    complaints: tuple[str, ...]

    @property
    def blamed(self) -> bool:
        """Whether the first cause that is told is the faulty parameter."""
        return self.cause == self.parameter


class FaultScene:
    """A truth script that is replayed once and then judges many candidates, without a video."""

    def __init__(self, script: StrPath, engine: Engine, *, criteria: Criteria | None = None) -> None:
        """Read and replay the truth. Raises UserError for a bad script."""
        self.path = Path(script)
        self.name = self.path.parent.name
        self.source = self.path.read_text(encoding="utf-8")
        self._criteria = criteria or load_criteria()
        self._engine = engine
        self.world = self._world(self.source)
        self._rate_hz = judging_rate(self.world.fps)
        self.reference = self._replay(self.world)
        self._horizon = predictability_horizon(
            self.world, rate_hz=self._rate_hz, trajectory=self.reference.trajectory, engine=engine
        )

    def report(self, candidate: World) -> Report:
        """The judgement of one candidate on this scene's stage."""
        return judge_replays(
            reference=self.reference,
            candidate=self.replayed(candidate),
            video_frames=None,
            video_times=None,
            criteria=self._criteria,
            horizon=self._horizon,
            engine=self._engine,
        )

    def verdict(self, candidate: Replay, *, rate: MetricValue) -> tuple[Verdict, tuple[str, ...]]:
        """What the judge says of a candidate that was replayed already, and why; no causes are searched.

        Args:
            candidate: on this scene's stage.
            rate: the replay rate of a world that looks much the same.
        """
        worlds = compare_worlds(
            self.reference, candidate, self._criteria, horizon=self._horizon, causes=False
        )
        report = report_of(
            worlds, None, reference=self.reference, candidate=candidate, video_times=None,
            criteria=self._criteria, fast=False, horizon=self._horizon, remarks=(), inputs=None,
            environment=None, replay_rate=rate,
        )  # fmt: skip
        return report.verdict, report.reasons

    def replayed(self, candidate: World) -> Replay:
        """A candidate's motion on this scene's stage.

        Raises:
            SimulationDivergedError: when it explodes.
        """
        return self._replay(on_stage_of(candidate, self.world))

    def rate(self) -> MetricValue:
        """The replay rate of the truth, measured here."""
        return replay_fps(self.reference, self.reference, self._criteria)

    def cell(self, fault: Fault, size: FaultSize) -> Cell:
        """One fault in one size, judged and compared with what it deserves."""
        source = faulty_source(self.source, fault, filename=str(self.path), size=size)
        report = self.report(self._world(source))
        failed = tuple(axis for axis in AXES if report.axes[axis].passed is False)
        causes = (f.likely_cause.parameter for f in report.findings if f.likely_cause is not None)
        return Cell(
            scene=self.name,
            fault=fault.name,
            size=size if fault.parameter is not None else "perfect",
            parameter=fault.parameter,
            value=fault.values.get(size),
            verdict=report.verdict,
            failed=failed,
            cause=next(causes, None),
            message=report.findings[0].message if report.findings else "",
            complaints=tuple(_complaints(report, fault, size)),
        )

    def _world(self, source: str) -> World:
        return parse_script(source, filename=str(self.path), base_dir=str(self.path.parent)).world

    def _replay(self, world: World) -> Replay:
        return replay(world, rate_hz=self._rate_hz, frames=False, engine=self._engine)


def judge_faults(
    root: StrPath,
    faults: Mapping[str, Sequence[Fault]],
    *,
    sizes: Sequence[FaultSize] = SIZES,
    progress: Progress | None = None,
) -> Iterator[Cell]:
    """Judge every fault of every scene in every size, one after the other.

    Args:
        root: folder of the scene folders.
        faults: by scene.
        sizes: which sizes.
        progress: told of every cell.

    Raises:
        UserError: for a bad truth script, or a fault that does not apply to it.
    """
    told = progress or NullProgress()
    told.start("judging", sum(len(_sizes(fault, sizes)) for each in faults.values() for fault in each))
    with make_engine() as engine:
        for name, each in faults.items():
            scene = FaultScene(Path(root) / name / REFERENCE_NAME, engine)
            for fault in each:
                for size in _sizes(fault, sizes):
                    yield scene.cell(fault, size)
                    told.advance()


def _sizes(fault: Fault, sizes: Sequence[FaultSize]) -> Sequence[FaultSize]:
    """A perfect copy has one size."""
    return sizes if fault.parameter is not None else sizes[:1]


def _complaints(report: Report, fault: Fault, size: FaultSize) -> Iterator[str]:
    passed = {axis: result.passed for axis, result in report.axes.items()}
    failing = frozenset[Axis]() if fault.parameter is None else fault.failing(size)
    passing = frozenset(AXES) if fault.parameter is None else fault.passing(size)
    for axis in AXES:
        if axis in failing and passed[axis] is not False:
            yield f"{axis} must fail"
        if axis in passing and passed[axis] is False:
            yield f"{axis} must pass"
        if axis in failing and not any(f.axis == axis and f.severity == "error" for f in report.findings):
            yield f"{axis} fails without a finding"
    expected: Verdict = "DEPLOYMENT_NOT_RECOMMENDED" if failing else "DEPLOYABLE"
    if report.verdict != expected:
        yield f"the verdict must be {expected}"

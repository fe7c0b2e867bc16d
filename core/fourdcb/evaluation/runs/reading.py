"""A run as it lies on the disk, finished or not; reading disturbs nobody who writes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fourdcb.evaluation.api import SampleScore
from fourdcb.evaluation.runs.folder import RunFolder, read_json
from fourdcb.evaluation.runs.generation import reusable
from fourdcb.evaluation.runs.markdown import sample_rows
from fourdcb.evaluation.runs.plan import PlannedSample, RunPlan
from fourdcb.evaluation.runs.scoring import kept_scores
from fourdcb.work.journal import read_journal

AnswerState = Literal["waiting", "answered", "failed", "judged"]
RunState = Literal["running", "stopped", "complete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleReading:
    """What became of one sample so far.

    Attributes:
        sample_id: of the plan.
        state: ``waiting`` for an answer; ``answered`` and not judged; ``failed``: no answer; ``judged``.
        verdict: as reports say it, "" where there is none.
        why: failed axes, or why there is no answer or no verdict.
        values: numbers by metric; None where a metric gives none.
        script, report, video, reference: files that are there; None for those that are not.
    """

    sample_id: str
    state: AnswerState
    verdict: str = ""
    why: str = ""
    values: Mapping[str, float | None]
    script: Path | None = None
    report: Path | None = None
    video: Path | None = None
    reference: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReading:
    """A run.

    Attributes:
        root: its folder.
        model, benchmark: their ids.
        state: ``stopped`` where nobody works on a run that is not complete.
        stage: ``generation``, ``scoring`` or ``finished``.
        samples: by id, in the plan's order.
        claim: of the scorecard, "" before there is one.
        blocking: why the run is not fit for a leaderboard.
    """

    root: Path
    model: str
    benchmark: str
    state: RunState
    stage: str
    samples: Mapping[str, SampleReading]
    claim: str = ""
    blocking: tuple[str, ...] = ()

    def count(self, verdict: str) -> int:
        """Samples with a verdict."""
        return sum(sample.verdict == verdict for sample in self.samples.values())


def is_run(folder: Path) -> bool:
    """Whether a folder holds the plan of a run."""
    try:
        with RunFolder(folder).plan.open("rb") as stream:
            return RunPlan.FORMAT.encode() in stream.read(1 << 16)
    except OSError:
        return False


def find_runs(folder: Path) -> tuple[Path, ...]:
    """The runs that a folder means: itself, else those right below it, by name."""
    if is_run(folder):
        return (folder,)
    try:
        below = sorted(path for path in folder.iterdir() if (path / RunFolder(path).plan.name).is_file())
    except OSError:
        return ()
    return tuple(path for path in below if is_run(path))


def run_stamp(root: Path) -> tuple[tuple[str, int, int], ...]:
    """Changes whenever a run's files do: name, size and time [ns] of those that tell how far it is."""
    folder = RunFolder(root)
    files = (folder.plan, folder.status, *folder.journals(), folder.checkpoint, folder.scorecard)
    stamps = []
    for file in files:
        try:
            state = file.stat()
        except OSError:
            continue
        stamps.append((file.name, state.st_size, state.st_mtime_ns))
    return tuple(stamps)


def read_run(root: Path) -> RunReading:
    """A run as far as it is.

    Scores that were computed for another answer, another metric or other thresholds are not shown.

    Raises:
        UserError: the folder holds no run, or its files are damaged.
    """
    folder = RunFolder(root)
    plan = RunPlan.from_dict(read_json(folder.plan, what="the plan"))
    results = reusable(plan, plan.samples, [read_journal(file).records for file in folder.journals()])
    scores = kept_scores(plan, results, read_journal(folder.checkpoint).records)
    names = [sample.sample_id for sample in plan.samples if sample.sample_id in results]
    rows = {row["sample_id"]: row for row in sample_rows(results, scores, names)}
    values: dict[str, dict[str, float | None]] = {name: {} for name in names}
    for (sample_id, metric), score in scores.items():
        values[sample_id][metric] = score.value
    samples = {
        sample.sample_id: _sample(folder, plan, sample, rows.get(sample.sample_id), scores, values)
        for sample in plan.samples
    }
    status = read_json(folder.status, what="the run's status") if folder.status.is_file() else {}
    card = read_json(folder.scorecard, what="the scorecard") if folder.scorecard.is_file() else {}
    fits = card.get("fingerprint") == plan.fingerprint  # a scorecard of an earlier plan says nothing
    return RunReading(
        root=root,
        model=plan.model.id,
        benchmark=str(plan.benchmark.get("id", "")),
        state=_state(folder, status),
        stage=str(status.get("stage", "generation")),
        samples=samples,
        claim=str(card["claim"]) if fits else "",
        blocking=tuple(card["blocking_reasons"]) if fits else (),
    )


def _sample(
    folder: RunFolder,
    plan: RunPlan,
    sample: PlannedSample,
    row: Mapping[str, Any] | None,
    scores: Mapping[tuple[str, str], SampleScore],
    values: Mapping[str, Mapping[str, float | None]],
) -> SampleReading:
    name, data = sample.sample_id, Path(plan.data_root)
    verdict = "" if row is None or row["verdict"] == "–" else str(row["verdict"])
    state: AnswerState = "waiting"
    if row is not None:
        judged = bool(verdict) or any(sample_id == name for sample_id, _ in scores)
        state = "failed" if row["status"] != "ok" else "judged" if judged else "answered"
    return SampleReading(
        sample_id=name,
        state=state,
        verdict=verdict,
        why="" if row is None else str(row["why"]),
        values=values.get(name, {}),
        script=_there(folder.script(name)),
        report=_there(folder.report(name)),
        video=_there(data / sample.video),
        reference=None if sample.reference is None else _there(data / sample.reference),
    )


def _there(path: Path) -> Path | None:
    return path if path.is_file() else None


def _state(folder: RunFolder, status: Mapping[str, Any]) -> RunState:
    """How a run stands: its lock names the process that works on it, for as long as that lives here."""
    if status.get("stage") == "finished" and status.get("state") == "complete":
        return "complete"
    for lock in folder.root.glob(".*.lock"):
        try:
            os.kill(int(lock.read_text()), 0)
        except (OSError, ValueError):
            continue
        return "running"
    return "stopped"

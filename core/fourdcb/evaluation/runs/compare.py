"""Two runs side by side, and many in one order; only where that means something."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import UserError
from fourdcb.evaluation.api import SampleScore
from fourdcb.evaluation.runs.folder import RunFolder, read_json
from fourdcb.evaluation.runs.plan import RunPlan
from fourdcb.evaluation.runs.scorecard import validate_scorecard
from fourdcb.evaluation.statistics import PairedDifference, paired_difference
from fourdcb.randomness import generator


@dataclass(frozen=True)
class FinishedRun:
    """A run as it lies on the disk.

    Attributes:
        root: its folder.
        card: scorecard.
        plan: what was planned.
        scores: by sample and metric.
    """

    root: Path
    card: Mapping[str, Any]
    plan: RunPlan
    scores: Mapping[tuple[str, str], SampleScore]


def load_run(root: Path) -> FinishedRun:
    """A finished run.

    Raises:
        UserError: the folder holds none, or its files are damaged.
    """
    folder = RunFolder(root)
    card = read_json(folder.scorecard, what="the scorecard")
    complaints = validate_scorecard(card, where=str(folder.scorecard))
    if complaints:
        raise UserError(
            "the scorecard is not valid", where=str(folder.scorecard), got="; ".join(complaints[:5])
        )
    plan = RunPlan.from_dict(read_json(folder.plan, what="the plan"))
    scores = {}
    try:
        # By line feeds alone: texts within the lines may hold what else Python takes for the end of one.
        lines = folder.per_sample.read_text(encoding="utf-8").rstrip("\n").split("\n")
        for line in lines:
            score = SampleScore.from_dict(json.loads(line))
            scores[score.sample_id, score.metric_id] = score
    except OSError as error:
        raise UserError(
            "the scores cannot be read", where=str(folder.per_sample), got=error.strerror
        ) from error
    except ValueError as error:
        raise UserError("the scores are damaged", where=str(folder.per_sample), got=str(error)) from error
    return FinishedRun(root, card, plan, scores)


@dataclass(frozen=True)
class MetricComparison:
    """How one number differs between two runs.

    Attributes:
        metric_id: the number.
        direction: whether more is better, or None.
        a, b: means over the pairs.
        difference: B - A, paired; None where no sample has both.
        unpaired: samples that only one of the runs scored.
    """

    metric_id: str
    direction: str | None
    a: float | None
    b: float | None
    difference: PairedDifference | None
    unpaired: int


def compare_runs(
    first: FinishedRun, second: FinishedRun, *, metrics: Sequence[str] | None = None, seed: int = 0
) -> list[MetricComparison]:
    """Paired differences of two runs over the same samples.

    Args:
        first, second: A and B.
        metrics: which numbers; default all that both have.
        seed: of the bootstrap.

    Raises:
        UserError: the runs differ in samples, or in the definition of a number that is compared.
    """
    ours, theirs = _samples(first), _samples(second)
    if ours != theirs:
        different = sorted(set(ours.items()) ^ set(theirs.items()))
        raise UserError(
            "the runs have different samples", where=f"{first.root} and {second.root}",
            got=", ".join(sorted({name for name, _ in different})[:5]),
            hint="only runs over the same files can be compared pair by pair",
        )  # fmt: skip
    planned = [definition.id for definition in first.plan.metrics]
    further = [name for name in first.card["metrics"] if name not in planned]
    both = [name for name in (*planned, *further) if name in second.card["metrics"]]
    chosen = both if metrics is None else list(metrics)
    found = []
    for name in chosen:
        if name not in both:
            raise UserError(f"not both runs have the number {name!r}", expected=", ".join(both))
        a, b = (run.card["metrics"][name]["definition"] for run in (first, second))
        if a != b or first.card["criteria"] != second.card["criteria"]:
            raise UserError(
                f"the number {name!r} is defined differently in the two runs",
                where=f"{first.root} and {second.root}",
                got=_difference(a or {}, b or {}) or "other criteria",
                hint="score one of them again: fourdcb score DIR",
            )  # fmt: skip
        found.append(_compared(first, second, name, (a or {}).get("direction"), seed))
    return found


def _samples(run: FinishedRun) -> dict[str, str]:
    return {s.sample_id: repr(sorted(s.hashes.items())) for s in run.plan.samples}


def _difference(a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {a.get(key)!r} and {b.get(key)!r}" for key in a if a.get(key) != b.get(key))[
        :300
    ]


def _compared(
    first: FinishedRun, second: FinishedRun, name: str, direction: str | None, seed: int
) -> MetricComparison:
    pairs, unpaired = [], 0
    for sample in first.plan.samples:
        values = [run.scores.get((sample.sample_id, name)) for run in (first, second)]
        numbers = [
            score.value
            for score in values
            if score is not None and score.status == "ok" and score.value is not None
        ]
        if len(numbers) == 2:
            pairs.append((sample.group, *numbers))
        elif len(numbers) == 1:
            unpaired += 1
    if not pairs:
        return MetricComparison(name, direction, None, None, None, unpaired)
    a, b = (np.array([pair[k] for pair in pairs], dtype=np.float64) for k in (1, 2))
    difference = paired_difference(
        a, b, [str(pair[0]) for pair in pairs], rng=generator(seed, f"compare/{name}")
    )
    return MetricComparison(name, direction, float(a.mean()), float(b.mean()), difference, unpaired)


@dataclass(frozen=True)
class LeaderboardRow:
    """One run's place; ``why_not`` says why a run has none."""

    run: str
    model: str
    value: float | None
    low: float | None
    high: float | None
    claim: str
    why_not: str = ""


def leaderboard(runs: Sequence[FinishedRun], *, metric: str = "deployable") -> list[LeaderboardRow]:
    """Runs in the order of one number, the best first; those that cannot be placed come last, with the
    reason.

    Raises:
        UserError: the runs are of different benchmarks, or the number has no declared direction.
    """
    kinds = {
        (r.card["benchmark"]["id"], r.card["benchmark"].get("sha256"), str(r.card["criteria"])) for r in runs
    }
    if len(kinds) > 1:
        raise UserError(
            "the runs are of different benchmarks or criteria",
            got=", ".join(sorted(str(kind[0]) for kind in kinds)),
        )
    placed, others, directions = [], [], set()
    for run in runs:
        entry = run.card["metrics"].get(metric)
        if entry is None:
            others.append(_row(run, None, f"it has no number {metric!r}"))
            continue
        total, definition = entry["aggregate"], entry["definition"] or {}
        directions.add(definition.get("direction"))
        if not run.card["leaderboard_valid"]:
            others.append(_row(run, total, "; ".join(run.card["blocking_reasons"])))
        elif total["skipped"]:
            others.append(_row(run, total, f"{total['skipped']} of {total['total']} samples have no number"))
        elif total["value"] is None:
            others.append(_row(run, total, "no sample has a number"))
        else:
            placed.append(_row(run, total, ""))
    if None in directions or len(directions) > 1:
        raise UserError(
            f"nobody said whether more of {metric!r} is better", hint="choose another with --metric"
        )
    best_first = directions == {"higher"}
    return (
        sorted(placed, key=lambda row: (-(row.value or 0.0) if best_first else row.value or 0.0, row.run))
        + others
    )


def _row(run: FinishedRun, total: Mapping[str, Any] | None, why_not: str) -> LeaderboardRow:
    values = total or {"value": None, "low": None, "high": None}
    return LeaderboardRow(
        str(run.root), run.card["model"]["id"], values["value"], values["low"], values["high"],
        run.card["claim"], why_not,
    )  # fmt: skip

"""The gate for releases: whether a scorecard is what its own run amounts to."""

from __future__ import annotations

from pathlib import Path

from fourdcb.evaluation.runs.compare import FinishedRun, load_run
from fourdcb.evaluation.runs.folder import RunFolder, read_json
from fourdcb.evaluation.runs.scorecard import scores_of, validate_scorecard
from fourdcb.evaluation.statistics import METHOD, SHARE_METHOD, aggregate_mean


def run_complaints(root: Path) -> list[str]:
    """What is wrong with a run's scorecard, by itself and beside plan and scores; empty when nothing is.

    Means are computed again from the scores; an aggregate of a metric's own making is taken as it is.

    Raises:
        UserError: there is no run, or its files are damaged.
    """
    path = RunFolder(root).scorecard
    complaints = validate_scorecard(read_json(path, what="the scorecard"), where=str(path))
    return complaints or _disagreements(load_run(root))


def _disagreements(run: FinishedRun) -> list[str]:
    card, plan = run.card, run.plan
    told = []
    if card["fingerprint"] != plan.fingerprint:
        told.append("it is the scorecard of another plan")
    if card["samples"] != len(plan.samples):
        told.append(f"it has {card['samples']} samples, the plan {len(plan.samples)}")
    for name, entry in card["metrics"].items():
        total = entry["aggregate"]
        if total["count"] and total["method"] not in (METHOD, SHARE_METHOD):
            continue
        again = aggregate_mean(
            scores_of(plan, name, run.scores), plan.groups, share=total["method"] == SHARE_METHOD
        ).to_dict()
        different = [key for key in again if again[key] != total.get(key)]
        if different:
            told.append(f"{name}: {', '.join(different)} is not what the scores amount to")
    return told

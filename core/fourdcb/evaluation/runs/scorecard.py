"""The scorecard: the machine-readable record of what a run scored and what it may claim."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import Aggregate, Claim, GenerationResult, Metric, SampleScore
from fourdcb.evaluation.api.fidelity import CLAIMS, RunFidelity
from fourdcb.evaluation.claims import derive_claim
from fourdcb.evaluation.runs.definitions import definitions, outputs_of
from fourdcb.evaluation.runs.plan import RunPlan

FORMAT, VERSION = "fourdcb.scorecard", 1
FIELDS = (
    "format", "version", "fingerprint", "benchmark", "model", "split", "criteria", "samples", "generation",
    "metrics", "fidelity", "claim", "claim_reasons", "score_valid", "leaderboard_valid", "blocking_reasons",
)  # fmt: skip


def aggregates(
    plan: RunPlan, metrics: Sequence[Metric], scores: Mapping[tuple[str, str], SampleScore]
) -> dict[str, dict[str, Any]]:
    """Definition and aggregate of every number, by id; a number that only some samples gave is among them."""
    declared = {d.id: d for d in definitions(metrics)}
    names = [*declared, *sorted({name for _, name in scores} - set(declared))]
    owners = {name: metric for metric in metrics for name in outputs_of(metric)}
    found = {}
    for name in names:
        own = scores_of(plan, name, scores)
        owner = owners.get(name)
        total = owner.aggregate(own, plan.groups) if owner is not None else _mean(own, plan.groups)
        found[name] = {
            "definition": declared[name].to_dict() if name in declared else None,
            "aggregate": total.to_dict(),
            "skipped": _reasons(own),
        }
    return found


def scores_of(plan: RunPlan, name: str, scores: Mapping[tuple[str, str], SampleScore]) -> list[SampleScore]:
    """One score of a number for each planned sample; what no metric gave is invalid."""
    return [
        scores.get((s.sample_id, name))
        or SampleScore(sample_id=s.sample_id, metric_id=name, status="invalid", reason="metric_not_returned")
        for s in plan.samples
    ]


def _mean(scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
    from fourdcb.evaluation.statistics import aggregate_mean

    return aggregate_mean(scores, groups)


def _reasons(scores: Sequence[SampleScore]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for score in scores:
        if score.status != "ok":
            key = score.reason or score.status
            counts[key] = counts.get(key, 0) + 1
    return dict(sorted(counts.items()))


def build_scorecard(
    plan: RunPlan,
    results: Mapping[str, GenerationResult],
    summary: Mapping[str, Mapping[str, Any]],
    *,
    fidelity: RunFidelity,
    fidelity_reasons: Sequence[str],
    at_most: Claim | None = None,
) -> dict[str, Any]:
    """The scorecard of a run; equal runs give equal scorecards, whatever happened on the way.

    Args:
        plan: of the run.
        results: of its samples.
        summary: by :func:`aggregates`.
        fidelity, fidelity_reasons: by :func:`fourdcb.evaluation.runs.fidelity.run_fidelity`.
        at_most: the caller's own ceiling for the claim.
    """
    evidence = plan.benchmark.get("evidence")
    claim = derive_claim(fidelity, evidence=evidence, at_most=at_most)
    blocking = _blocking(summary)
    statuses: dict[str, int] = {}
    for sample in plan.samples:
        status = results[sample.sample_id].status
        statuses[status] = statuses.get(status, 0) + 1
    score_valid = not blocking
    if claim.claim == "diagnostic":
        blocking = [*blocking, "the claim is diagnostic: " + "; ".join(fidelity_reasons or claim.reasons)]
    if not plan.complete:
        blocking = [*blocking, "only a part of the benchmark was run"]
    return {
        "format": FORMAT,
        "version": VERSION,
        "fingerprint": plan.fingerprint,
        "benchmark": dict(plan.benchmark),
        "model": plan.model.to_dict(),
        "split": plan.split,
        "criteria": dict(plan.criteria),
        "samples": len(plan.samples),
        "generation": dict(sorted(statuses.items())),
        "metrics": {name: dict(entry) for name, entry in summary.items()},
        "fidelity": fidelity.to_dict(),
        "claim": claim.claim,
        "claim_reasons": [*fidelity_reasons, *claim.reasons],
        "score_valid": score_valid,
        "leaderboard_valid": score_valid and not blocking,
        "blocking_reasons": blocking,
    }


def _blocking(summary: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Why the scores cannot be used as they are."""
    if not any(entry["aggregate"]["value"] is not None for entry in summary.values()):
        return ["no metric gave a number"]
    failed = {
        name: sum(entry["skipped"].get(code, 0) for code in ("metric_failed", "metric_not_returned"))
        for name, entry in summary.items()
    }
    return [f"{name}: {count} sample(s) could not be scored" for name, count in failed.items() if count]


def validate_scorecard(card: Any, *, where: str) -> list[str]:
    """What is wrong with a scorecard, as a gate for releases sees it; empty when nothing is.

    Raises:
        UserError: it is no scorecard at all.
    """
    if not isinstance(card, Mapping) or card.get("format") != FORMAT or card.get("version") != VERSION:
        raise UserError(
            "this is no scorecard of a known version",
            where=where,
            expected=f"format {FORMAT}, version {VERSION}",
        )
    complaints = [f"the field {name} is missing" for name in FIELDS if name not in card]
    complaints += [f"unknown field {name}" for name in card if name not in FIELDS]
    if complaints:
        return complaints
    if card["claim"] not in CLAIMS:
        complaints.append(f"there is no claim {card['claim']!r}")
    derived = derive_claim(
        RunFidelity.from_dict(card["fidelity"]), evidence=card["benchmark"].get("evidence")
    ).claim
    if CLAIMS.index(card["claim"]) > CLAIMS.index(derived):
        complaints.append(f"the claim {card['claim']} is more than its fidelity allows, {derived}")
    if card["leaderboard_valid"] and (
        card["blocking_reasons"] or not card["score_valid"] or card["claim"] == "diagnostic"
    ):
        complaints.append("it is called fit for a leaderboard and names reasons why it is not")
    if sum(card["generation"].values()) != card["samples"]:
        complaints.append("generated results and samples differ in number")
    for name, entry in card["metrics"].items():
        complaints += [
            f"{name}: {told}" for told in _aggregate_complaints(entry["aggregate"], card["samples"])
        ]
    return complaints


def _aggregate_complaints(entry: Mapping[str, Any], samples: int) -> list[str]:
    total = Aggregate.from_dict(entry)
    told = []
    if total.count + total.skipped != total.total or total.total > samples:
        told.append(f"{total.count} scored and {total.skipped} skipped of {total.total} in {samples} samples")
    if (total.value is None) != (total.count == 0):
        told.append("a value without samples, or samples without a value")
    if total.value is not None and not math.isfinite(total.value):
        told.append("the value is not finite")
    if (
        total.low is not None
        and total.high is not None
        and not total.low <= (total.value or 0.0) <= total.high
    ):
        told.append("the value lies outside its interval")
    return told

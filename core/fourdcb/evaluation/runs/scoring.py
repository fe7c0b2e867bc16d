"""Scores results: what is known is kept, what is missing is computed, in batches that a kill cannot tear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Metric, SampleScore
from fourdcb.evaluation.runs.definitions import definition_key, outputs_of, owner_key
from fourdcb.evaluation.runs.plan import PlannedSample, RunPlan
from fourdcb.identity import content_hash, encodable
from fourdcb.progress import NullProgress, Progress
from fourdcb.work import Executor, Limits, Outcome
from fourdcb.work.journal import Journal

# What a candidate did to its judge, in the reason codes of scores.
_JUDGE_REASONS = {
    "timeout": "judge_timeout", "out_of_memory": "judge_out_of_memory", "crashed": "judge_crashed",
}  # fmt: skip


@dataclass(frozen=True)
class ScoringWork:
    """Computes metrics in a worker process."""

    metrics: Mapping[str, Metric]

    def open(self) -> Any:
        """The call of one payload: (metric, request, result)."""
        return self._score

    def close(self) -> None:
        """Nothing is held."""

    def _score(self, payload: tuple[str, dict[str, Any], dict[str, Any]]) -> list[dict[str, Any]]:
        owner, request, result = payload
        scores = _computed(
            self.metrics[owner], GenerationRequest.from_dict(request), GenerationResult.from_dict(result)
        )
        return [encodable(score.to_dict()) for score in scores]


def _computed(metric: Metric, request: GenerationRequest, result: GenerationResult) -> list[SampleScore]:
    """What a metric gives for a sample. Raises TypeError for what is no score of that sample."""
    found = metric.compute_sample(request, result)
    if isinstance(found, Mapping):
        named: Mapping[str, Any] = found
    elif isinstance(found, Sequence) and not isinstance(found, str | bytes):
        return _own_scores(found, request.sample_id)
    else:
        named = {metric.id: found}
    return [_score(request.sample_id, name, value) for name, value in named.items()]


def _own_scores(found: Sequence[Any], sample_id: str) -> list[SampleScore]:
    seen: set[str] = set()
    for score in found:
        if not isinstance(score, SampleScore):
            raise TypeError(f"expected scores, got a {type(score).__name__} among them")
        if score.sample_id != sample_id:
            raise TypeError(f"{score.metric_id}: a score of another sample, {score.sample_id!r}")
        if score.metric_id in seen:
            raise TypeError(f"{score.metric_id}: two scores of one sample")
        if score.status == "ok" and score.value is None:
            raise TypeError(f"{score.metric_id}: a score without a value that says it has one")
        seen.add(score.metric_id)
    return list(found)


def _score(sample_id: str, name: str, value: Any) -> SampleScore:
    import math
    import numbers

    if value is None:
        return SampleScore(sample_id=sample_id, metric_id=name, status="skipped", reason="no_value")
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        return SampleScore(
            sample_id=sample_id, metric_id=name, status="invalid", reason="not_a_finite_number"
        )
    return SampleScore(sample_id=sample_id, metric_id=name, value=float(value))


def score_results(
    plan: RunPlan,
    results: Mapping[str, GenerationResult],
    metrics: Sequence[Metric],
    *,
    journal: Journal,
    executor: Executor,
    limits: Limits,
    batch_size: int = 32,
    progress: Progress | None = None,
) -> dict[tuple[str, str], SampleScore]:
    """All scores of a run, by sample and metric.

    Args:
        plan: which samples, and what their scores depend on.
        results: of all samples, by id.
        metrics: after the expansion of wildcards.
        journal: the checkpoint.
        executor: where missing scores are computed.
        limits: of one computation.
        batch_size: scores that are written together at most.
        progress: told of every computed score.

    Raises:
        UserError: a metric gives a number that another one owns, or the checkpoint cannot be written.
    """
    by_id = {metric.id: metric for metric in metrics}
    owners = {name: metric.id for metric in metrics for name in outputs_of(metric)}
    kept = _kept(journal)
    scores: dict[tuple[str, str], SampleScore] = {}
    missing: dict[str, tuple[PlannedSample, Metric, str]] = {}
    for sample in plan.samples:
        result = results[sample.sample_id]
        for metric in metrics:
            if result.status != "ok" and not getattr(metric, "scores_failures", False):
                _take(
                    scores, _all_without_value(metric, sample.sample_id, "generation_failed"), metric, owners
                )
                continue
            key = _key(plan, sample, result, definition_key(metric))
            if metric.version is not None and key in kept and not getattr(metric, "depends_on_all", False):
                _take(scores, kept[key], metric, owners)
            else:
                missing[f"{metric.id}\n{sample.sample_id}"] = (sample, metric, key)
    told = progress or NullProgress()
    told.start("scoring", len(missing))
    payloads = (
        (name, (metric.id, plan.request(sample).to_dict(), results[sample.sample_id].to_dict()))
        for name, (sample, metric, _) in missing.items()
    )
    rows: list[dict[str, Any]] = []
    outcomes: Iterator[Outcome] = (
        executor.run(ScoringWork(by_id), payloads, limits=limits) if missing else iter(())
    )
    try:
        for outcome in outcomes:
            sample, metric, key = missing[outcome.key]
            found = _complete(metric, sample.sample_id, outcome)
            _take(scores, found, metric, owners)
            whole = all(score.reason != "metric_not_returned" for score in found)
            if outcome.status == "ok" and whole and not getattr(metric, "depends_on_all", False):
                rows.append(
                    {
                        "key": key,
                        "sample_id": sample.sample_id,
                        "owner": metric.id,
                        "scores": [s.to_dict() for s in found],
                    }
                )
            if len(rows) >= batch_size:
                journal.append(rows)
                rows = []
            told.advance()
    finally:
        journal.append(rows)
    return scores


def _key(plan: RunPlan, sample: PlannedSample, result: GenerationResult, metric: Mapping[str, Any]) -> str:
    """SHA-256 of everything that a score depends on. Timings are no part of an answer."""
    answer = {"status": result.status, "artifacts": result.artifacts, "metadata": result.metadata}
    return content_hash({"sample": plan.score_key(sample), "answer": answer, "metric": dict(metric)})


def kept_scores(
    plan: RunPlan, results: Mapping[str, GenerationResult], records: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str], SampleScore]:
    """Scores of a checkpoint that hold for a plan and its answers so far, by sample and metric.

    Args:
        plan: what the scores depend on; its metrics are those that count.
        results: by id; samples without a result have no scores.
        records: of the checkpoint.
    """
    known = {str(row["key"]): row["scores"] for row in records}
    owners = {definition.owner: owner_key(definition) for definition in plan.metrics}
    found: dict[tuple[str, str], SampleScore] = {}
    for sample in plan.samples:
        result = results.get(sample.sample_id)
        if result is None:
            continue
        for metric in owners.values():
            for score in known.get(_key(plan, sample, result, metric), ()):
                read = SampleScore.from_dict(score)
                found[read.sample_id, read.metric_id] = read
    return found


def _kept(journal: Journal) -> dict[str, list[SampleScore]]:
    kept = {}
    for row in journal.records:
        kept[str(row["key"])] = [SampleScore.from_dict(score) for score in row["scores"]]
    return kept


def _complete(metric: Metric, sample_id: str, outcome: Outcome) -> list[SampleScore]:
    """The scores of an outcome, with one for every number that the metric declares."""
    if outcome.status != "ok":
        reason = _JUDGE_REASONS.get(outcome.status)
        if reason is not None and hasattr(metric, "worst"):
            return list(metric.worst(sample_id, reason, detail=encodable(outcome.error or "")))
        detail = {"message": encodable((outcome.error or "")[:500])}
        return [
            SampleScore(
                sample_id=sample_id, metric_id=name, status="invalid", reason="metric_failed", detail=detail
            )
            for name in outputs_of(metric)
        ]
    found = [SampleScore.from_dict(value) for value in outcome.value]
    there = {score.metric_id for score in found}
    absent = [
        SampleScore(sample_id=sample_id, metric_id=name, status="invalid", reason="metric_not_returned")
        for name in outputs_of(metric)
        if name not in there
    ]
    return [*found, *absent]


def _all_without_value(metric: Metric, sample_id: str, reason: str) -> list[SampleScore]:
    return [
        SampleScore(sample_id=sample_id, metric_id=name, status="skipped", reason=reason)
        for name in outputs_of(metric)
    ]


def _take(
    scores: dict[tuple[str, str], SampleScore],
    found: Sequence[SampleScore],
    metric: Metric,
    owners: dict[str, str],
) -> None:
    """Put scores in place; a number that another metric owns stops the scoring."""
    for score in found:
        owner = owners.setdefault(score.metric_id, metric.id)
        if owner != metric.id:
            raise UserError(
                f"the number {score.metric_id!r} has two owners", got=f"{owner!r} and {metric.id!r}",
                where=score.sample_id, hint="leave one of the two metrics out",
            )  # fmt: skip
        scores[score.sample_id, score.metric_id] = score

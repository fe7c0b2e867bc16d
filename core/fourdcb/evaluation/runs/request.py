"""What a caller asks for, and what it compiles to; every front end builds these and adds no execution of
its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import Claim, Metric
from fourdcb.evaluation.catalog import CatalogBenchmark, find_entry, load_benchmarks
from fourdcb.evaluation.catalog.benchmarks import REPLAY_TASK
from fourdcb.evaluation.catalog.samples import Pins, find_samples, read_pins
from fourdcb.evaluation.claims import check_claim
from fourdcb.evaluation.external.scores import ExternalScores
from fourdcb.evaluation.judge_metric import JudgeMetric, criteria_record
from fourdcb.evaluation.resolver import resolve_model
from fourdcb.evaluation.runs.builtin_metrics import resolve_metric
from fourdcb.evaluation.runs.definitions import definitions
from fourdcb.evaluation.runs.folder import RunFolder
from fourdcb.evaluation.runs.plan import ModelEntry, PlannedSample, RunPlan, check_unique
from fourdcb.identity import content_hash
from fourdcb.work import Limits

JUDGING = Limits(seconds=300.0, memory_mb=4096.0)


@dataclass(frozen=True, kw_only=True)
class EvaluateRunRequest:
    """One run: a model over a benchmark into a folder.

    Attributes:
        model: name as :func:`fourdcb.evaluation.resolver.resolve_model` reads it.
        benchmark: id of the catalog, or a folder of scenes.
        out: the run's folder.
        model_parameters: settings of the runner.
        split: part of the benchmark; ``all`` takes every sample.
        samples: ids to run; None runs all of the split.
        metrics: ids or objects; None takes the benchmark's own.
        criteria: thresholds; None takes the bundled ones.
        executor, workers: where the work is done.
        generation_limits, scoring_limits: of one sample.
        metric_batch_size: scores that are written together at most.
        resume: whether a run that is there already may be taken up.
        retry_failed: whether failed answers are asked for again.
        shard: (I, N) generates the I-th of N parts and scores nothing.
        at_most: ceiling for the claim.
        model_catalog, benchmark_catalog: files in place of the bundled ones.
    """

    model: str
    benchmark: str
    out: Path
    model_parameters: Mapping[str, Any] = field(default_factory=dict)
    split: str = "all"
    samples: Sequence[str] | None = None
    metrics: Sequence[str | Metric] | None = None
    criteria: Path | None = None
    executor: str = "local"
    workers: int | None = None
    generation_limits: Limits = field(default_factory=Limits)
    scoring_limits: Limits = JUDGING
    metric_batch_size: int = 32
    resume: bool = False
    retry_failed: bool = False
    shard: tuple[int, int] = (1, 1)
    at_most: Claim | None = None
    model_catalog: Path | None = None
    benchmark_catalog: Path | None = None


@dataclass(frozen=True, kw_only=True)
class PreparedEvaluation:
    """A request made definite: nothing is looked up after this.

    Attributes:
        plan: samples and settings.
        metrics: that score them, wildcards not yet expanded.
        pins: what the benchmark's lock says, or None.
    """

    plan: RunPlan
    metrics: tuple[Metric, ...]
    pins: Pins | None


def prepare(request: EvaluateRunRequest, *, model: ModelEntry | None = None) -> PreparedEvaluation:
    """Look everything up and fix it.

    Args:
        request: what is asked for.
        model: who answered, where that is known already; None looks the request's name up.

    Raises:
        UserError: for whatever does not exist or does not fit together.
    """
    if request.at_most is not None:
        check_claim(request.at_most)
    benchmark, pins = _benchmark(request)
    everything = _of_split(find_samples(benchmark.data), benchmark, request.split)
    chosen = _chosen(everything, request.samples)
    check_unique(chosen)
    root = benchmark.data.resolve()
    judge = JudgeMetric(
        references={s.sample_id: str(root / s.reference) for s in chosen if s.reference is not None},
        videos={s.sample_id: str(root / s.video) for s in chosen},
        criteria=None if request.criteria is None else str(request.criteria),
        reports=str((RunFolder(request.out).root / "reports").resolve()),
    )
    external = None if benchmark.evaluator is None else ExternalScores(spec=benchmark.evaluator)
    metrics = tuple(
        resolve_metric(name, judge=judge, external=external)
        for name in (request.metrics or benchmark.spec.metrics)
    )
    # Only the bundled catalog was shown to mean what it says: a file of one's own raises no claim.
    proven = pins is not None and request.benchmark_catalog is None
    plan = RunPlan(
        benchmark={
            "id": benchmark.id,
            "revision": benchmark.spec.revision,
            "evidence": benchmark.spec.evidence if proven else "none",
            "sha256": content_hash({s.sample_id: s.hashes for s in everything}),
        },
        model=model
        or resolve_model(request.model, parameters=request.model_parameters, catalog=request.model_catalog),
        samples=chosen,
        split=request.split,
        metrics=definitions(metrics),
        criteria=criteria_record(judge.criteria),
        complete=len(chosen) == len(everything) and request.split == "all",
        data_root=str(root),
    )
    return PreparedEvaluation(plan=plan, metrics=metrics, pins=pins)


def _benchmark(request: EvaluateRunRequest) -> tuple[CatalogBenchmark, Pins | None]:
    if Path(request.benchmark).is_dir():
        from fourdcb.evaluation.api import BenchmarkSpec

        folder = Path(request.benchmark)
        spec = BenchmarkSpec(
            id=folder.resolve().name,
            revision="",
            tasks=(REPLAY_TASK,),
            metrics=("judge", "generation_success"),
        )
        return CatalogBenchmark(spec=spec, data=folder), None
    found = find_entry(load_benchmarks(request.benchmark_catalog), request.benchmark, what="benchmark")
    return found, read_pins(found)


def _of_split(
    samples: tuple[PlannedSample, ...], benchmark: CatalogBenchmark, split: str
) -> tuple[PlannedSample, ...]:
    if split == "all":
        return samples
    splits = benchmark.spec.splits
    if split not in splits:
        raise UserError(
            f"the benchmark {benchmark.id!r} has no split {split!r}", expected=", ".join(["all", *splits])
        )
    return tuple(sample for sample in samples if sample.sample_id in splits[split])


def _chosen(samples: tuple[PlannedSample, ...], wanted: Sequence[str] | None) -> tuple[PlannedSample, ...]:
    if wanted is None:
        return samples
    known = {sample.sample_id for sample in samples}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UserError(f"the benchmark has no sample {unknown[0]!r}", expected=", ".join(sorted(known)[:20]))
    return tuple(sample for sample in samples if sample.sample_id in set(wanted))

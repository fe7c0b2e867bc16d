"""Runs what was prepared: generate, score, write; from wherever an earlier attempt stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationResult, Metric, SampleScore
from fourdcb.evaluation.catalog.samples import changed_files
from fourdcb.evaluation.claims import lower_claim
from fourdcb.evaluation.resolver import waiting_workers
from fourdcb.evaluation.runs.definitions import definitions, expanded
from fourdcb.evaluation.runs.fidelity import run_fidelity
from fourdcb.evaluation.runs.folder import RunFolder, alone_in, read_json
from fourdcb.evaluation.runs.generation import generate_missing, reusable, write_script
from fourdcb.evaluation.runs.markdown import run_markdown, sample_rows
from fourdcb.evaluation.runs.plan import RunPlan
from fourdcb.evaluation.runs.request import EvaluateRunRequest, PreparedEvaluation, prepare
from fourdcb.evaluation.runs.scorecard import aggregates, build_scorecard
from fourdcb.evaluation.runs.scoring import score_results
from fourdcb.identity import write_output
from fourdcb.progress import Progress
from fourdcb.work import make_executor
from fourdcb.work.journal import Journal, read_journal

COMMAND = "command.json"  # how a run was asked for


@dataclass(frozen=True)
class RunOutcome:
    """What a run left.

    Attributes:
        folder: where it lies.
        card: scorecard; None for a shard, which is scored when all shards are there.
        rows: one for each sample, for people.
    """

    folder: Path
    card: Mapping[str, Any] | None
    rows: Sequence[Mapping[str, Any]]


def run_evaluate(request: EvaluateRunRequest, *, progress: Progress | None = None) -> RunOutcome:
    """Run a model over a benchmark and score it; the one entry of every front end.

    Raises:
        UserError: the request is wrong, the folder is in use or cannot be written.
    """
    return execute_prepared_evaluation(prepare(request), request, progress=progress)


def execute_prepared_evaluation(
    prepared: PreparedEvaluation, request: EvaluateRunRequest, *, progress: Progress | None = None
) -> RunOutcome:
    """Run what was prepared. Raises UserError, as :func:`run_evaluate` does."""
    folder, plan = RunFolder(request.out), prepared.plan
    _check_place(folder, plan, request)
    request = _with_earlier_ceiling(folder, request)
    index, count = request.shard
    with alone_in(folder, "run" if count == 1 else f"shard-{index}-of-{count}"):
        write_plan(folder, plan, request)
        return run_model_benchmark(prepared, request, progress=progress)


def run_model_benchmark(
    prepared: PreparedEvaluation, request: EvaluateRunRequest, *, progress: Progress | None = None
) -> RunOutcome:
    """Have the model answer what is planned and score its answers, in a folder that is held and planned.

    Raises:
        UserError: as :func:`run_evaluate` does.
    """
    results = ContractRunner(prepared, request).generate(progress=progress)
    if request.shard[1] > 1:  # scored when all shards are there
        return RunOutcome(Path(request.out), None, ())
    return ExistingResultsRunner(prepared, request).score(results, progress=progress)


def score_existing(
    request: EvaluateRunRequest, *, shards: int = 1, progress: Progress | None = None
) -> RunOutcome:
    """Score results that lie in a run's folder; nothing is generated.

    Raises:
        UserError: a planned sample has no result, or a declared shard no file.
    """
    folder = RunFolder(request.out)
    request = _with_earlier_ceiling(folder, request)
    model = _earlier_plan(folder).model  # whoever answered: the model itself need not be here any more
    prepared = prepare(request, model=model)
    with alone_in(folder):
        results = merged_results(folder, prepared.plan, shards=shards)
        write_plan(folder, prepared.plan, request)
        for result in results.values():
            write_script(folder, result)
        return ExistingResultsRunner(prepared, request).score(results, progress=progress)


class ContractRunner:
    """Generation by contract: requests in, results out, earlier results used again where they still
    answer.
    """

    def __init__(self, prepared: PreparedEvaluation, request: EvaluateRunRequest) -> None:
        self._plan, self._request = prepared.plan, request
        self._folder = RunFolder(request.out)

    def generate(self, *, progress: Progress | None = None) -> dict[str, GenerationResult]:
        """Results of this shard's samples. Raises UserError."""
        plan, request = self._plan, self._request
        samples = plan.shard(*request.shard)
        executor = make_executor(request.executor, workers=request.workers or waiting_workers(plan.model))
        self._folder.set_status("generation", "running", planned=len(samples))
        state = "interrupted"
        try:
            with Journal(self._folder.results(request.shard)) as journal:
                known = reusable(plan, samples, [journal.records])
                if request.retry_failed:
                    known = {name: result for name, result in known.items() if result.status == "ok"}
                for result in known.values():
                    if not self._folder.script(result.sample_id).is_file():
                        write_script(self._folder, result)
                results = generate_missing(
                    plan, samples, known, folder=self._folder, journal=journal, executor=executor,
                    limits=request.generation_limits, progress=progress,
                )  # fmt: skip
            state = "complete"
            return results
        finally:
            self._folder.set_status("generation", state, planned=len(samples))


class ExistingResultsRunner:
    """Scores results, however they came about, and writes everything that a run leaves."""

    def __init__(self, prepared: PreparedEvaluation, request: EvaluateRunRequest) -> None:
        self._prepared, self._request = prepared, request
        self._folder = RunFolder(request.out)

    def score(
        self, results: Mapping[str, GenerationResult], *, progress: Progress | None = None
    ) -> RunOutcome:
        """Scores, summary, scorecard and report. Raises UserError."""
        request, folder, plan = self._request, self._folder, self._prepared.plan
        ordered = [results[sample.sample_id] for sample in plan.samples]
        metrics = _evaluated(expanded(self._prepared.metrics, ordered), folder, plan, results)
        definitions(metrics)  # refuses two owners of one number before anything is computed
        executor = make_executor(request.executor, workers=request.workers)
        folder.set_status("scoring", "running")
        state = "interrupted"
        try:
            self._check_files()
            with Journal(folder.checkpoint) as journal:
                scores = score_results(
                    plan, results, metrics, journal=journal, executor=executor, limits=request.scoring_limits,
                    batch_size=request.metric_batch_size, progress=progress,
                )  # fmt: skip
            outcome = self._written(results, metrics, scores)
            state = "complete"
            return outcome
        finally:
            folder.set_status("scoring" if state != "complete" else "finished", state)

    def _check_files(self) -> None:
        """Raises UserError when a sample changed since it was planned: a model can write what it is shown."""
        plan = self._prepared.plan
        changed = changed_files(plan.samples, Path(plan.data_root))
        if changed:
            raise UserError(
                f"{len(changed)} file(s) of samples changed while the model ran",
                where=plan.data_root,
                got=", ".join(changed[:5]),
                hint="restore them and resume, or find out what the model writes",
            )

    def _written(
        self,
        results: Mapping[str, GenerationResult],
        metrics: Sequence[Metric],
        scores: Mapping[tuple[str, str], SampleScore],
    ) -> RunOutcome:
        folder, plan = self._folder, self._prepared.plan
        summary = aggregates(plan, metrics, scores)
        ordered = [
            scores[sample.sample_id, name].to_dict()
            for sample in plan.samples
            for name in summary
            if (sample.sample_id, name) in scores
        ]
        fidelity, reasons = run_fidelity(plan, metrics, results, pins=self._prepared.pins)
        card = build_scorecard(
            plan, results, summary, fidelity=fidelity, fidelity_reasons=reasons, at_most=self._request.at_most
        )
        rows = sample_rows(results, scores, [sample.sample_id for sample in plan.samples])
        folder.write_lines(folder.per_sample, ordered)
        folder.write_json(folder.summary, summary)
        folder.write_json(folder.scorecard, card)
        write_output(folder.markdown, run_markdown(card, rows, order=list(summary)))
        return RunOutcome(folder.root, card, rows)


def _evaluated(
    metrics: Sequence[Metric], folder: RunFolder, plan: RunPlan, results: Mapping[str, GenerationResult]
) -> tuple[Metric, ...]:
    """The metrics; an evaluator that sees all answers at once has been run over them."""
    return tuple(m.evaluated(folder, plan, results) if hasattr(m, "evaluated") else m for m in metrics)


def write_plan(folder: RunFolder, plan: RunPlan, request: EvaluateRunRequest) -> None:
    """Write the plan, all its requests and how to run it again; before anything is generated."""
    folder.write_json(folder.plan, {**plan.to_dict()})
    folder.write_lines(folder.requests, [dict(sample.request) for sample in plan.samples])
    folder.write_json(folder.root / COMMAND, rerun_settings(request))


def _with_earlier_ceiling(folder: RunFolder, request: EvaluateRunRequest) -> EvaluateRunRequest:
    """The request, its claim lowered to what an earlier attempt in this folder asked for: resuming cannot
    raise what was lowered.

    Raises:
        UserError: the earlier attempt's settings are damaged.
    """
    path = folder.root / COMMAND
    if not path.is_file():
        return request
    made = read_json(path, what="the run's command")
    earlier = made.get("at_most") if isinstance(made, dict) else None
    return replace(request, at_most=lower_claim(request.at_most, earlier))


def rerun_settings(request: EvaluateRunRequest) -> dict[str, Any]:
    """What ``fourdcb score`` needs to know of the request that made a run."""
    return {
        "model": request.model,
        "model_parameters": dict(request.model_parameters),
        "benchmark": _place(request.benchmark) if Path(request.benchmark).is_dir() else request.benchmark,
        "split": request.split,
        "samples": None if request.samples is None else list(request.samples),
        "metrics": None if request.metrics is None else [str(getattr(m, "id", m)) for m in request.metrics],
        "criteria": None if request.criteria is None else _place(request.criteria),
        "at_most": request.at_most,
        "benchmark_catalog": None if request.benchmark_catalog is None else _place(request.benchmark_catalog),
    }


def _place(path: str | Path) -> str:
    """A path that means the same from wherever the run is scored again."""
    return str(Path(path).resolve())


def merged_results(folder: RunFolder, plan: RunPlan, *, shards: int) -> dict[str, GenerationResult]:
    """Results of all shards.

    Raises:
        UserError: a declared shard has no file, or a planned sample no result.
    """
    files = [folder.results((k, shards)) for k in range(1, shards + 1)]
    absent = [file.name for file in files if not file.is_file()]
    if absent:
        raise UserError(
            "a declared shard has no results", where=str(folder.root), got=", ".join(absent) + " missing"
        )
    found = reusable(plan, plan.samples, [read_journal(file).records for file in files])
    missing = [sample.sample_id for sample in plan.samples if sample.sample_id not in found]
    if missing:
        raise UserError(
            f"{len(missing)} planned sample(s) have no result",
            where=str(folder.root),
            got=", ".join(missing[:5]),
            hint="run the shards to their end; results for another plan do not count",
        )  # fmt: skip
    return found


def _check_place(folder: RunFolder, plan: RunPlan, request: EvaluateRunRequest) -> None:
    """Refuse a folder that holds something else."""
    if not folder.root.exists():
        return
    if not folder.root.is_dir():
        raise UserError("a file stands where the run's folder should be", where=str(folder.root))
    if not folder.plan.is_file():
        strangers = [p.name for p in folder.root.iterdir() if not p.name.startswith(".")]
        if strangers:
            raise UserError(
                "the folder holds something else",
                where=str(folder.root),
                got=", ".join(sorted(strangers)[:5]),
                hint="choose an empty or new folder with --out",
            )  # fmt: skip
        return
    if not any(file.stat().st_size for file in folder.journals()):
        return  # an attempt that ended before the first answer: nothing is lost
    earlier = _earlier_plan(folder)
    if earlier.benchmark["id"] != plan.benchmark["id"]:
        raise UserError(
            "the folder holds the run of another benchmark", where=str(folder.root),
            got=str(earlier.benchmark["id"]), expected=str(plan.benchmark["id"]),
            hint="choose another folder with --out",
        )  # fmt: skip
    if (earlier.model.id, earlier.model.target) != (plan.model.id, plan.model.target):
        raise UserError(
            "the folder holds the run of another model", where=str(folder.root), got=earlier.model.id,
            expected=plan.model.id, hint="choose another folder with --out",
        )  # fmt: skip
    if not request.resume and request.shard[1] == 1:
        raise UserError(
            "the folder holds a run already", where=str(folder.root), hint="add --resume to take it up"
        )


def _earlier_plan(folder: RunFolder) -> RunPlan:
    """The plan that lies in a folder. Raises UserError when it is missing, damaged or of another version."""
    value = read_json(folder.plan, what="the plan")
    try:
        return RunPlan.from_dict(value)
    except UserError as error:
        raise UserError(
            "the plan cannot be used", where=str(folder.plan), got=f"{error.what}: {error.got}",
            expected=error.expected,
            hint="another version of 4DCodeBench may have written it; choose another folder",
        ) from error  # fmt: skip

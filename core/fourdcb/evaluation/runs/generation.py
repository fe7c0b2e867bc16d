"""Has a model answer the planned requests; every answer is on the disk before the next one counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, WorldModelRunner
from fourdcb.evaluation.api.generation import GenerationStatus
from fourdcb.evaluation.runs.folder import RunFolder
from fourdcb.evaluation.runs.plan import ModelEntry, PlannedSample, RunPlan
from fourdcb.identity import encodable
from fourdcb.progress import NullProgress, Progress
from fourdcb.work import Executor, Limits, Outcome
from fourdcb.work.journal import Journal

_STATUS: dict[str, GenerationStatus] = {
    "failed": "failed", "timeout": "timeout", "out_of_memory": "out_of_memory", "crashed": "crashed",
}  # fmt: skip


@dataclass
class GenerationWork:
    """Loads a runner in a worker process and asks it."""

    entry: ModelEntry

    def open(self) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """Load the runner. Raises UserError when it cannot be."""
        from fourdcb.evaluation.resolver import resolve_runner

        self._runner: WorldModelRunner = resolve_runner(self.entry)
        return self._generate

    def close(self) -> None:
        """Have the runner give back what it holds."""
        self._runner.cleanup()

    def _generate(self, request: dict[str, Any]) -> dict[str, Any]:
        asked = GenerationRequest.from_dict(request)
        result = self._runner.generate(asked)
        if not isinstance(result, GenerationResult) or result.sample_id != asked.sample_id:
            raise TypeError(f"the runner gave no result for the sample {asked.sample_id!r}")
        return result.to_dict()


def reusable(
    plan: RunPlan, samples: Sequence[PlannedSample], journals: Sequence[Sequence[Mapping[str, Any]]]
) -> dict[str, GenerationResult]:
    """Results of earlier attempts that still answer what is planned; the latest of each sample counts.

    Failures are answers, too: they are not asked for again, or a resumed run would have more tries than
        another.
    """
    keys = {sample.sample_id: plan.request_key(sample) for sample in samples}
    found: dict[str, GenerationResult] = {}
    for records in journals:
        for row in records:
            if keys.get(str(row.get("sample_id"))) == row.get("key"):
                result = GenerationResult.from_dict(row["result"])
                found[result.sample_id] = result
    return found


def generate_missing(
    plan: RunPlan,
    samples: Sequence[PlannedSample],
    known: Mapping[str, GenerationResult],
    *,
    folder: RunFolder,
    journal: Journal,
    executor: Executor,
    limits: Limits,
    progress: Progress | None = None,
) -> dict[str, GenerationResult]:
    """Results of all samples; those that are not known yet are generated now.

    A runner is loaded only where something is missing.

    Raises:
        UserError: the runner cannot be loaded, or the disk does not take the results.
    """
    results = dict(known)
    missing = {s.sample_id: s for s in samples if s.sample_id not in known}
    told = progress or NullProgress()
    told.start("generating", len(missing))
    if not missing:
        return results
    payloads = ((name, plan.request(sample).to_dict()) for name, sample in missing.items())
    for outcome in executor.run(GenerationWork(plan.model), payloads, limits=limits):
        result = _result(outcome)
        journal.append(
            [
                {
                    "key": plan.request_key(missing[outcome.key]),
                    "sample_id": outcome.key,
                    "result": result.to_dict(),
                }
            ]
        )
        write_script(folder, result)
        results[outcome.key] = result
        told.advance()
    return results


def write_script(folder: RunFolder, result: GenerationResult) -> None:
    """The sample's script as a file, for people and other tools; the journal is what counts."""
    if "script" in result.artifacts:
        path = folder.script(result.sample_id)
        folder.make(path.parent)
        try:
            path.write_text(result.artifacts["script"], encoding="utf-8")
        except OSError as error:
            raise UserError("the script cannot be written", where=str(path), got=error.strerror) from error


def _result(outcome: Outcome) -> GenerationResult:
    timings = {"generate_s": round(outcome.seconds, 3)}
    if outcome.status == "ok":
        result = GenerationResult.from_dict(encodable(outcome.value))
        return result.with_fields(timings={**result.timings, **timings})
    metadata = {"output": outcome.output[-2000:]} if outcome.output else {}  # decoded, so encodable
    return GenerationResult(
        sample_id=outcome.key,
        status=_STATUS[outcome.status],
        error=encodable((outcome.error or "")[:1000]),
        timings=timings,
        metadata=metadata,
    )

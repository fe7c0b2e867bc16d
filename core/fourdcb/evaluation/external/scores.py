"""The numbers of an external evaluator as a metric of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import Aggregate, GenerationRequest, GenerationResult, SampleScore
from fourdcb.evaluation.api.metric import Direction
from fourdcb.evaluation.external.manifest import EvaluatorSpec, ManifestBenchmarkRunner
from fourdcb.evaluation.external.normalizers import normalized
from fourdcb.evaluation.runs.folder import RunFolder
from fourdcb.evaluation.runs.plan import RunPlan
from fourdcb.evaluation.statistics import aggregate_mean


@dataclass(frozen=True, kw_only=True)
class ExternalScores:
    """Looks up what an evaluator said of a sample; it is run once, by :meth:`evaluated`.

    Attributes:
        spec: the evaluator.
        numbers: by sample, once it was run.
        failure: why there are none.
    """

    spec: EvaluatorSpec
    numbers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failure: str | None = None

    id = "external"
    version = "1"
    direction = None
    # An evaluator may rank answers among one another: a number that is known may change with another answer.
    depends_on_all = True

    @property
    def outputs(self) -> Mapping[str, Direction | None]:
        """The declared numbers."""
        return dict(self.spec.numbers)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Command, normalizer and the hashes of its files."""
        return self.spec.meaning

    def evaluated(
        self, folder: RunFolder, plan: RunPlan, results: Mapping[str, GenerationResult]
    ) -> ExternalScores:
        """The same metric with its numbers; a failure is kept and told with every sample's score."""
        try:
            raw = ManifestBenchmarkRunner(self.spec, folder).run(plan, results)
            numbers = normalized(
                raw,
                by=self.spec.normalizer,
                samples=[sample.sample_id for sample in plan.samples],
                numbers=list(self.spec.numbers),
                where=str(folder.root / "external" / "raw"),
            )
        except UserError as error:
            return replace(self, failure=str(error))
        return replace(self, numbers=numbers)

    def compute_sample(self, request: GenerationRequest, result: GenerationResult) -> Mapping[str, Any]:
        """What the evaluator said of a sample. Raises UserError when it failed."""
        if self.failure is not None:
            raise UserError(self.failure)
        return self.numbers.get(request.sample_id, {})

    def aggregate(self, scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
        """The mean over the samples that have a number."""
        return aggregate_mean(scores, groups)

"""Metrics that need no judge: whether there is an answer, and numbers that a runner told itself."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import Aggregate, GenerationRequest, GenerationResult, Metric, SampleScore
from fourdcb.evaluation.api.metric import Direction
from fourdcb.evaluation.judge_metric import JudgeMetric
from fourdcb.evaluation.statistics import aggregate_mean

NUMERIC = "numeric"


@dataclass(frozen=True)
class GenerationSuccess:
    """1 where the model answered, 0 where it failed; the only metric that scores failures."""

    id = "generation_success"
    version = "1"
    direction: Direction = "higher"
    scores_failures = True

    @property
    def parameters(self) -> Mapping[str, Any]:
        """None."""
        return {}

    def compute_sample(self, request: GenerationRequest, result: GenerationResult) -> float:
        """1 or 0."""
        return float(result.status == "ok")

    def aggregate(self, scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
        """The share of answers."""
        return aggregate_mean(scores, groups, share=True)


@dataclass(frozen=True)
class NumericField:
    """A number that results carry in their metadata, as ``metadata.extra`` first and ``metadata`` then.

    Attributes:
        name: of the field.
        direction: None unless somebody says so; nothing is guessed.
    """

    name: str
    direction: Direction | None = None

    version = "1"

    @property
    def id(self) -> str:
        """``numeric:NAME``."""
        return f"{NUMERIC}:{self.name}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Name of the field."""
        return {"field": self.name}

    def compute_sample(self, request: GenerationRequest, result: GenerationResult) -> float | None:
        """The field's number, or None."""
        return numeric_fields(result).get(self.name)

    def aggregate(self, scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
        """Its mean."""
        return aggregate_mean(scores, groups)


@dataclass(frozen=True)
class NumericWildcard:
    """All numbers that the aligned results of one run hold; expanded anew for each run."""

    id = NUMERIC
    version = "1"
    direction: Direction | None = None

    @property
    def outputs(self) -> Mapping[str, Direction | None]:
        """Nothing is known before there are results."""
        return {}

    @property
    def parameters(self) -> Mapping[str, Any]:
        """None."""
        return {}

    def expand(self, results: Sequence[GenerationResult]) -> tuple[Metric, ...]:
        """One metric for each number of any successful result, by name."""
        names = {name for result in results if result.status == "ok" for name in numeric_fields(result)}
        return tuple(NumericField(name) for name in sorted(names))

    def compute_sample(
        self, request: GenerationRequest, result: GenerationResult
    ) -> Mapping[str, float | None]:
        """Not called: the expansion is."""
        raise TypeError("the wildcard is expanded before anything is computed")

    def aggregate(self, scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
        """Not called: the expansion's is."""
        raise TypeError("the wildcard is expanded before anything is aggregated")


def numeric_fields(result: GenerationResult) -> dict[str, float]:
    """Finite real numbers of a result's metadata; ``extra`` wins over the top level. Truth values are no
    numbers.
    """
    extra = result.metadata.get("extra", {})
    fields = {**result.metadata, **(extra if isinstance(extra, Mapping) else {})}
    return {
        str(name): float(value)
        for name, value in fields.items()
        if isinstance(value, numbers.Real) and not isinstance(value, bool) and _is_finite(value)
    }


def _is_finite(value: numbers.Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond what a float holds
        return False


def resolve_metric(name: str | Metric, *, judge: JudgeMetric, external: Metric | None = None) -> Metric:
    """A metric by its id, or the object itself.

    Args:
        name: ``judge``, ``generation_success``, ``external``, ``numeric``, ``numeric:FIELD``,
            ``module:name``, or a metric.
        judge: the judge with the files of this run.
        external: the numbers of the benchmark's own evaluator, where it has one.

    Raises:
        UserError: there is no such metric.
    """
    if not isinstance(name, str):
        return name
    if name == judge.id:
        return judge
    if external is not None and name == external.id:
        return external
    if name == GenerationSuccess.id:
        return GenerationSuccess()
    if name == NUMERIC:
        return NumericWildcard()
    if name.startswith(NUMERIC + ":"):
        return NumericField(name.partition(":")[2])
    if ":" in name:
        from fourdcb.evaluation.resolver import load_attribute

        found = load_attribute(name, what="metric")
        try:
            return _checked(found() if isinstance(found, type) else found, name)
        except TypeError as error:
            raise UserError(
                f"the metric {name!r} cannot be made without arguments", got=str(error)
            ) from error
    raise UserError(
        f"there is no metric {name!r}",
        expected="judge, generation_success, numeric, numeric:FIELD or module:name"
        + ("" if external is None else f", or {external.id}"),
    )


def _checked(metric: Any, name: str) -> Metric:
    """The metric. Raises UserError when it lacks a part of one."""
    parts = ("id", "version", "direction", "parameters", "compute_sample", "aggregate")
    absent = [part for part in parts if not hasattr(metric, part)]
    if absent:
        raise UserError(
            f"{name!r} is no metric", got="without " + ", ".join(absent), expected=", ".join(parts)
        )
    if isinstance(metric, JudgeMetric):
        raise UserError("the judge is the run's own", got=repr(name), hint="ask for it by its name: judge")
    found: Metric = metric
    return found

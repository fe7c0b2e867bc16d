"""What a metric is: it scores a sample, and it says what many scores amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from fourdcb.evaluation.api.generation import GenerationRequest, GenerationResult
from fourdcb.evaluation.api.records import Record

Direction = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDefinition(Record):
    """Everything that makes two numbers comparable.

    Attributes:
        id: of the number.
        owner: id of the metric that computes it; one metric may give several numbers.
        implementation: ``module:name`` of the owner's code.
        version: of the owner; None means that nobody vouches for it, and it is computed anew on each resume.
        direction: whether more is better; None where nobody said so.
        unit: of the number.
        parameters: settings of the owner.
    """

    id: str
    owner: str
    implementation: str
    version: str | None = None
    direction: Direction | None = None
    unit: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleScore(Record):
    """One number of one sample.

    Attributes:
        sample_id, metric_id: what was scored by what.
        value: None when there is no number.
        status: ``ok``; ``skipped`` when the sample has nothing to score; ``not_applicable`` when the
            metric says
            nothing about such a sample; ``invalid`` when the metric failed.
        reason: short code of a missing value, such as ``generation_failed`` or ``metric_not_returned``.
        detail: further JSON-safe figures.
    """

    sample_id: str
    metric_id: str
    value: float | None = None
    status: Literal["ok", "skipped", "not_applicable", "invalid"] = "ok"
    reason: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(Record):
    """What the samples' numbers amount to.

    Attributes:
        value: None when no sample has a number.
        low, high: interval at ``confidence``, or None where there are too few groups for one.
        std: standard deviation of the samples, or None below two.
        count: samples with a number.
        total: samples in the denominator: all that were planned, less those without application.
        skipped: samples in the denominator without a number.
        groups: independent groups behind the interval.
        confidence: nominal coverage.
        method: how the interval was made.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    std: float | None = None
    count: int = 0
    total: int = 0
    skipped: int = 0
    groups: int = 0
    confidence: float = 0.95
    method: str = ""


class Metric(Protocol):
    """Scores samples. Must be picklable: it is computed in worker processes."""

    @property
    def id(self) -> str:
        """Names the metric; no other metric of a run may have it."""

    @property
    def version(self) -> str | None:
        """Changes with the meaning of the numbers; None: computed anew on each resume."""

    @property
    def direction(self) -> Direction | None:
        """Whether more is better; of the number that bears the metric's own id."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Settings that the numbers depend on, JSON-safe."""

    def compute_sample(
        self, request: GenerationRequest, result: GenerationResult
    ) -> float | Mapping[str, float | None] | Sequence[SampleScore] | None:
        """Number(s) of a sample that was generated: one, several by id, or whole scores."""

    def aggregate(self, scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
        """What the scores of one id amount to; ``groups`` names the group of each sample."""

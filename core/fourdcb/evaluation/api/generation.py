"""What a model is asked, what it answers, and the least that a model has to be able to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, Self, runtime_checkable

from fourdcb.evaluation.api.records import Record

GenerationStatus = Literal["ok", "failed", "timeout", "out_of_memory", "crashed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest(Record):
    """One question to a model.

    Attributes:
        sample_id: names the sample within its benchmark.
        task_name: which task the sample belongs to.
        inputs: what the model may see, by key: ``video`` is a path, ``camera`` a JSON value …
        controls: how to answer: seed, limits, sampling.
        output_schema: what is expected, by artifact: ``{"script": "world-script"}``.
    """

    FORMAT: ClassVar[str] = "fourdcb.generation_request"

    sample_id: str
    task_name: str
    inputs: Mapping[str, Any]
    controls: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationResult(Record):
    """One answer of a model.

    Attributes:
        sample_id: of the request.
        status: ``ok`` when the artifacts are there; anything else is a failed generation.
        artifacts: by name; ``script`` is the text of the world script, files are given by their path.
        error: one sentence when status is not ``ok``.
        timings: wall-clock seconds by stage; provenance, never part of a score.
        metadata: anything else that the runner tells, ``extra`` among it.
    """

    FORMAT: ClassVar[str] = "fourdcb.generation_result"

    sample_id: str
    status: GenerationStatus
    artifacts: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class WorldModelRunner(Protocol):
    """A model, ready to answer. ``parameters`` is everything that its answers depend on, JSON-safe."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A runner of these settings. Raises UserError for settings that it does not know."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Settings that decide whether an earlier answer may be used again."""

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """Answer one request. What it raises costs this sample only."""

    def cleanup(self) -> None:
        """Give back what the model holds."""

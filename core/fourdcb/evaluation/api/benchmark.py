"""What a benchmark is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from fourdcb.evaluation.api.records import Record

# How far it was shown that runs of a benchmark here mean what its authors mean: nothing, some bounded part of
# the suite, or the whole suite.
Evidence = Literal["none", "bounded", "full_suite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec(Record):
    """One kind of question.

    Attributes:
        name: of the task.
        input_keys: what a request of it holds.
        output_schema: what an answer of it holds.
    """

    name: str
    input_keys: tuple[str, ...] = ("video",)
    output_schema: Mapping[str, str] = field(default_factory=lambda: {"script": "world-script"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSpec(Record):
    """A set of samples and how they are scored.

    Attributes:
        id, revision: name the definition.
        tasks: kinds of questions.
        metrics: ids of the metrics that belong to it.
        splits: sample ids by split; empty where the data decides.
        tags: free words for filters.
        evidence: how far its results here are proven to be the benchmark's own.
        dataset: where the data lies and what it is, JSON-safe.
    """

    FORMAT: ClassVar[str] = "fourdcb.benchmark"

    id: str
    revision: str
    tasks: tuple[TaskSpec, ...]
    metrics: tuple[str, ...]
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    evidence: Evidence = "none"
    dataset: Mapping[str, Any] = field(default_factory=dict)

"""What a run will do, fixed before anything is generated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, MetricDefinition, Record
from fourdcb.identity import content_hash

# Every field of a plan is in exactly one of these; a test holds that. What decides neither answers nor scores
# stays out, so that the fingerprint of a plan is the same on every machine and wherever its files lie.
IN_FINGERPRINT = ("benchmark", "model", "samples", "split", "metrics", "criteria", "complete")
NOT_IN_FINGERPRINT = ("data_root",)
# Of a sample: its request without the places where its files lie, which differ from machine to machine.
SAMPLE_IN_FINGERPRINT = ("sample_id", "task", "group", "request", "hashes")
SAMPLE_NOT_IN_FINGERPRINT = ("video", "reference")
# Settings of a runner that only say where files lie whose hashes are known.
MODEL_PLACES = {"scripts": ("folder",), "torch": ("weights",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry(Record):
    """Which model answers.

    Attributes:
        id: as it was asked for.
        target: the runner, as ``module:Class`` or by its built-in name.
        parameters: settings of the runner, JSON-safe.
        files: SHA-256 of the files that its answers come from, as far as they are known; a changed file is
            another model.
        provenance: what a catalog says of it; never used to run it.
    """

    id: str
    target: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSample(Record):
    """One sample of a run.

    Attributes:
        sample_id: names it.
        task: of the benchmark.
        group: samples of one group resemble one another; intervals count groups.
        request: JSON of its :class:`GenerationRequest`, with paths relative to the plan's ``data_root``.
        hashes: SHA-256 of every file that it is made of, by role (``video``, ``reference``).
        video, reference: paths relative to ``data_root``; no reference where only pictures can be compared.
    """

    sample_id: str
    task: str
    group: str
    request: Mapping[str, Any]
    hashes: Mapping[str, str]
    video: str
    reference: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan(Record):
    """A run, whole.

    Attributes:
        benchmark: its id, revision, evidence and SHA-256 of its definition.
        model: who answers.
        samples: in the order of the scorecard.
        split: which part of the benchmark.
        metrics: definitions of all numbers.
        criteria: id, version and SHA-256 of the thresholds.
        complete: whether the samples are all of the split.
        data_root: folder that the samples' paths are relative to.
    """

    FORMAT: ClassVar[str] = "fourdcb.run_plan"

    benchmark: Mapping[str, Any]
    model: ModelEntry
    samples: tuple[PlannedSample, ...]
    split: str
    metrics: tuple[MetricDefinition, ...]
    criteria: Mapping[str, Any]
    complete: bool
    data_root: str

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that decides answers and scores; the same on every machine."""
        body = self.to_dict()
        kept = {name: body[name] for name in IN_FINGERPRINT}
        kept["model"] = {"id": self.model.id, **self._answering()}
        kept["samples"] = [
            {name: sample[name] for name in SAMPLE_IN_FINGERPRINT} for sample in body["samples"]
        ]
        return content_hash({"format": self.FORMAT, "version": self.VERSION, **kept})

    @property
    def groups(self) -> dict[str, str]:
        """Group of each sample."""
        return {sample.sample_id: sample.group for sample in self.samples}

    def request(self, sample: PlannedSample) -> GenerationRequest:
        """A sample's request with paths as they are on this machine."""
        import os

        request = GenerationRequest.from_dict(sample.request)
        inputs = dict(request.inputs)
        if "video" in inputs:
            inputs["video"] = os.path.join(self.data_root, str(inputs["video"]))
        return request.with_fields(inputs=inputs)

    def request_key(self, sample: PlannedSample) -> str:
        """SHA-256 of what a sample's answer depends on: question, files, model and its settings."""
        return content_hash(
            {
                "request": sample.request,
                "video": sample.hashes.get("video"),
                **self._answering(),
            }
        )

    def _answering(self) -> dict[str, Any]:
        """What of the model decides its answers; files count where any are known."""
        model = self.model.to_dict()
        if not self.model.files:
            return {name: model[name] for name in ("target", "parameters")}
        places = MODEL_PLACES.get(self.model.target, ())
        settings = {name: value for name, value in model["parameters"].items() if name not in places}
        return {"target": model["target"], "parameters": settings, "files": model["files"]}

    def score_key(self, sample: PlannedSample) -> str:
        """SHA-256 of what a sample's scores depend on besides answer and metric: its files and thresholds."""
        return content_hash({"request": sample.request, "hashes": sample.hashes, "criteria": self.criteria})

    def shard(self, index: int, count: int) -> tuple[PlannedSample, ...]:
        """Samples of shard ``index`` (from 1) of ``count``, spread evenly; a shard may be empty.

        Raises:
            UserError: no such shard.
        """
        if not 1 <= index <= count:
            raise UserError("there is no such shard", got=f"{index}/{count}", expected="I/N with 1 <= I <= N")
        return self.samples[index - 1 :: count]


def check_unique(samples: tuple[PlannedSample, ...]) -> None:
    """Raises UserError when two samples have one id."""
    seen: set[str] = set()
    for sample in samples:
        if sample.sample_id in seen:
            raise UserError("two samples have the same id", got=sample.sample_id)
        seen.add(sample.sample_id)

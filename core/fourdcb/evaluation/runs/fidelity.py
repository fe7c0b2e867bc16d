"""How faithful a run is, found out from hashes, never asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fourdcb.evaluation.api import Fidelity, GenerationResult, Metric, RunFidelity
from fourdcb.evaluation.catalog.samples import Pins
from fourdcb.evaluation.judge_metric import JudgeMetric
from fourdcb.evaluation.runs.plan import RunPlan


def run_fidelity(
    plan: RunPlan,
    metrics: Sequence[Metric],
    results: Mapping[str, GenerationResult],
    *,
    pins: Pins | None,
) -> tuple[RunFidelity, tuple[str, ...]]:
    """Fidelity of every part of a run, and a reason for each part that is custom.

    Args:
        plan: of the run.
        metrics: that it was scored with.
        results: of its samples.
        pins: what the benchmark's lock says; None for data that nobody pinned.
    """
    reasons: list[str] = []

    def custom(*why: str) -> Fidelity:
        reasons.extend(why)
        return "custom"

    if pins is None:
        data = reference = custom("the data is pinned by no benchmark")
    else:
        changed = sorted({*_changed(plan, pins, "video"), *_changed(plan, pins, "camera")})
        absent = sorted(set(pins.samples) - {sample.sample_id for sample in plan.samples})
        data = "locked"
        if changed:
            data = custom(f"the video or camera of {_some(changed)} is not the benchmark's")
        if absent or not plan.complete:
            data = custom(f"the set is partial: {_some(absent)} left out")
        edited = _changed(plan, pins, "reference")
        reference = custom(f"the truth of {_some(edited)} is not the benchmark's") if edited else "locked"
    evaluation: Fidelity = "official"
    if pins is not None and plan.criteria.get("sha256") != pins.criteria:
        evaluation = custom("the criteria are not the benchmark's")
    elif not any(type(metric) is JudgeMetric and metric.parameters == plan.criteria for metric in metrics):
        evaluation = custom("the benchmark's own judge was not run")
    generation: Fidelity = "locked" if plan.model.provenance.get("revision") else "official"
    if plan.model.target == "scripts":
        generation = "official"  # made elsewhere: nothing shows how, nothing says otherwise
    return (
        RunFidelity(
            generation=generation, data=data, evaluation=evaluation, runtime="official", reference=reference
        ),
        tuple(reasons),
    )


def _changed(plan: RunPlan, pins: Pins, role: str) -> list[str]:
    none: Mapping[str, Any] = {}
    return [
        sample.sample_id
        for sample in plan.samples
        if sample.hashes.get(role) != pins.samples.get(sample.sample_id, none).get(role)
    ]


def _some(names: Sequence[str]) -> str:
    told = ", ".join(names[:3])
    return told if len(names) <= 3 else f"{told} and {len(names) - 3} more"

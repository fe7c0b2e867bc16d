"""Which metric owns which number, and what makes two numbers comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationResult, Metric, MetricDefinition
from fourdcb.evaluation.api.metric import Direction
from fourdcb.identity import jsonable


def outputs_of(metric: Metric) -> Mapping[str, Direction | None]:
    """Numbers that a metric declares, with their direction; a metric that declares none gives one of its
    own id.
    """
    declared = getattr(metric, "outputs", None)
    return dict(declared) if declared is not None else {metric.id: metric.direction}


def implementation_of(metric: Metric) -> str:
    """``module:name`` of a metric's code."""
    kind = type(metric)
    return f"{kind.__module__}:{kind.__qualname__}"


def definitions(metrics: Sequence[Metric]) -> tuple[MetricDefinition, ...]:
    """One definition for each declared number, in order.

    Raises:
        UserError: a number has two owners.
    """
    found: dict[str, MetricDefinition] = {}
    owners: set[str] = set()
    for metric in metrics:
        if metric.id in owners:
            raise UserError(f"the metric {metric.id!r} is given twice")
        owners.add(metric.id)
        for name, direction in outputs_of(metric).items():
            if name in found:
                raise UserError(
                    f"the number {name!r} has two owners", got=f"{found[name].owner!r} and {metric.id!r}",
                    hint="leave one of the two metrics out",
                )  # fmt: skip
            found[name] = MetricDefinition(
                id=name,
                owner=metric.id,
                implementation=implementation_of(metric),
                version=metric.version,
                direction=direction,
                unit=str(getattr(metric, "units", {}).get(name, "")),
                parameters=jsonable(dict(metric.parameters)),
            )
    return tuple(found.values())


def definition_key(metric: Metric) -> dict[str, Any]:
    """Everything of a metric that its scores depend on, JSON-safe."""
    return {
        "owner": metric.id,
        "implementation": implementation_of(metric),
        "version": metric.version,
        "parameters": jsonable(dict(metric.parameters)),
    }


def owner_key(definition: MetricDefinition) -> dict[str, Any]:
    """The same as :func:`definition_key`, from a plan: the metric itself need not be here any more."""
    return {
        "owner": definition.owner,
        "implementation": definition.implementation,
        "version": definition.version,
        "parameters": jsonable(dict(definition.parameters)),
    }


def expanded(metrics: Sequence[Metric], results: Sequence[GenerationResult]) -> tuple[Metric, ...]:
    """The metrics with every ``numeric`` wildcard replaced by the numbers that the results really hold."""
    return tuple(
        m for metric in metrics for m in (metric.expand(results) if hasattr(metric, "expand") else (metric,))
    )

"""Metrics measured as their rows say."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from fourdcb.metrics.comparison import Comparison
from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.result import Axis, MetricValue
from fourdcb.metrics.specs import MetricSpec, specs_of

MetricFunction = Callable[[Comparison, Criteria], MetricValue]


def function_of(spec: MetricSpec) -> MetricFunction:
    """What measures a metric. Raises ImportError or AttributeError where a row names nothing."""
    module, _, name = spec.function.partition(":")
    found: MetricFunction = getattr(import_module(f"fourdcb.metrics.{module}"), name)
    return found


def measured(axis: Axis, c: Comparison, criteria: Criteria, *, undrawn: str) -> dict[str, MetricValue]:
    """The metrics of an axis in their order, without those that are measured elsewhere.

    Args:
        undrawn: why what needs pictures was skipped, where the comparison has none.
    """
    return {
        spec.id: (
            criteria.unmeasured(spec.id, "skipped", undrawn)
            if spec.drawn and c.appearance is None
            else function_of(spec)(c, criteria)
        )
        for spec in specs_of(axis)
        if spec.function
    }

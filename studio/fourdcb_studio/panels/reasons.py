"""Why a verdict is what it is: every metric with its value, its limit and what there is to say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fourdcb.metrics.result import AXES, Axis, AxisResult, MetricValue, Report
from fourdcb.report.wording import metric_threshold, metric_value
from fourdcb.words import metric_title, status_title


@dataclass(frozen=True, slots=True)
class Reason:
    """One metric: whether it passes, and why it has no value or does not count, where that is so."""

    passed: bool | None
    title: str
    value: str
    limit: str
    note: str


def reasons_of(report: Report) -> Iterator[tuple[Axis, bool | None, tuple[Reason, ...]]]:
    """Every axis with its metrics, in the fixed order."""
    for axis in AXES:
        result = report.axes.get(axis)
        if result is not None:
            yield axis, result.passed, tuple(_reason(n, m) for n, m in result.metrics.items())


def why_open(result: AxisResult) -> tuple[str, ...]:
    """Why an axis is neither passed nor failed: the reasons of its metrics without a value, each once."""
    return tuple(dict.fromkeys(note for m in result.metrics.values() if (note := _note(m))))


def _reason(name: str, metric: MetricValue) -> Reason:
    return Reason(
        metric.passed,
        metric_title(name),
        metric_value(name, metric),
        metric_threshold(name, metric),
        _note(metric),
    )


def _note(metric: MetricValue) -> str:
    """What the figure itself does not say; "" where it says all."""
    if metric.value is not None and metric.threshold is not None and metric.passed is None:
        return metric.reason or status_title("not_judged_here")
    if metric.value is None and metric.passed is not False:
        return metric.reason or status_title(metric.status)
    return metric.reason or ""

"""Figures of one judgement beside those of another: what became better, what worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fourdcb.metrics.result import AXES, Axis, MetricValue, Report
from fourdcb.report.wording import metric_threshold, metric_value
from fourdcb.words import metric_title, status_title

Change = Literal["better", "worse", "same", "unknown"]
_NOTICED = 1e-9  # relative; less is the noise of sums


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric before and after.

    Attributes:
        before, after: values in words, with their unit.
        limit: the threshold in words, "" for none.
        passed_before, passed: whether each meets it.
        change: whether the value moved to its better side; ``unknown`` where one is not measured.
    """

    title: str
    before: str
    after: str
    limit: str
    passed_before: bool | None
    passed: bool | None
    change: Change


def figures(before: Report | None, after: Report | None) -> Iterator[tuple[Axis, tuple[Figure, ...]]]:
    """Every axis with its metrics, in the fixed order; a metric that one of both lacks has "–" there."""
    for axis in AXES:
        of = [{} if r is None or axis not in r.axes else dict(r.axes[axis].metrics) for r in (before, after)]
        names = dict.fromkeys((*of[1], *of[0]))
        if names:
            yield axis, tuple(_figure(name, of[0].get(name), of[1].get(name)) for name in names)


def _figure(name: str, before: MetricValue | None, after: MetricValue | None) -> Figure:
    known = after or before
    assert known is not None
    return Figure(
        metric_title(name),
        _said(name, before),
        _said(name, after),
        metric_threshold(name, known),
        None if before is None else before.passed,
        None if after is None else after.passed,
        _change(before, after),
    )


def _said(name: str, metric: MetricValue | None) -> str:
    if metric is None:
        return "–"
    return metric_value(name, metric) if metric.value is not None else status_title(metric.status)


def _change(before: MetricValue | None, after: MetricValue | None) -> Change:
    if before is None or after is None or before.value is None or after.value is None:
        return "unknown"
    gain = after.value - before.value
    if abs(gain) <= _NOTICED * max(abs(after.value), abs(before.value)):
        return "same"
    return "better" if (gain < 0) == (after.direction == "below") else "worse"

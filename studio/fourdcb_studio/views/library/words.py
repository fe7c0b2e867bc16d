"""How facets, their values and orders are called on screen."""

from __future__ import annotations

from collections.abc import Mapping

from fourdcb.library import CaseEntry
from fourdcb.library.summary import AxisSummary
from fourdcb.metrics.result import AXES, MetricValue
from fourdcb.report.wording import metric_threshold, metric_value
from fourdcb.words import axis_title, metric_title, tr

FACET_TITLES = {
    "verdict": tr("Verdict"),
    "axis": tr("Failed axis"),
    "kind": tr("Finding"),
    "severity": tr("Severity"),
    "template": tr("Template"),
    "scene": tr("Scene"),
    "candidate": tr("Candidate"),
    "object": tr("Object"),
    "tag": tr("Tag"),
}
SORT_TITLES: Mapping[str, str] = {
    "severity": tr("Worst first"),
    "date": tr("Newest first"),
    "title": tr("By title"),
    **{str(axis): axis_title(axis) for axis in AXES},
}
_VALUE_TITLES: Mapping[str, Mapping[str, str]] = {
    "verdict": {
        "not_deployable": tr("Not deployable"),
        "inconclusive": tr("Inconclusive"),
        "deployable": tr("Deployable"),
        "unreadable": tr("Unreadable"),
    },
    "axis": {str(axis): axis_title(axis) for axis in AXES},
    "severity": {"error": tr("Error"), "warning": tr("Warning"), "info": tr("Remark")},
}


def value_title(facet: str, value: str) -> str:
    """A value of a facet for people; names of scenes, candidates and tags stay as they are."""
    if facet in _VALUE_TITLES:
        return _VALUE_TITLES[facet].get(value, value)
    return tr(value.replace("_", " ")) if facet == "kind" else value


def verdict_title(entry: CaseEntry) -> str:
    """The verdict of a case for people."""
    return value_title("verdict", entry.verdict)


def axis_figures(axis: AxisSummary) -> tuple[str, str, str]:
    """(metric, its value, its threshold) of an axis; empty words when nothing was measured."""
    if axis.value is None or axis.threshold is None:
        return "", "", ""
    above = (axis.value > axis.threshold) == (axis.badness < 1.0)
    metric = MetricValue(
        value=axis.value,
        unit=axis.unit,
        threshold=axis.threshold,
        direction="above" if above else "below",
        passed=axis.passed,
    )
    shown = metric_value(axis.metric, metric), metric_threshold(axis.metric, metric)
    return (metric_title(axis.metric), *shown)

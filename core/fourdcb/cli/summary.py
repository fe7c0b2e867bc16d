"""A report in a few lines of text: one an axis, what went wrong and why, the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from fourdcb.metrics.result import AXES
from fourdcb.metrics.specs import metric_symbol
from fourdcb.report.wording import metric_quantity, metric_threshold, metric_value, relative_to_size
from fourdcb.words import axis_meaning, chosen, metric_title, status_title

if TYPE_CHECKING:
    from fourdcb.metrics import AxisResult, MetricValue, Report

_MOST_FINDINGS = 8
_NOISE = 1e-4  # share of a threshold below which digits are rounding


def report_lines(report: Report) -> list[str]:
    """The report for a terminal."""
    told = set(report.reasons) if report.verdict == "INCONCLUSIVE" else set()  # the last line says these
    axes = [
        f"[{_mark(report.axes[axis].passed)}] {axis_meaning(axis)}: {_axis_line(report.axes[axis], told)}"
        for axis in AXES
    ]
    return [*axes, *_pictures(report), *_findings(report), _overall(report)]


def _mark(passed: bool | None) -> str:
    return {True: "✓", False: "✗", None: "–"}[passed]


def _axis_line(result: AxisResult, told: set[str]) -> str:
    """Metrics that lack a value for one reason stand together; no reason is said twice in ``told``."""
    parts = []
    for state, group in groupby(result.metrics.items(), key=lambda item: _unmeasured(item[1])):
        named = [(metric_symbol(name) or name, name, metric) for name, metric in group]
        if state is None:
            parts += [f"{symbol} {_metric(name, metric)}" for symbol, name, metric in named]
            continue
        status, reason = state
        whole = len(named) == len(result.metrics)
        subject = "" if whole else f"{', '.join(symbol for symbol, _, _ in named)} "
        parts.append(f"{subject}{status_title(status)}{'' if reason in told else f' ({reason})'}")
        told.add(reason)
    return ", ".join(parts)


def _unmeasured(metric: MetricValue) -> tuple[str, str] | None:
    """Status and reason where there is no value to show and nothing failed, else None."""
    if metric.value is not None or metric.passed is False or metric.reason is None:
        return None
    return metric.status, metric.reason


def _metric(name: str, metric: MetricValue) -> str:
    if metric.value is not None and metric.threshold and abs(metric.value) < _NOISE * metric.threshold:
        metric = replace(metric, value=0.0)
    say, value = chosen().say, metric_value(name, metric)
    if metric.passed is False:
        limit = metric_threshold(name, metric)
        needed = "" if metric.value is None else say("lines.needed", limit=limit)
        notes = "; ".join(note for note in (needed, relative_to_size(metric), metric.reason) if note)
        return say("lines.failed", value=value, notes=notes)
    if metric.value is None or metric.threshold is None:
        return value
    key = "lines.not_judged_here" if metric.passed is None else "lines.measured"
    limit = "; ".join(note for note in (metric_threshold(name, metric), relative_to_size(metric)) if note)
    return say(key, value=value, limit=limit)


def _pictures(report: Report) -> Iterator[str]:
    measured = [
        f"{metric_title(name)} {metric_value(name, metric)}"
        for name, metric in report.image.items()
        if metric.value is not None
    ]
    if measured:
        yield f"    {chosen().say('lines.pictures', measured=', '.join(measured))}"
    yield from (f"    {line}" for line in unmoved_lines(report))


def unmoved_lines(report: Report) -> Iterator[str]:
    """The figures of two pictures that show no motion, which a replay must beat."""
    for name in ("still", "empty"):
        measured = [
            f"{metric_title(metric)} {metric_quantity(metric, value.detail[name], value.unit)}"
            for metric, value in report.image.items()
            if value.value is not None and name in value.detail
        ]
        if measured:
            yield chosen().say(f"lines.{name}", measured=", ".join(measured))


def _findings(report: Report) -> Iterator[str]:
    told = [finding for finding in report.findings if finding.severity != "info"]
    causes: set[tuple[str, float | None]] = set()
    for finding in told[:_MOST_FINDINGS]:
        yield f"    {finding.message}"
        cause = finding.likely_cause
        if cause is not None and (cause.parameter, cause.suggested) not in causes:
            causes |= {(path, cause.suggested) for path in (cause.parameter, *cause.alike)}
            yield f"        {chosen().say('lines.cause', cause=cause.told())}"
    if len(told) > _MOST_FINDINGS:
        yield f"    {chosen().say('lines.more_findings', count=len(told) - _MOST_FINDINGS)}"


def _overall(report: Report) -> str:
    say, told = chosen().say, {"verdict": report.verdict, "claim": report.claim}
    if report.verdict == "DEPLOYMENT_NOT_RECOMMENDED":
        failed = [axis_meaning(axis) for axis in AXES if report.axes[axis].passed is False]
        return say("lines.overall_failed", **told, axes=failed)
    if report.verdict == "INCONCLUSIVE":
        return say("lines.overall_open", **told, reasons="; ".join(report.reasons))
    return say("lines.overall_passed", **told)

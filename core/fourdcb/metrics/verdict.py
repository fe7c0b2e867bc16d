"""The weakest axis decides; never an average."""

from __future__ import annotations

from collections.abc import Mapping

from fourdcb.metrics.criteria import Criteria
from fourdcb.metrics.result import AXES, Axis, AxisResult, Claim, MetricValue, Verdict
from fourdcb.metrics.specs import metrics_of

_UNMEASURED = ("not_measured", "skipped", "error")


def axis_result(metrics: Mapping[str, MetricValue]) -> AxisResult:
    """Failed when a metric failed; None when an applicable one could not be measured; else passed."""
    if any(m.passed is False for m in metrics.values()):
        return AxisResult(passed=False, metrics=dict(metrics))
    if any(m.status in _UNMEASURED for m in metrics.values()):
        return AxisResult(passed=None, metrics=dict(metrics))
    return AxisResult(passed=True, metrics=dict(metrics))


def unjudged(criteria: Criteria, reason: str) -> dict[Axis, AxisResult]:
    """All axes with nothing measured, for the same reason."""
    return {
        axis: axis_result(
            {name: criteria.unmeasured(name, "not_measured", reason) for name in metrics_of(axis)}
        )
        for axis in AXES
    }


def decide(
    axes: Mapping[Axis, AxisResult], *, caveat: str | None = None, void: str | None = None
) -> tuple[Verdict, tuple[str, ...]]:
    """Verdict and its reasons.

    Args:
        void: a reason why nothing that was measured counts (the truth is another scene's).
        caveat: a reason why DEPLOYABLE must not be said whatever was measured (fast mode, no truth).
    """
    if void is not None:
        return "INCONCLUSIVE", (void,)
    failed = [
        f"{axis}: {name} {_why_failed(metric)}"
        for axis, result in axes.items()
        for name, metric in result.metrics.items()
        if metric.passed is False
    ]
    if failed:
        return "DEPLOYMENT_NOT_RECOMMENDED", tuple(failed)
    unmeasured = [
        f"{axis}: {name} was not measured ({metric.reason})"
        for axis, result in axes.items()
        for name, metric in result.metrics.items()
        if metric.status in _UNMEASURED
    ]
    if caveat is not None:
        return "INCONCLUSIVE", (caveat,)
    if unmeasured:
        return "INCONCLUSIVE", tuple(unmeasured)
    applicable = (m for axis, result in axes.items() if axis != "time" for m in result.metrics.values())
    if all(metric.status == "not_applicable" for metric in applicable):
        return "INCONCLUSIVE", ("the truth script holds nothing that could be judged",)
    return "DEPLOYABLE", ()


def derive_claim(axes: Mapping[Axis, AxisResult], *, caveat: str | None) -> Claim:
    """``benchmark_comparable`` only without a caveat, and when every metric that applies was judged."""
    rate = axes["time"].metrics["replay_fps"]
    whole = all(result.passed is not None for result in axes.values())
    return "benchmark_comparable" if caveat is None and whole and rate.passed is not None else "diagnostic"


def _why_failed(metric: MetricValue) -> str:
    if metric.value is None or metric.threshold is None:
        return f"failed ({metric.reason})"
    side = "<" if metric.direction == "below" else ">"
    unit = f" {metric.unit}" if metric.unit else ""
    text = f"is {metric.value:.3g}{unit} (needed {side} {metric.threshold:g}{unit})"
    return f"{text}, {metric.reason}" if metric.reason else text

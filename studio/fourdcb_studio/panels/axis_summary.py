"""What the chip of an axis says: the deciding metric's worst value beside its threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fourdcb.metrics.result import AXES, Axis, AxisResult, MetricValue
from fourdcb.metrics.specs import is_share, spec_of
from fourdcb.report.wording import relative_to_size
from fourdcb.words import axis_title, metric_title, status_title, tr, unit_sign
from fourdcb_studio.panels.reasons import why_open

_LONGEST_UNIT = 6


@dataclass(frozen=True, slots=True)
class AxisSummary:
    """An axis in one chip; ``passed`` is None when something could not be measured."""

    axis: Axis
    passed: bool | None
    metric: str = ""
    value: str = ""
    threshold: str = ""
    unit: str = ""
    note: str = ""
    must: str = "below"
    relative: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The axis by name."""
        return axis_title(self.axis)

    @property
    def short_unit(self) -> str:
        """The unit where a chip has room for it; the tooltip has all of it."""
        return self.unit if len(self.unit) <= _LONGEST_UNIT else ""

    @property
    def figures(self) -> str:
        """``61 / 20 mm``, or the note on why there are none."""
        if not self.value:
            return self.note
        return _with_unit(f"{self.value} / {self.threshold}", self.short_unit)

    @property
    def short_figures(self) -> str:
        """``61 mm``, where there is no room for the threshold; empty when there is none."""
        return _with_unit(self.value, self.short_unit) if self.value else ""

    @property
    def sentence(self) -> str:
        """The deciding metric in words for the tooltip; empty when there is none."""
        if not self.value:
            return ""
        value, threshold = (_with_unit(figure, self.unit) for figure in (self.value, self.threshold))
        beside = f" ({self.relative})" if self.relative else ""
        return tr(
            "{metric}: {value}{beside}, must be {must} {threshold}",
            metric=self.metric,
            value=value,
            beside=beside,
            must=tr("below") if self.must == "below" else tr("above"),
            threshold=threshold,
        )


def _with_unit(text: str, unit: str) -> str:
    return text + unit if unit in ("", "°") else f"{text} {unit}"


def summarise(axes: Mapping[Axis, AxisResult]) -> tuple[AxisSummary, ...]:
    """One summary an axis, in the fixed order."""
    return tuple(_summary(axis, axes[axis]) for axis in AXES if axis in axes)


def _summary(axis: Axis, result: AxisResult) -> AxisSummary:
    measured = {n: m for n, m in result.metrics.items() if m.value is not None and m.threshold is not None}
    judged = {n: m for n, m in measured.items() if m.passed is not None}
    if not judged:  # a tick would promise what nobody has judged
        status = "not_judged_here" if measured else "not_measured"
        if {metric.status for metric in result.metrics.values()} == {"not_applicable"}:
            status = "not_applicable"  # nothing of its kind happens: there is as little to tick as to cross
        passed = False if result.passed is False else None
        return AxisSummary(axis, passed, note=status_title(status), reasons=why_open(result))
    name = max(judged, key=lambda n: _weight(n, judged[n]))
    metric = judged[name]
    assert metric.value is not None
    assert metric.threshold is not None
    factor, unit = _told_in(name, metric.unit)
    return AxisSummary(
        axis,
        result.passed,
        metric_title(name),
        _figure(metric.value * factor),
        _figure(metric.threshold * factor),
        unit,
        must=metric.direction,
        relative=relative_to_size(metric),
        reasons=why_open(result) if result.passed is None else (),
    )


def _told_in(name: str, unit: str) -> tuple[float, str]:
    """Factor and unit in which reports, too, tell a metric."""
    if is_share(name):
        return 100.0, "%"
    return (1000.0, "mm") if unit == "m" else (1.0, unit_sign(unit))


def _weight(name: str, metric: MetricValue) -> tuple[bool, bool, float]:
    """What decides an axis: what failed, then what the script is to blame for, then what is nearest.

    Metrics of the machine decide only when nothing else does.
    """
    return metric.passed is False, not spec_of(name).of_machine, _badness(metric)


def _badness(metric: MetricValue) -> float:
    """How far along to its threshold, 1 at it, more beyond."""
    assert metric.value is not None
    assert metric.threshold is not None
    value, threshold = abs(metric.value), abs(metric.threshold)
    if metric.direction == "below":
        return value / max(threshold, 1e-12)
    return threshold / max(value, 1e-12)


def _figure(value: float) -> str:
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.2g}" if abs(value) >= 1 else f"{value:.2f}"
    if 1e-5 <= abs(value) < 0.005:
        text = f"{value:.1g}"
    return text.replace("-", "−")

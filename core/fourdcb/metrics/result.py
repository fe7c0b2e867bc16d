"""Results of judging: metric values, axes, findings, the report. JSON-safe and immutable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fourdcb.identity import jsonable

REPORT_FORMAT, REPORT_VERSION = "fourdcb.report", 1
Axis = Literal["geometry", "physics", "material_light", "time"]
AXES: tuple[Axis, ...] = ("geometry", "physics", "material_light", "time")
Status = Literal["ok", "error", "skipped", "not_measured", "not_applicable"]
Verdict = Literal["DEPLOYABLE", "DEPLOYMENT_NOT_RECOMMENDED", "INCONCLUSIVE"]
Claim = Literal["benchmark_comparable", "diagnostic"]
Side = Literal["below", "above"]
FindingSeverity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """One metric of one candidate.

    Attributes:
        value: in ``unit``; None unless status is ``ok``.
        threshold, direction: ``value < threshold`` passes for "below", ``value > threshold`` for "above".
        status: whether it was measured; reason says why not.
        passed: whether it meets its threshold; None when that cannot or must not be said.
        per_object: values by object name.
        detail: further JSON-safe figures (per axis, relative, method, device …).
    """

    value: float | None = None
    unit: str = ""
    threshold: float | None = None
    direction: Side = "below"
    status: Status = "ok"
    reason: str | None = None
    passed: bool | None = None
    per_object: Mapping[str, float] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status == "ok" and (self.value is None or not math.isfinite(self.value)):
            raise ValueError(f"a measured value must be finite, got {self.value}")
        if self.status != "ok" and self.value is not None:
            raise ValueError(f"status {self.status!r} must not carry a value")


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisResult:
    """One axis: failed when any metric failed; None when something applicable could not be measured."""

    passed: bool | None
    metrics: Mapping[str, MetricValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The parameter whose change best explains a residual.

    Attributes:
        alike: parameters of other bodies that have the same current value and should have the same.
    """

    parameter: str
    current: float
    suggested: float | None
    unit: str = ""
    explained: float | None = None
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A localised failure (error) or remark (warning, info). ``frame`` is None when it has no one frame."""

    frame: int | None
    time: float | None
    axis: Axis
    objects: tuple[str, ...]
    message: str
    kind: str = ""
    severity: FindingSeverity = "error"
    measured: float | None = None
    expected: float | None = None
    unit: str = ""
    likely_cause: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that one judgement says; ``to_json()`` is the stable shape of report.json."""

    verdict: Verdict
    claim: Claim
    reasons: tuple[str, ...]
    axes: Mapping[Axis, AxisResult]
    image: Mapping[str, MetricValue]
    findings: tuple[Finding, ...]
    horizon: Mapping[str, Any]
    series: Mapping[str, Any]
    inputs: Mapping[str, Any]
    environment: Mapping[str, Any]
    artifacts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON value. Raises ValueError when a non-finite number hides in it."""
        return {"format": REPORT_FORMAT, "version": REPORT_VERSION, **jsonable(self)}

    @property
    def exit_code(self) -> int:
        """1 for DEPLOYMENT_NOT_RECOMMENDED, else 0."""
        return 1 if self.verdict == "DEPLOYMENT_NOT_RECOMMENDED" else 0

"""Results of judging: metric values, axes, findings, the report. JSON-safe and immutable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fourdcb.identity import jsonable
from fourdcb.words import ENGLISH, Catalogue, chosen, finding_sentence, load

REPORT_FORMAT, REPORT_VERSION = "fourdcb.report", 1
REPORT_VERSION_BESIDE = 2  # the series stand in a file beside it, which ``series`` names
Axis = Literal["geometry", "physics", "material_light", "time"]
AXES: tuple[Axis, ...] = ("geometry", "physics", "material_light", "time")
AXIS_LETTERS: Mapping[Axis, str] = {axis: axis[0].upper() for axis in AXES}  # G, P, M, T
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
        parameter: its path in the candidate's script, such as ``cup.restitution``.
        current, suggested: its value, and the one that fits better; None where no value is known.
        explained: share of the error that the change was measured to take away; None where none was.
        alike: parameters of other bodies that have the same current value and should have the same.
    """

    parameter: str
    current: float
    suggested: float | None
    unit: str = ""
    explained: float | None = None
    alike: tuple[str, ...] = ()

    def told(self, words: Catalogue | None = None) -> str:
        """``cup.restitution is 0.6; 0.2 would fit better``; others alike are named."""
        words = words or chosen()
        if self.suggested is None:
            return words.say("causes.known", parameter=self.parameter, current=self.current, unit=self.unit)
        return words.say(
            "causes.better", parameter=self.parameter, current=self.current, suggested=self.suggested,
            unit=self.unit, likewise=tuple(path.partition(".")[0] for path in self.alike),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A localised failure (error) or remark (warning, info); :mod:`fourdcb.metrics.kinds` makes them.

    It holds no sentence: the catalogue's sentence of its kind is filled in where somebody reads it.

    Attributes:
        frame, time: where it shows [s]; None when it has no one frame.
        objects: names, the subject of the sentence first.
        kind: a row of the kinds.
        arguments: names, numbers and tuples of them that the sentence needs beside the others; ``form``
            chooses among a kind's sentences. ``text`` is a sentence as another release wrote it.
        measured, expected: in ``unit``.
    """

    frame: int | None
    time: float | None
    axis: Axis
    objects: tuple[str, ...]
    kind: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    severity: FindingSeverity = "error"
    measured: float | None = None
    expected: float | None = None
    unit: str = ""
    likely_cause: Cause | None = None

    def __post_init__(self) -> None:
        # JSON knows lists only; equal findings must be equal before and after.
        object.__setattr__(self, "arguments", {key: _tuples(value) for key, value in self.arguments.items()})

    @property
    def message(self) -> str:
        """The whole sentence in the language that was chosen, with its frame."""
        return self.told()

    def told(self, words: Catalogue | None = None, *, place: bool = True) -> str:
        """The sentence.

        Args:
            words: the language; default the one that was chosen.
            place: whether to begin with the frame, where the kind does.
        """
        return finding_sentence(
            words or chosen(), self.kind, self.arguments, objects=self.objects,
            frame=self.frame if place else None, measured=self.measured, expected=self.expected,
        )  # fmt: skip


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


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
        """Plain JSON value, sentences in English. Raises ValueError when a non-finite number hides in it."""
        document = {"format": REPORT_FORMAT, "version": REPORT_VERSION, **jsonable(self)}
        english = load(ENGLISH)
        for finding, entry in zip(self.findings, document["findings"], strict=True):
            entry["message"] = finding.told(english)
            if finding.likely_cause is not None:
                entry["likely_cause"]["message"] = finding.likely_cause.told(english)
        return document

    @property
    def exit_code(self) -> int:
        """1 for DEPLOYMENT_NOT_RECOMMENDED, else 0."""
        return 1 if self.verdict == "DEPLOYMENT_NOT_RECOMMENDED" else 0

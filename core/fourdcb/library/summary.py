"""What a list of cases says of one report, read from the parts of report.json that tell it.

Series of numbers, most of a report, stand in a file beside those of a library; they are not read here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from fourdcb.errors import UserError
from fourdcb.metrics.result import (
    AXES,
    REPORT_FORMAT,
    REPORT_VERSION,
    REPORT_VERSION_BESIDE,
    Axis,
    FindingSeverity,
    Verdict,
)
from fourdcb.metrics.stored import without_sentences
from fourdcb.words import chosen, finding_sentence

SEVERITIES: tuple[FindingSeverity, ...] = ("error", "warning", "info")
_MOST_BADNESS = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisSummary:
    """One axis of one report.

    Attributes:
        passed: None when it could not be judged.
        metric: the metric that is worst against its threshold, "" when none was measured.
        value, threshold, unit: of that metric.
        badness: how far it is towards failing: 1 at the threshold, above it fails, 0 is perfect.
    """

    passed: bool | None
    metric: str = ""
    value: float | None = None
    threshold: float | None = None
    unit: str = ""
    badness: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TopFinding:
    """The first finding of a report: reports put the gravest first."""

    message: str
    kind: str
    severity: FindingSeverity
    axis: str
    frame: int | None
    parameter: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSummary:
    """The head of a report.

    Attributes:
        axes: by axis, in the order of the axes.
        badness: by metric that has a threshold and a value, see :class:`AxisSummary`.
        finding: the first finding, None without any.
        kinds: kinds of all findings, without repetition.
        severity: the gravest severity among the findings, None without any.
        objects: names of the objects that findings concern.
        inputs: ``code``, ``video``, ``reference`` → (path as it was given, SHA-256).
        pictures: failure frames that were left on disk, relative to the report.
    """

    verdict: Verdict
    axes: Mapping[str, AxisSummary]
    badness: Mapping[str, float]
    finding: TopFinding | None
    kinds: tuple[str, ...]
    severity: FindingSeverity | None
    objects: tuple[str, ...]
    inputs: Mapping[str, tuple[str, str]]
    pictures: tuple[str, ...]

    @property
    def failed_axes(self) -> tuple[str, ...]:
        """Axes that failed."""
        return tuple(axis for axis, result in self.axes.items() if result.passed is False)


def read_summary(path: Path) -> ReportSummary:
    """The summary of a ``report.json``.

    Raises:
        UserError: the file cannot be read, or is no report of this version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError("the report cannot be read", where=str(path), got=error.strerror) from error
    return summarise(_document(data, path), where=str(path))


def summarise(document: Any, *, where: str) -> ReportSummary:
    """The summary of a report's JSON value. Raises UserError that names ``where``."""
    form = document.get("format") if isinstance(document, dict) else type(document).__name__
    if form != REPORT_FORMAT:
        raise UserError(
            "the file is not a report", where=where, got=f"format {form!r}", expected=f"{REPORT_FORMAT!r}"
        )
    version = document.get("version")
    if version not in (REPORT_VERSION, REPORT_VERSION_BESIDE):
        raise UserError(
            "the report has another version",
            where=where,
            got=f"{version!r}",
            expected=f"{REPORT_VERSION} or {REPORT_VERSION_BESIDE}",
        )
    try:
        return _summary(document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        got = f"{type(error).__name__}: {error}"
        raise UserError("the report is malformed", where=where, got=got) from error


def _document(data: bytes, path: Path) -> Any:
    try:
        return json.loads(data)
    except UnicodeDecodeError as error:
        raise UserError("the report is not UTF-8 text", where=str(path)) from error
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        got = error.msg if data.strip() else "an empty file"
        raise UserError("the report is not valid JSON", where=where, got=got) from error
    except ValueError as error:  # a number of thousands of digits
        raise UserError("the report is not valid JSON", where=str(path), got=str(error)) from error
    except RecursionError as error:
        raise UserError("the report is nested too deeply", where=str(path)) from error


def _summary(document: Mapping[str, Any]) -> ReportSummary:
    if document["verdict"] not in get_args(Verdict):
        raise ValueError(f"verdict {document['verdict']!r}")
    findings = document["findings"]
    metrics = {name: m for axis in AXES for name, m in document["axes"][axis]["metrics"].items()}
    badness = {name: b for name, m in metrics.items() if (b := _badness(m)) is not None}
    present = {str(f["severity"]) for f in findings}
    return ReportSummary(
        verdict=cast("Verdict", document["verdict"]),
        axes={axis: _axis(document["axes"][axis], badness, axis) for axis in AXES},
        badness=badness,
        finding=_finding(findings[0]) if findings else None,
        kinds=tuple(dict.fromkeys(one_line(f["kind"]) for f in findings if f["kind"])),
        severity=next((s for s in SEVERITIES if s in present), None),
        objects=tuple(dict.fromkeys(one_line(name) for f in findings for name in f["objects"])),
        inputs=dict(_inputs(document["inputs"])),
        pictures=tuple(str(p["path"]) for p in document["artifacts"].get("failure_frames", ())),
    )


def _axis(result: Mapping[str, Any], badness: Mapping[str, float], axis: Axis) -> AxisSummary:
    passed = result["passed"]
    if passed not in (True, False, None):
        raise ValueError(f"axis {axis} passed is {passed!r}")
    judged = [name for name, m in result["metrics"].items() if name in badness and m["passed"] is not None]
    if not judged:
        return AxisSummary(passed=passed)
    worst = max(judged, key=lambda name: (result["metrics"][name]["passed"] is False, badness[name]))
    metric = result["metrics"][worst]
    return AxisSummary(
        passed=passed,
        metric=worst,
        value=_finite(metric["value"]),
        threshold=_finite(metric["threshold"]),
        unit=str(metric["unit"]),
        badness=badness[worst],
    )


def _badness(metric: Mapping[str, Any]) -> float | None:
    """1 at the threshold, more beyond it; None when there is nothing to compare."""
    value, threshold = metric["value"], metric["threshold"]
    if value is None or threshold is None:
        return None
    value, threshold = _finite(value), _finite(threshold)
    top, bottom = (value, threshold) if metric["direction"] == "below" else (threshold, value)
    if bottom <= 0.0:
        return _MOST_BADNESS if top > bottom else 0.0
    return min(top / bottom, _MOST_BADNESS)


def _finite(value: Any) -> float:
    """The number. Raises ValueError for NaN and infinities, which Python's JSON reader lets through."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"a value is {number}")
    return number


def one_line(text: object) -> str:
    """Text without line breaks and control characters: lists and terminals show it as one line."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in str(text)).strip()


def _finding(found: Mapping[str, Any]) -> TopFinding:
    frame, cause = found["frame"], found["likely_cause"]
    if found["severity"] not in SEVERITIES:
        raise ValueError(f"severity {found['severity']!r}")
    kind, fields = str(found["kind"]), without_sentences(found)
    message = finding_sentence(
        chosen(), kind, fields.get("arguments", {}), objects=found["objects"], measured=found["measured"],
        expected=found["expected"],
    )  # fmt: skip
    return TopFinding(
        message=one_line(message),
        kind=one_line(kind),
        severity=found["severity"],
        axis=str(found["axis"]),
        frame=None if frame is None else int(frame),
        parameter=None if cause is None else one_line(cause["parameter"]),
    )


def _inputs(inputs: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    for role in ("code", "video", "reference"):
        record = inputs.get(role)
        if record is not None and "path" in record:
            yield role, (str(record["path"]), str(record.get("sha256", "")))

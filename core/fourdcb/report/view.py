"""A report in the words, numbers and drawings that its page shows."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.metrics.result import Axis, AxisResult, Finding, MetricValue, Report
from fourdcb.metrics.specs import is_share, metric_symbol
from fourdcb.report import wording
from fourdcb.report.edits import EditComparison
from fourdcb.report.timeline import curve_plot, object_timeline
from fourdcb.words import axis_title, chosen, metric_title, verdict_title

_SHOWN_FINDINGS = 60
_SHOWN_OBJECTS = 4  # of a metric's values by object
_SHOWN_TIMELINES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingPicture:
    """The picture of one failing frame.

    Attributes:
        frame: its index.
        png: the file's bytes.
    """

    frame: int
    png: bytes


def page_view(
    report: Report,
    *,
    pictures: Sequence[FindingPicture] = (),
    edits: EditComparison | None = None,
) -> dict[str, Any]:
    """What the template is rendered with; see :func:`fourdcb.report.render_html`."""
    timelines, hidden_timelines = _timelines(report)
    return {
        "title": page_title(report),
        "report": report,
        "verdict": verdict_title(report.verdict),
        "edits": None if edits is None else _edits(edits, report),
        "axes": [_axis(name, result) for name, result in report.axes.items()],
        "image": [_metric(name, metric) for name, metric in report.image.items() if metric.value is not None],
        "findings": _findings(report.findings, pictures),
        "no_findings": _no_findings(report),
        "hidden_findings": max(0, len(report.findings) - _SHOWN_FINDINGS),
        "timelines": timelines,
        "hidden_timelines": hidden_timelines,
        "curves": _curves(report.series),
        "inputs": _inputs(report.inputs),
        "edited": [f"{path} = {value:.6g}" for path, value in report.inputs.get("edits", {}).items()],
        "environment": _environment(report.environment),
    }


def _no_findings(report: Report) -> str:
    """What an empty list of findings means."""
    say = chosen().say
    if report.verdict == "DEPLOYABLE":
        return say("page.all_right")
    metrics = [metric for axis in report.axes.values() for metric in axis.metrics.values()]
    if metrics and all(metric.status == "not_measured" for metric in metrics):
        if "code" not in report.inputs:  # two videos
            return say("page.no_script")
        if report.inputs.get("reference") is None:
            return say("page.no_truth")
    return say("page.right_so_far")


def page_title(report: Report) -> str:
    """``scene · candidate`` from the paths of the inputs; of two videos, their names."""
    paths = {role: Path(entry["path"]) for role, entry in report.inputs.items() if _is_file(entry)}
    names = []
    if "video" in paths:
        names.append(paths["video"].resolve().parent.name)
    if "code" in paths:
        names.append(paths["code"].name)
    if not names:
        videos = [paths[role] for role in ("reference", "candidate") if role in paths]
        alike = len({path.name for path in videos}) < len(videos)
        names = [f"{path.resolve().parent.name}/{path.name}" if alike else path.name for path in videos]
    return " · ".join(names) or chosen().say("page.product")


def _is_file(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "path" in entry


def _edits(edits: EditComparison, after: Report) -> dict[str, Any]:
    before = edits.before
    return {
        "parameters": [
            {
                "name": value.path,
                "before": _plain(value.before, value.unit),
                "after": _plain(value.after, value.unit),
            }
            for value in edits.values
        ],
        "before": None if before is None else _outcome(before),
        "after": _outcome(after),
        "metrics": [] if before is None else _changed_metrics(before, after),
        "frame": edits.frame,
        "pictures": [(name, base64.b64encode(png).decode()) for name, png in edits.pictures],
    }


def _outcome(report: Report) -> dict[str, Any]:
    return {
        "verdict": report.verdict,
        "title": verdict_title(report.verdict),
        "axes": [(axis_title(name), _state(result.passed)) for name, result in report.axes.items()],
    }


def _changed_metrics(before: Report, after: Report) -> list[dict[str, Any]]:
    """Metrics that failed on either side, with both values."""
    rows = []
    for axis, result in after.axes.items():
        was = before.axes[axis].metrics if axis in before.axes else {}
        for name, metric in result.metrics.items():
            if name in was and False in (metric.passed, was[name].passed):
                rows.append({"before": _metric(name, was[name]), "after": _metric(name, metric)})
    return rows


def _plain(value: float, unit: str) -> str:
    return f"{value:.6g}{' ' if unit else ''}{unit}".replace("-", "−")


def _axis(name: Axis, result: AxisResult) -> dict[str, Any]:
    reasons = [metric.reason for metric in result.metrics.values() if metric.reason]
    shared = next((reason for reason in reasons if reasons.count(reason) > 1), None)
    metrics = [
        _metric(key, replace(metric, reason=None) if metric.reason == shared else metric)
        for key, metric in result.metrics.items()
    ]
    return {
        "title": axis_title(name),
        "state": _state(result.passed),
        "note": shared,  # said once, not beside every metric
        "metrics": metrics,
    }


def _metric(name: str, metric: MetricValue) -> dict[str, Any]:
    value, threshold = wording.value_and_threshold(name, metric)
    return {
        "name": name,
        "title": metric_title(name),
        "symbol": metric_symbol(name),
        "value": value,
        "threshold": threshold,
        "measured": metric.value is not None,
        "state": _state(metric.passed),
        "reason": "; ".join(n for n in (wording.relative_to_size(metric), metric.reason) if n) or None,
        "per_object": _worst_objects(name, metric),
        "hidden_objects": max(0, len(metric.per_object) - _SHOWN_OBJECTS),
    }


def _worst_objects(name: str, metric: MetricValue) -> list[tuple[str, str]]:
    """The worst objects and their values; none where all read the same."""
    worst = sorted(metric.per_object.items(), key=lambda item: item[1], reverse=metric.direction == "below")
    shown = [(key, wording.quantity(value, metric.unit, share=is_share(name))) for key, value in worst]
    return shown[:_SHOWN_OBJECTS] if len({value for _, value in shown}) > 1 else []


def _state(passed: bool | None) -> str:
    return {True: "pass", False: "fail", None: "open"}[passed]


def _findings(findings: Sequence[Finding], pictures: Sequence[FindingPicture]) -> list[dict[str, Any]]:
    waiting = {picture.frame: picture for picture in pictures}
    shown = []
    for finding in findings[:_SHOWN_FINDINGS]:
        picture = waiting.pop(finding.frame, None) if finding.frame is not None else None
        shown.append(
            {
                "finding": finding,
                "message": finding.told(place=False),
                "axis": axis_title(finding.axis),
                "cause": wording.cause_sentence(finding.likely_cause),
                "picture": None if picture is None else base64.b64encode(picture.png).decode(),
            }
        )
    return shown


def _timelines(report: Report) -> tuple[list[tuple[str, str]], int]:
    """Names and drawings of the objects furthest off, in the world's order, and how many are left out."""
    times = np.asarray(report.series.get("times", []), dtype=np.float64)
    objects: Mapping[str, Any] = report.series.get("objects", {})
    furthest = sorted(objects, key=lambda name: _furthest(objects[name]), reverse=True)[:_SHOWN_TIMELINES]
    drawings = [
        (name, object_timeline(name, entry, times=times, findings=report.findings))
        for name, entry in objects.items()
        if name in furthest
    ]
    return drawings, len(objects) - len(drawings)


def _furthest(entry: Mapping[str, Any]) -> float:
    return float(np.abs(np.asarray(entry["position_error"], dtype=np.float64)).max(initial=0.0))


def _curves(series: Mapping[str, Any]) -> list[str]:
    figures = {"psnr": ("PSNR [dB]", 5.0), "ssim": ("SSIM", 0.02)}
    return [
        curve_plot(title, series[key], least_span=span)
        for key, (title, span) in figures.items()
        if any(value is not None for value in series.get(key, ()))
    ]


def _inputs(inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for role, entry in inputs.items():
        if _is_file(entry):
            facts = (_stream_fact(k, value) for k, value in entry.items() if _is_fact(k, value, entry))
            rows.append(
                {
                    "role": role,
                    "path": entry["path"],
                    "sha256": entry.get("sha256", ""),
                    "note": ", ".join(facts),
                }
            )
    return rows


_USUALLY_ZERO = ("rotation", "rotation_left_over", "start_time")
_USUALLY_EQUAL = {"stored_width": "width", "stored_height": "height"}


def _is_fact(key: str, value: Any, entry: Mapping[str, Any]) -> bool:
    """Whether something is worth a word: what is as in every plain file is not."""
    if key in ("path", "sha256") or value is False or (key in _USUALLY_ZERO and value == 0):
        return False
    if key == "sizes":
        return len(value) > 1
    return key not in _USUALLY_EQUAL or value != entry.get(_USUALLY_EQUAL[key])


def _stream_fact(key: str, value: Any) -> str:
    """``120 frames``, ``29.97 fps``, ``duration 4 s``, ``codec h264``, ``sizes 128 × 96 and 64 × 48``."""
    if key == "sizes":
        return "sizes " + " and ".join(f"{width} × {height}" for width, height in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return key if value is True else f"{key} {value}"
    if key in ("frames", "fps"):
        return f"{value:.6g} {key}"
    return f"{key} {value:.6g}{' s' if key == 'duration' else ''}"


def _environment(record: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Labels and values; packages go by their own names."""
    rows: list[tuple[str, str]] = []
    for key, value in record.items():
        if isinstance(value, Mapping):
            rows += _environment(value, prefix="" if key == "packages" else f"{prefix}{key} ")
        else:
            rows.append((f"{prefix}{key}", str(value)))
    return rows

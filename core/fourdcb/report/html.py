"""The report as one HTML page that needs nothing but itself, and the same page as PDF."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import MissingDependencyError, UserError
from fourdcb.identity import StrPath, write_output
from fourdcb.metrics.names import AXIS_TITLES, metric_symbol, metric_title
from fourdcb.metrics.result import Axis, AxisResult, Finding, MetricValue, Report
from fourdcb.report import wording
from fourdcb.report.timeline import curve_plot, object_timeline

_SHOWN_FINDINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingPicture:
    """The picture of one failing frame.

    Attributes:
        frame: its index.
        png: the file's bytes.
    """

    frame: int
    png: bytes


def render_html(report: Report, *, pictures: Sequence[FindingPicture] = (), title: str | None = None) -> str:
    """The page as text: no script, no link to anywhere; light and dark; prints well.

    Args:
        report: what to show.
        pictures: failing frames, shown with the first finding of their frame.
        title: default the names of the inputs.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        title=title or default_title(report),
        css=_template("report.css"),
        report=report,
        verdict=wording.VERDICT_TITLES[report.verdict],
        axes=[_axis(name, result) for name, result in report.axes.items()],
        image=[_metric(name, metric) for name, metric in report.image.items()],
        findings=_findings(report.findings, pictures),
        hidden_findings=max(0, len(report.findings) - _SHOWN_FINDINGS),
        timelines=_timelines(report),
        curves=_curves(report.series),
        inputs=_inputs(report.inputs),
        environment=_flat(report.environment),
    )


def write_html(
    report: Report, path: StrPath, *, pictures: Sequence[FindingPicture] = (), title: str | None = None
) -> None:
    """Write :func:`render_html`'s page. Raises UserError when the path cannot be written."""
    write_output(Path(path), render_html(report, pictures=pictures, title=title))


def write_pdf(
    report: Report, path: StrPath, *, pictures: Sequence[FindingPicture] = (), title: str | None = None
) -> None:
    """Write the page as PDF (A4), in the bundled faces.

    Raises:
        MissingDependencyError: weasyprint is not installed.
        UserError: its system libraries are missing, or the path cannot be written.
    """
    try:
        from weasyprint import CSS, HTML
        from weasyprint.text.fonts import FontConfiguration
    except ImportError as error:
        raise MissingDependencyError("weasyprint", extra="report", purpose="writing PDF") from error
    except OSError as error:
        raise UserError(
            "writing PDF needs the system library Pango",
            got=str(error).splitlines()[0],
            hint="on Debian or Ubuntu: apt-get install libpango-1.0-0 libpangoft2-1.0-0",
        ) from error
    page = render_html(report, pictures=pictures, title=title)
    fonts = resources.files("fourdcb_resources").joinpath("fonts")
    with resources.as_file(fonts) as folder:
        fonts_used = FontConfiguration()
        faces = CSS(string=_font_faces(folder), font_config=fonts_used)
        document = HTML(string=page, base_url=str(folder))
        data = document.write_pdf(stylesheets=[faces], font_config=fonts_used)
    write_output(Path(path), data)


def default_title(report: Report) -> str:
    """``scene · candidate`` from the paths of the inputs."""
    code, video = report.inputs.get("code"), report.inputs.get("video")
    names = []
    if isinstance(video, Mapping):
        names.append(Path(video["path"]).resolve().parent.name)
    if isinstance(code, Mapping):
        names.append(Path(code["path"]).name)
    return " · ".join(names) or "4DCodeBench report"


def _template(name: str) -> str:
    return resources.files("fourdcb_resources").joinpath("report", name).read_text(encoding="utf-8")


def _font_faces(folder: Path) -> str:
    weights = {"Regular": 400, "Medium": 500, "SemiBold": 600, "Bold": 700}
    families = {"Inter": "Inter", "JetBrainsMono": "JetBrains Mono"}
    rules = []
    for file in sorted(folder.glob("*.ttf")):
        stem, style = file.stem.split("-")
        rules.append(
            f"@font-face {{ font-family: '{families[stem]}'; font-weight: {weights[style]}; "
            f"src: url('{file.as_uri()}'); }}"
        )
    return "\n".join(rules)


def _axis(name: Axis, result: AxisResult) -> dict[str, Any]:
    return {
        "title": AXIS_TITLES[name],
        "state": _state(result.passed),
        "metrics": [_metric(key, metric) for key, metric in result.metrics.items()],
    }


def _metric(name: str, metric: MetricValue) -> dict[str, Any]:
    return {
        "name": name,
        "title": metric_title(name),
        "symbol": metric_symbol(name),
        "value": wording.metric_value(name, metric),
        "threshold": wording.metric_threshold(name, metric),
        "measured": metric.value is not None,
        "state": _state(metric.passed),
        "reason": metric.reason,
        "per_object": [
            (key, wording.object_value(name, value, metric.unit)) for key, value in metric.per_object.items()
        ],
    }


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
                "message": wording.without_frame(finding),
                "axis": AXIS_TITLES[finding.axis],
                "cause": wording.cause_sentence(finding.likely_cause),
                "picture": None if picture is None else base64.b64encode(picture.png).decode(),
            }
        )
    return shown


def _timelines(report: Report) -> list[tuple[str, str]]:
    times = np.asarray(report.series.get("times", []), dtype=np.float64)
    objects: Mapping[str, Any] = report.series.get("objects", {})
    return [
        (name, object_timeline(name, entry, times=times, findings=report.findings))
        for name, entry in objects.items()
    ]


def _curves(series: Mapping[str, Any]) -> list[str]:
    figures = {"psnr": "PSNR [dB]", "ssim": "SSIM"}
    return [
        curve_plot(title, series[key])
        for key, title in figures.items()
        if any(value is not None for value in series.get(key, ()))
    ]


def _inputs(inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for role, entry in inputs.items():
        if isinstance(entry, Mapping):
            extra = {key: value for key, value in entry.items() if key not in ("path", "sha256")}
            rows.append(
                {
                    "role": role,
                    "path": entry.get("path", ""),
                    "sha256": entry.get("sha256", ""),
                    "note": ", ".join(f"{value} {key}" for key, value in extra.items()),
                }
            )
    return rows


def _flat(record: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in record.items():
        if isinstance(value, Mapping):
            rows += _flat(value, prefix=f"{prefix}{key} ")
        else:
            rows.append((f"{prefix}{key}", str(value)))
    return rows

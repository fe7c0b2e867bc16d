"""``fourdcb eval``: judge a candidate script against a video."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.metrics import AxisResult, MetricValue, Report

_AXIS_TITLES = {
    "geometry": "Geometric fidelity",
    "physics": "Physical consistency",
    "material_light": "Material-light",
    "time": "Temporal robustness",
}
_METRIC_NAMES = {
    "delta_pos": "Δ_pos", "delta_rot": "Δ_rot", "delta_scale": "Δ_scale", "energy_error": "Energy_Error",
    "collision_accuracy": "Collision_Accuracy", "brdf_error": "BRDF_Error", "light_drift": "Light_Drift",
    "light_offset": "Light_Offset", "shadow_error": "Shadow_Error", "appearance_error": "Appearance_Error",
    "drift_rate": "Drift_Rate", "replay_fps": "Replay_FPS",
}  # fmt: skip


def eval_(
    code: Annotated[Path, typer.Option(help="The candidate's world script.")],
    video: Annotated[Path, typer.Option(help="The video that it answers to.")],
    output: Annotated[Path, typer.Option(help="Where to write report.json.")],
    reference: Annotated[
        Path | None, typer.Option(help="The truth script; default: world.py beside the video.")
    ] = None,
    criteria: Annotated[
        Path | None, typer.Option(help="Thresholds (YAML); default: the bundled ones.")
    ] = None,
    debug: Annotated[
        Path | None, typer.Option(help="Folder for heatmaps, failure frames and the side-by-side video.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a self-contained HTML report.")] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Geometry and physics only, without rendering.")
    ] = False,
) -> None:
    """Judge a candidate script on geometry, physics, material-light and time; the weakest axis decides."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.evaluation import evaluate
    from fourdcb.report import write_evaluation

    with terminal_progress() as progress:
        evaluation = evaluate(
            code, video, reference=reference, criteria=criteria, fast=fast, progress=progress
        )
        report = write_evaluation(evaluation, output, debug=debug, html=html)
    for diagnostic in evaluation.diagnostics:
        typer.echo(str(diagnostic), err=True)
    typer.echo(f"Evaluating {code} against {video}")
    print_report(report)
    typer.echo(f"Report: {output}")
    raise typer.Exit(report.exit_code)


def print_report(report: Report) -> None:
    """One line an axis, the gravest findings, then the verdict."""
    for axis, title in _AXIS_TITLES.items():
        result = report.axes[axis]  # type: ignore[index]
        typer.echo(f"[{_mark(result.passed)}] {title}: {_axis_line(result)}")
    shown = [finding for finding in report.findings if finding.severity != "info"]
    for finding in shown[:8]:
        typer.echo(f"    {finding.message}")
    if len(shown) > 8:
        typer.echo(f"    … and {len(shown) - 8} more findings in the report")
    for reason in report.reasons:
        typer.echo(f"    reason: {reason}")
    typer.echo(f"Overall: {report.verdict} ({report.claim})")


def _axis_line(result: AxisResult) -> str:
    return ", ".join(
        f"{_METRIC_NAMES.get(name, name)}={_value(metric)}" for name, metric in result.metrics.items()
    )


def _value(metric: MetricValue) -> str:
    if metric.value is None:
        return metric.status.replace("_", " ")
    number = f"{metric.value:.3g}{'' if metric.unit in ('', '1') else ' ' + metric.unit}"
    return f"{number} (FAIL)" if metric.passed is False else number


def _mark(passed: bool | None) -> str:
    return {True: "✓", False: "✗", None: "–"}[passed]

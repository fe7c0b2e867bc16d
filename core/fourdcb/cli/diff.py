"""``fourdcb diff``: compare two videos by their pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.evaluation.video_diff import VideoDiff


def diff(
    reference: Annotated[Path, typer.Argument(help="The video to compare with.")],
    candidate: Annotated[Path, typer.Argument(help="The video to compare.")],
    output: Annotated[Path, typer.Option(help="Where to write the report (JSON).")],
) -> None:
    """Compare two videos by their pictures: PSNR, SSIM, silhouettes, motion. Gives no verdict."""
    import json

    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.evaluation.video_diff import diff_videos
    from fourdcb.identity import write_output

    check_outputs(files=[output], inputs=[reference, candidate])
    with terminal_progress() as progress:
        result = diff_videos(reference, candidate, progress=progress)
    write_output(output, json.dumps(result.report.to_json(), indent=2, ensure_ascii=False) + "\n")
    typer.echo(f"Comparing {reference} (reference) with {candidate}")
    for line in _summary(result):
        typer.echo(line)
    typer.echo(f"Report: {output}")


def _summary(result: VideoDiff) -> list[str]:
    from fourdcb.cli.summary import unmoved_lines
    from fourdcb.report.wording import metric_quantity
    from fourdcb.words import metric_title, status_title

    alignment, image = result.alignment, result.report.image
    lines = [
        f"  {alignment.index_a.size} of {alignment.frames_a} frames paired by time, "
        f"{alignment.start:.2f} … {alignment.end:.2f} s"
    ]
    for name in ("psnr", "ssim", "silhouette_iou", "difference", "flow_error"):
        title, metric = metric_title(name), image[name]
        if metric.value is None:
            lines.append(f"  {title}: {status_title(metric.status)} ({metric.reason})")
            continue
        mean, worst = (
            metric_quantity(name, value, metric.unit) for value in (metric.value, metric.detail["worst"])
        )
        frame = int(alignment.index_a[metric.detail["worst_pair"]])
        lines.append(f"  {title}: {mean}" + (f" (worst {worst} at frame {frame})" if worst != mean else ""))
    lines += [f"  {line}" for line in unmoved_lines(result.report)]
    lines += [f"  {finding.message}" for finding in result.report.findings]
    return [*lines, f"Overall: {result.report.verdict} ({result.report.claim}): {result.report.reasons[0]}"]

"""``fourdcb eval``: judge a candidate script against a video."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourdcb.errors import UserError

if TYPE_CHECKING:
    from fourdcb.metrics import Report
    from fourdcb.report.evaluation import Media


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
    series_beside: Annotated[
        bool,
        typer.Option(
            "--series-beside", help="Write the series to series.npz beside the report, not into it."
        ),
    ] = False,
    no_media: Annotated[
        bool, typer.Option("--no-media", help="Leave out the side-by-side video beside the report.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="A script that cannot be replayed is bad input (exit 2, no report)."),
    ] = False,
    fallback: Annotated[
        bool,
        typer.Option(
            "--fallback", help="Judge the default script in place of one that cannot be read; marked so."
        ),
    ] = False,
    save_case: Annotated[
        Path | None, typer.Option(help="Also store the case in this library, see `fourdcb cases`.")
    ] = None,
) -> None:
    """Judge a candidate script on geometry, physics, material-light and time; the weakest axis decides."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.cli.streams import silence_output
    from fourdcb.cli.summary import report_lines
    from fourdcb.evaluation import evaluate, truth_beside
    from fourdcb.evaluation.rejected import rejected_report, rejection
    from fourdcb.metrics.series_file import series_name
    from fourdcb.report import media_folder, store_case, write_evaluation

    truth = reference if reference is not None else truth_beside(video)
    series = output.parent / series_name(output) if series_beside else None
    check_outputs(files=[output, series, html], folder=debug, inputs=[code, video, truth, criteria])
    check_outputs(files=[], folder=save_case)
    if debug is None and not fast:
        check_outputs(files=[], folder=media_folder(output))
    with terminal_progress() as progress:
        try:
            evaluation = evaluate(
                code,
                video,
                reference=truth,
                criteria=criteria,
                fast=fast,
                fallback=fallback,
                progress=progress,
            )
        except UserError as error:
            reason = None if strict else rejection(error, code)
            if reason is None:
                raise
            typer.echo(str(error), err=True)
            report = rejected_report(
                reason, error, code=code, video=video, reference=truth, criteria=criteria
            )
            _tell_rejected(report, code, video, output, html)
            raise typer.Exit(report.exit_code) from None
        special = output.exists() and not output.is_file()  # a pipe or a device has no folder beside it
        media: Media = "none" if special else "frames" if no_media else "clip"
        report = write_evaluation(
            evaluation,
            output,
            debug=debug,
            media=media,
            html=html,
            series="beside" if series_beside else "inside",
        )
    written = [f"Report: {output}"]
    written += [] if series is None else [f"Series: {series}"]
    written += [] if html is None else [f"HTML: {html}"]
    written += [] if debug is None else [f"Debug: {debug}"]
    written += [f"Pictures: {media_folder(output)}"] if debug is None and report.artifacts else []
    written += [] if save_case is None else [f"Case: {store_case(evaluation, report, save_case)}"]
    for diagnostic in dict.fromkeys(evaluation.diagnostics):
        typer.echo(str(diagnostic), err=True)
    lines = [f"Evaluating {code} against {video}", *report_lines(report), *written]
    try:
        print("\n".join(lines), flush=True)
    except BrokenPipeError:  # the exit code must still tell the verdict
        silence_output()
    raise typer.Exit(report.exit_code)


def _tell_rejected(report: Report, code: Path, video: Path, output: Path, html: Path | None) -> None:
    """Write and tell the worst verdict; there are no pictures and no series."""
    from fourdcb.cli.summary import report_lines
    from fourdcb.report import write_page, write_report

    write_report(report, output)
    write_page(report, html=html)
    lines = [f"Evaluating {code} against {video}", *report_lines(report), f"Report: {output}"]
    print("\n".join(lines + ([] if html is None else [f"HTML: {html}"])), flush=True)

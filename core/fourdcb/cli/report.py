"""``fourdcb report``: a report.json as a page, a PDF, or a summary in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    source: Annotated[Path, typer.Argument(metavar="REPORT", help="The report.json.")],
    html: Annotated[Path | None, typer.Option(help="Write a self-contained HTML page.")] = None,
    pdf: Annotated[Path | None, typer.Option(help="Write a PDF.")] = None,
    embed_series: Annotated[
        Path | None, typer.Option(help="Write one report.json with its series inside, to hand on.")
    ] = None,
) -> None:
    """Turn a report.json into something to read; without options, print its summary."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.summary import report_lines
    from fourdcb.report import load_report, write_page, write_report
    from fourdcb.report.evaluation import pictures_of_report

    check_outputs(files=[html, pdf, embed_series], inputs=[source])
    loaded = load_report(source)
    pictures = pictures_of_report(loaded, source.absolute().parent)
    write_page(loaded, html=html, pdf=pdf, pictures=pictures)
    if embed_series is not None:
        write_report(loaded, embed_series)
    for name, path in (("HTML", html), ("PDF", pdf), ("Report", embed_series)):
        if path is not None:
            typer.echo(f"{name}: {path}")
    if html is None and pdf is None and embed_series is None:
        typer.echo("\n".join(report_lines(loaded)))

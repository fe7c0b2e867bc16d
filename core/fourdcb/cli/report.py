"""``fourdcb report``: a report.json as a page, a PDF, or a summary in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    source: Annotated[Path, typer.Argument(metavar="REPORT", help="The report.json.")],
    html: Annotated[Path | None, typer.Option(help="Write a self-contained HTML page.")] = None,
    pdf: Annotated[Path | None, typer.Option(help="Write a PDF.")] = None,
) -> None:
    """Turn a report.json into something to read; without options, print its summary."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.summary import report_lines
    from fourdcb.report import load_report, write_page
    from fourdcb.report.evaluation import pictures_of_report

    check_outputs(files=[html, pdf], inputs=[source])
    loaded = load_report(source)
    pictures = pictures_of_report(loaded, source.absolute().parent)
    write_page(loaded, html=html, pdf=pdf, pictures=pictures)
    for name, path in (("HTML", html), ("PDF", pdf)):
        if path is not None:
            typer.echo(f"{name}: {path}")
    if html is None and pdf is None:
        typer.echo("\n".join(report_lines(loaded)))

"""``fourdcb bench responses``: every metric against a known error, as plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def bench_responses(
    output: Annotated[Path | None, typer.Option(help="Folder for one SVG a curve.")] = None,
    curve: Annotated[
        list[str] | None, typer.Option(help="Curve to measure, such as delta_pos; repeatable. Default: all.")
    ] = None,
    points: Annotated[int, typer.Option(min=3, max=101, help="Errors to inject along a curve.")] = 13,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Put known errors into bundled scenes and see where each metric begins to fail."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.evaluation.responses import response, response_names
    from fourdcb.identity import jsonable, write_output
    from fourdcb.physics import make_engine
    from fourdcb.report.response_plot import response_plot

    check_outputs(files=[], folder=output)
    with terminal_progress() as progress, make_engine() as engine:
        found = [
            response(name, points=points, engine=engine, progress=progress)
            for name in curve or response_names()
        ]
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        for one in found:
            write_output(output / f"{one.name}.svg", response_plot(one))
    if json_:
        typer.echo(json.dumps([{**jsonable(one), "crossing": one.crossing} for one in found]))
        return
    for one in found:
        fails = "never fails" if one.crossing is None else f"fails from {one.crossing:.3g}"
        typer.echo(f"{one.name:26} {one.error:40} {fails}")

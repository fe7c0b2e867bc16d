"""``fourdcb bench data``: how many of the samples that templates draw are kept, and how they are framed."""

from __future__ import annotations

import json
from typing import Annotated

import typer

_LEAST = 0.6  # of the attempts of every template


def bench_data(
    template: Annotated[list[str] | None, typer.Option(help="Only this template; may be repeated.")] = None,
    count: Annotated[int, typer.Option(help="Samples of each template.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Root of all random numbers.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Examine samples of every template; exit 1 if one keeps less than 60 % of what it draws."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.survey import survey, survey_lines
    from fourdcb.dataset.templates import TEMPLATES
    from fourdcb.identity import jsonable

    with terminal_progress(log_every=30.0) as progress:
        surveys = survey(template or list(TEMPLATES), count=count, seed=seed, progress=progress)
    if json_:
        typer.echo(json.dumps([jsonable(one) for one in surveys]))
    else:
        typer.echo("\n".join(survey_lines(surveys)))
    raise typer.Exit(0 if all(one.share >= _LEAST for one in surveys) else 1)

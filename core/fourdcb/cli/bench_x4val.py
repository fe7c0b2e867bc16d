"""``fourdcb bench x4val``: what 95 % means, by simulation; ``x4val-service``: a large gallery, asked."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def bench_x4val(
    repetitions: Annotated[int, typer.Option(min=50, help="Simulated evaluations of each cell.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Coverage of the intervals (nominal 95 %) by kind of score, samples and correlation."""
    from fourdcb.identity import jsonable
    from fourdcb.x4val.coverage import coverage_table

    rows = []
    if not json_:
        typer.echo("kind        n    rho   raw   x4val  corrected  width  error")
    for row in coverage_table(repetitions=repetitions, seed=seed):
        rows.append(jsonable(row))
        if not json_:
            typer.echo(
                f"{row.kind:<10}{row.samples:>4} {row.correlation:>5.1f} {row.raw_coverage:>6.3f} "
                f"{row.coverage:>6.3f} {row.corrected:>9.0%} {row.width_ratio:>6.2f} {row.rmse_ratio:>6.2f}"
            )
    if json_:
        typer.echo(json.dumps(rows))


def bench_x4val_service(
    vectors: Annotated[int, typer.Option(min=1_000, help="Samples in the gallery.")] = 100_000,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long four threads ask.")] = 10.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the samples.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Inverted lists beside exact search, and single samples while the gallery is exchanged.

    Exit 1 if a question failed or a sample was lost.
    """
    from fourdcb.identity import jsonable
    from fourdcb.x4val.service_trial import index_trial, service_trial

    index = index_trial(vectors, seed=seed)
    service = service_trial(vectors, seconds=seconds, seed=seed)
    if json_:
        typer.echo(json.dumps({"index": jsonable(index), "service": jsonable(service)}))
    else:
        for row in (index, service):
            for name, value in jsonable(row).items():
                typer.echo(f"{name:12} {value:.5g}")
    raise typer.Exit(1 if service.failed or service.lost else 0)

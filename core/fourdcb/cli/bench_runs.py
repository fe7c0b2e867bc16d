"""``fourdcb bench runs``: runs that are killed again and again, and runs of very many samples."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer


def bench_runs(
    kills: Annotated[int, typer.Option(help="Kills at random instants.", min=0)] = 200,
    samples: Annotated[int, typer.Option(help="Samples of the large run.", min=1)] = 10_000,
    executor: Annotated[str, typer.Option(help="local or ray, for the runs that are killed.")] = "local",
    seed: Annotated[int, typer.Option(help="Of the instants.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Kill runs and compare their scorecards with an undisturbed one; measure the cost of a sample."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.evaluation.trials import killed_runs, many_samples
    from fourdcb.randomness import generator

    figures: dict[str, Any] = {}
    if kills:
        with terminal_progress() as progress:
            rng = generator(seed, "bench/runs")
            figures |= killed_runs(kills, samples=24, rng=rng, executor=executor, progress=progress)
    figures |= {f"large_{name}": value for name, value in many_samples(samples).items()}
    if json_:
        typer.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        typer.echo(f"{name:26} {value:.5g}")

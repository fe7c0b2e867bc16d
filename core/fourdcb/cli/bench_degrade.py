"""``fourdcb bench degrade``: every fault of a camera, measured on pictures against what was asked for."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def bench_degrade(json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False) -> None:
    """Measure lens, blur, noise, hand and compression; exit 1 if one is not what was asked for."""
    from fourdcb.dataset.degrade.trials import trial_lines, trials
    from fourdcb.identity import jsonable

    found = list(trials())
    typer.echo(json.dumps([jsonable(one) for one in found]) if json_ else "\n".join(trial_lines(found)))
    raise typer.Exit(0 if all(one.is_good for one in found) else 1)

"""``fourdcb bench verdicts``: wrong and honest answers, and which of them the judge mistakes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourdcb.evaluation.verdict_table import Row

_QUICK = 8


def bench_verdicts(
    scene: Annotated[list[str] | None, typer.Option(help="Only this scene; may be repeated.")] = None,
    quick: Annotated[bool, typer.Option(help="Every eighth answer that is made by rule only.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Judge wrong and honest answers of all scenes; exit 1 if one is mistaken that is no known exception."""
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.evaluation.verdict_table import counts, table
    from fourdcb.identity import jsonable

    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        rows = list(table(root, scenes=scene or (), every=_QUICK if quick else 1, progress=progress))
    counted = counts(rows)
    mistaken = [row for row in rows if not row.right]
    if json_:
        told: dict[str, Any] = {"answers": [jsonable(row) for row in rows], "confusion": counted}
        typer.echo(json.dumps(told, indent=2))
    else:
        for kind, each in counted.items():
            said = ", ".join(f"{verdict} {n}" for verdict, n in each.items())
            typer.echo(f"{kind:<7}{sum(each.values()):>5}: {said}")
        idle = sum(bool(row.excuse) for row in rows)
        typer.echo(f"{idle} more say something else that is not seen, or is within the limits: not counted")
        typer.echo("\n".join(map(_line, mistaken)) or "every answer gets what it deserves")
    raise typer.Exit(0 if all(row.exception for row in mistaken) else 1)


def _line(row: Row) -> str:
    why = row.exception or "; ".join(row.why)
    known = "known" if row.exception else "MISTAKEN"
    return f"  {known}: {row.kind} {row.scene}, {row.name} is {row.verdict}: {why}"

"""``fourdcb bench honest``: the bundled truths said otherwise, and whether the judge minds."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def bench_honest(
    scene: Annotated[list[str] | None, typer.Option(help="Only this scene; may be repeated.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Judge the bundled truths said in other words; exit 1 if one does not get the truth's verdict."""
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.layout import REFERENCE_NAME
    from fourdcb.errors import UserError
    from fourdcb.evaluation.honest import judge_retellings
    from fourdcb.identity import jsonable

    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        scripts = {path.parent.name: path for path in sorted(root.glob(f"*/{REFERENCE_NAME}"))}
        unknown = set(scene or ()) - set(scripts)
        if unknown:
            raise UserError("no such scene", got=", ".join(sorted(unknown)), expected=", ".join(scripts))
        chosen = [path for name, path in scripts.items() if not scene or name in scene]
        judged = list(judge_retellings(chosen, progress=progress))
    mistaken = [one for one in judged if not one.right]
    if json_:
        rows = [jsonable(one) | {"right": one.right} for one in judged]
        typer.echo(json.dumps({"answers": rows, "mistaken": len(mistaken)}, indent=2))
    else:
        for one in mistaken:
            typer.echo(f"  MISTAKEN: {one.scene}, {one.way}: {one.verdict}: {'; '.join(one.why)}")
        typer.echo(f"{len(judged) - len(mistaken)} of {len(judged)} ways to say it get the truth's verdict")
    raise typer.Exit(1 if mistaken else 0)

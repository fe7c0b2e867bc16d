"""``fourdcb bench verdicts``: wrong and honest answers, and which of them the judge mistakes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.evaluation.verdicts import JudgedAnswer


def bench_verdicts(
    scene: Annotated[list[str] | None, typer.Option(help="Only this scene; may be repeated.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Judge wrong and honest answers of many scenes; exit 1 if one is mistaken that is no known exception."""
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.answers import load_answers
    from fourdcb.errors import UserError
    from fourdcb.evaluation.verdicts import confusion, judge_answers
    from fourdcb.identity import jsonable

    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        scenes = load_answers(root / "answers.yaml")
        unknown = set(scene or ()) - set(scenes)
        if unknown:
            raise UserError("no such scene", got=", ".join(sorted(unknown)), expected=", ".join(scenes))
        chosen = {name: each for name, each in scenes.items() if not scene or name in scene}
        judged = list(judge_answers(chosen, progress=progress))
    counts, mistaken = confusion(judged), [one for one in judged if not one.right]
    if json_:
        rows = [jsonable(one) | {"right": one.right} for one in judged]
        for row in rows:
            del row["answer"]["source"]
        typer.echo(json.dumps({"answers": rows, "confusion": counts}, indent=2))
    else:
        for kind, each in counts.items():
            told = ", ".join(f"{verdict} {n}" for verdict, n in each.items())
            typer.echo(f"{kind:<7}{sum(each.values()):>4}: {told}")
        typer.echo("\n".join(_line(one) for one in mistaken) or "every answer gets what it deserves")
    raise typer.Exit(0 if all(one.answer.exception for one in mistaken) else 1)


def _line(one: JudgedAnswer) -> str:
    a = one.answer
    why = a.exception or "; ".join(one.why)
    known = "known" if a.exception else "MISTAKEN"
    return f"  {known}: {a.kind} {a.scene} {a.name} = {a.value:g} is {one.verdict}: {why}"

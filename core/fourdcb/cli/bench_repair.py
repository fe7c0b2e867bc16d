"""``fourdcb bench repair``: answers as models give them, mended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourdcb.evaluation.repair.answers import Mended

_AIM, _MOST_WORSE = 0.8, 0.05


def bench_repair(
    scene: Annotated[list[str] | None, typer.Option(help="Only this scene; may be repeated.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Repair answers with several things wrong; exit 1 if too few become deployable or they mislead."""
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.errors import UserError
    from fourdcb.evaluation.repair.answers import load_answers, mend_answers

    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        answers = load_answers(root / "repairs.yaml")
        unknown = set(scene or ()) - {answer.scene for answer in answers}
        if unknown:
            raise UserError("no such scene", got=", ".join(sorted(unknown)))
        chosen = [answer for answer in answers if not scene or answer.scene in scene]
        mended = []
        for each in mend_answers(root, chosen, progress=progress):
            mended.append(each)
            if not json_:
                typer.echo(_line(_row(each)))
    record: dict[str, Any] = {"answers": [_row(each) for each in mended], "summary": _summary(mended)}
    typer.echo(json.dumps(record, indent=2) if json_ else "\n".join(_lines(record["summary"])))
    told = record["summary"]
    right = told["strong_and_middling_deployable"] >= _AIM and told["suggestions_worse"] < _MOST_WORSE
    raise typer.Exit(0 if right else 1)


def _row(mended: Mended) -> dict[str, Any]:
    answer, found = mended.answer, mended.repair
    kept = [step for step in found.steps if step.kept]
    return {
        "answer": answer.name, "scene": answer.scene, "kind": answer.kind,
        "before": "INVALID" if found.before is None else found.before.verdict, "after": found.after.verdict,
        "failed": list(found.after.failed), "tried": len(found.steps), "kept": len(kept),
        "by_suggestions_alone": found.after.deployable and all(s.origin == "suggestion" for s in kept),
        "edits": len(found.edits),
    }  # fmt: skip


def _summary(mended: Sequence[Mended]) -> dict[str, Any]:
    suggested = [s for each in mended for s in each.repair.steps if s.origin == "suggestion"]
    able = [each for each in mended if each.answer.kind != "weak"]
    rows = [_row(each) for each in mended]
    worse = sum(step.worse for step in suggested)
    return {
        "answers": len(mended),
        "deployable": sum(each.repair.after.deployable for each in mended),
        "by_suggestions_alone": sum(row["by_suggestions_alone"] for row in rows),
        "strong_and_middling_deployable": _share(sum(e.repair.after.deployable for e in able), len(able)),
        "by_kind": {
            kind: [sum(e.repair.after.deployable for e in mended if e.answer.kind == kind),
                   sum(e.answer.kind == kind for e in mended)]
            for kind in ("strong", "middling", "weak")
        },
        "suggestions": len(suggested),
        "suggestions_kept": sum(step.kept for step in suggested),
        "suggestions_worse": _share(worse, len(suggested)),
        "kept_steps_worse": sum(step.worse for each in mended for step in each.repair.steps if step.kept),
    }  # fmt: skip


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _line(row: dict[str, Any]) -> str:
    left = f"  ({', '.join(row['failed'])})" if row["failed"] else ""
    return (
        f"{row['answer']:<30} {row['kind']:<9} {row['before']:<27} → {row['after']:<27} "
        f"{row['kept']} of {row['tried']} steps kept{left}"
    )


def _lines(told: dict[str, Any]) -> list[str]:
    kinds = ", ".join(f"{kind} {good} of {all_}" for kind, (good, all_) in told["by_kind"].items())
    return [
        f"{told['deployable']} of {told['answers']} become deployable ({kinds}), "
        f"{told['by_suggestions_alone']} by suggestions of the report alone",
        f"{told['suggestions']} suggestions tried, {told['suggestions_kept']} kept, "
        f"{told['suggestions_worse']:.1%} made it worse; of the kept steps {told['kept_steps_worse']}",
    ]

"""``fourdcb repair``: apply what the judge suggests, and keep what helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourdcb.errors import UserError

if TYPE_CHECKING:
    from fourdcb.evaluation.repair import Repair, Step
    from fourdcb.metrics import Report

_RANK = {"DEPLOYABLE": 0, "INCONCLUSIVE": 1, "DEPLOYMENT_NOT_RECOMMENDED": 2}


def repair(
    code: Annotated[Path, typer.Option(help="The script to mend.")],
    video: Annotated[Path, typer.Option(help="The video that it answers to.")],
    output: Annotated[
        Path | None, typer.Option(help="Where to write the mended script (comments are kept).")
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(help="The truth script; default: world.py beside the video.")
    ] = None,
    criteria: Annotated[
        Path | None, typer.Option(help="Thresholds (YAML); default: the bundled ones.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Keep at most so many changes.")] = 30,
    exam: Annotated[
        bool, typer.Option("--exam", help="Say what is wrong without values; nothing is written.")
    ] = False,
) -> None:
    """Mend a script: apply suggestions, replay, keep what helps, until nothing does.

    Every step is printed with the verdict before and after it. The result is never worse than the script that
    was given. Exits with the verdict's code.
    """
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.dsl import load_script
    from fourdcb.dsl.parse import script_text
    from fourdcb.dsl.source import read_source
    from fourdcb.evaluation import truth_beside
    from fourdcb.evaluation.repair import RepairStage
    from fourdcb.evaluation.repair import repair as mended
    from fourdcb.identity import write_output
    from fourdcb.metrics import load_criteria
    from fourdcb.physics import make_engine

    truth = reference if reference is not None else truth_beside(video)
    if truth is None:
        raise UserError(
            "there is no truth script to repair against", where=str(video), hint="give one with --reference"
        )
    if output is None and not exam:
        raise UserError("nowhere to write the mended script", hint="give --output, or --exam")
    check_outputs(files=[None if exam else output], inputs=[code, video, truth, criteria])
    source = script_text(read_source(code), filename=str(code))
    with make_engine() as engine:
        stage = RepairStage(load_script(truth, extract=True).world, load_criteria(criteria), engine)
        found = mended(
            source, stage, filename=str(code), base_dir=str(code.parent), rounds=rounds,
            on_step=lambda step: _tell(step, exam=exam),
        )  # fmt: skip
    if exam:
        _tell_exam(found)
        raise typer.Exit(0 if found.before is not None and found.before.deployable else 1)
    assert output is not None
    write_output(output, found.source)
    report = _judged(output, video, truth, criteria)
    if found.before is not None:
        was = _judged(code, video, truth, criteria)
        if _RANK[report.verdict] > _RANK[was.verdict]:
            write_output(output, source)
            typer.echo("with the pictures the result is worse than what was given, which was kept")
            report = was
    _tell_result(found, report, output)
    raise typer.Exit(report.exit_code)


def _judged(code: Path, video: Path, truth: Path, criteria: Path | None) -> Report:
    from fourdcb.evaluation import evaluate

    return evaluate(code, video, reference=truth, criteria=criteria, timed=False).report


def _tell(step: Step, *, exam: bool) -> None:
    from fourdcb.evaluation.repair import told

    if exam:
        return  # what was only tried would tell what is right
    what = "\n      ".join(told(edit) for edit in step.edits)
    mark = "kept " if step.kept else "tried"
    typer.echo(
        f"{mark} {what}\n      {step.before.verdict} ({_wrong(step.before.failed)}) → "
        f"{step.after.verdict} ({_wrong(step.after.failed)})"
    )


def _wrong(failed: tuple[str, ...]) -> str:
    return ", ".join(failed) or "nothing fails"


def _tell_exam(found: Repair) -> None:
    """What to look at, in the order in which it helps most; no values, no directions, no foreign names."""
    from fourdcb.evaluation.repair import told

    if found.completed:
        typer.echo(found.completed)
    for line in dict.fromkeys(told(edit, exam=True) for edit in found.edits):
        typer.echo(f"look at {line}")
    if not found.edits:
        typer.echo("nothing is known that would help")


def _tell_result(found: Repair, report: Report, output: Path) -> None:
    from fourdcb.evaluation.repair import told

    if found.completed:
        typer.echo(f"stated what was missing: {found.completed}")
    typer.echo("changed:" if found.edits else "nothing was changed")
    for edit in found.edits:
        typer.echo(f"  {told(edit)}")
    before = "not valid" if found.before is None else found.before.verdict
    typer.echo(f"{before} → {report.verdict}; script: {output}")
    if not found.after.deployable:
        typer.echo("nothing further helps by itself: see `fourdcb eval` for what is left")

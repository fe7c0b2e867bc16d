"""``fourdcb bench oracle``: clips are inverted, and the answers judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.evaluation.inversions import InversionRow

_MARKS = {True: "✓", False: "✗", None: "–"}


def bench_oracle(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Scenes, such as `fourdcb generate` makes; default the bundled ones."),
    ] = None,
    scene: Annotated[list[str] | None, typer.Option(help="Only this scene; may be repeated.")] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for each clip.")] = 120.0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Invert clips from their pictures and cameras alone, and judge the answers by their truths."""
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.layout import REFERENCE_NAME, VIDEO_NAME
    from fourdcb.errors import UserError
    from fourdcb.evaluation.inversions import judge_inversions
    from fourdcb.identity import jsonable

    with as_file(files("fourdcb_resources") / "scenes") as bundled:
        root = folder or bundled
        found = [
            p.parent for p in sorted(root.glob(f"**/{VIDEO_NAME}")) if (p.parent / REFERENCE_NAME).is_file()
        ]
        chosen = [place for place in found if not scene or place.name in scene]
        if not chosen:
            raise UserError("no such scene", where=str(root), expected=", ".join(p.name for p in found[:20]))
        rows: list[InversionRow] = []
        if not json_:
            typer.echo(_HEAD)
        with terminal_progress() as progress:
            for row in judge_inversions(chosen, time_limit=time_limit, progress=progress):
                rows.append(row)
                if not json_:
                    typer.echo(_line(row))
    if json_:
        typer.echo(json.dumps([jsonable(row) for row in rows], indent=1))
    else:
        typer.echo("\n".join(_summary(rows)))


_HEAD = (
    f"{'scene':16} {'bodies':>6} {'GPMT':>5} {'says':>9} {'IoU':>6} {'pos mm':>8} {'v m/s':>7} {'size %':>7} "
    f"{'Δe':>6} {'Δμ':>6} {'±':>7} {'s':>5}"
)


def _line(row: InversionRow) -> str:
    def worst(values: list[float | None], form: str) -> str:
        known = [value for value in values if value is not None]
        return format(max(known), form) if known else "–"

    bodies = row.bodies
    figures = [
        f"{row.scene:16} {row.found:>2} of {row.true:<1}",
        f"{''.join(_MARKS[passed] for passed in row.axes):>5}",
        f"{'explained' if row.explained else 'partial':>9}",
        f"{row.silhouette_iou:6.3f}",
        f"{worst([b.position_mm for b in bodies], '.1f'):>8}",
        f"{worst([b.speed for b in bodies], '.3f'):>7}",
        f"{worst([100 * b.size for b in bodies], '.1f'):>7}",
        f"{worst([b.restitution for b in bodies], '.3f'):>6}",
        f"{worst([b.friction for b in bodies], '.3f'):>6}",
        f"{f'{row.covered}/{row.told}':>7}",
        f"{row.seconds:5.0f}",
    ]
    return " ".join(figures)


def _summary(rows: list[InversionRow]) -> list[str]:
    passed = {axis: sum(row.axes[k] is True for row in rows) for k, axis in enumerate("GPMT")}
    told, covered = sum(row.told for row in rows), sum(row.covered for row in rows)
    deployable = sum(row.verdict == "DEPLOYABLE" for row in rows)
    wrongly = sum(row.explained and row.axes[0] is False for row in rows)
    return [
        "",
        f"{len(rows)} clips: deployable {deployable}; passed "
        + ", ".join(f"{axis} {count}" for axis, count in passed.items()),
        f"called explained although the geometry fails: {wrongly}",
        f"values with an error: {told}, of which {covered} lie within two of it",
    ]

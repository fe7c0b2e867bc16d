"""``fourdcb bench judge``: known faults of the bundled scenes, and what the judge says of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourdcb.evaluation.confusion import Cell

_AXES = {"geometry": "geometry", "physics": "physics", "material_light": "light", "time": "time"}
_VERDICTS = {
    "DEPLOYABLE": "deployable",
    "DEPLOYMENT_NOT_RECOMMENDED": "not deployable",
    "INCONCLUSIVE": "inconclusive",
}


def bench_judge(
    scene: Annotated[list[str] | None, typer.Option(help="Only this scene; may be repeated.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Judge known faults in three sizes: verdict, failed axes, likely cause; exit 1 if any cell is wrong."""
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.faults import left_out, load_faults
    from fourdcb.errors import UserError
    from fourdcb.evaluation.confusion import judge_faults

    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        table = root / "faults.yaml"
        faults, missing = load_faults(table), left_out(table)
        unknown = set(scene or ()) - set(faults)
        if unknown:
            raise UserError("no such scene", got=", ".join(sorted(unknown)), expected=", ".join(faults))
        chosen = {name: each for name, each in faults.items() if not scene or name in scene}
        cells = list(judge_faults(root, chosen, progress=progress))
    if json_:
        typer.echo(json.dumps(_record(cells, {name: missing[name] for name in chosen}), indent=2))
    else:
        typer.echo("\n".join([*_lines(cells), *_reasons({name: missing[name] for name in chosen})]))
    raise typer.Exit(0 if all(not cell.complaints for cell in cells) else 1)


def _record(cells: Sequence[Cell], missing: dict[str, dict[str, str]]) -> dict[str, Any]:
    from fourdcb.identity import jsonable

    rows = [jsonable(cell) | {"right": not cell.complaints, "blamed": cell.blamed} for cell in cells]
    return {"cells": rows, "left_out": missing, "summary": _summary(cells)}


def _summary(cells: Sequence[Cell]) -> dict[str, int]:
    far = [cell for cell in cells if cell.size == "far"]
    return {
        "cells": len(cells),
        "right": sum(not cell.complaints for cell in cells),
        "far_cells": len(far),
        "far_cells_blamed": sum(cell.blamed for cell in far),
    }


def _lines(cells: Sequence[Cell]) -> list[str]:
    lines = []
    place: tuple[str, str] | None = None
    for cell in cells:
        if place is None or place[0] != cell.scene:
            lines.append(f"{cell.scene}")
        if place != (cell.scene, cell.fault):
            lines.append(f"  {cell.fault}" + (f" ({cell.parameter})" if cell.parameter else ""))
        place = (cell.scene, cell.fault)
        lines += _row(cell)
    told = _summary(cells)
    lines.append(f"{told['right']} of {told['cells']} cells are right")
    if told["far_cells"]:
        lines.append(
            f"{told['far_cells_blamed']} of {told['far_cells']} far cells blame the faulty parameter first"
        )
    return lines


def _row(cell: Cell) -> list[str]:
    value = "" if cell.value is None else f"{cell.value:g}"
    failed = ", ".join(_AXES[axis] for axis in cell.failed) or "–"
    size = cell.size.replace("_", " ")
    row = f"    {size:<11}{value:>8}  {_VERDICTS[cell.verdict]:<15} {failed:<24} {cell.cause or '–'}"
    wrong = [f"      WRONG: {'; '.join(cell.complaints)}"] if cell.complaints else []
    return [row, *([f"      {cell.message}"] if cell.message else []), *wrong]


def _reasons(missing: dict[str, dict[str, str]]) -> list[str]:
    lines = [f"  {scene}, {name}: {why}" for scene, each in missing.items() for name, why in each.items()]
    return ["not to be seen:", *lines] if lines else []

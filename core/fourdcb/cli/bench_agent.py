"""``fourdcb bench agent``: single faults, mended by an agent without a language model."""

from __future__ import annotations

import json
from typing import Annotated

import typer

_AIM = 0.9


def bench_agent(
    scene: Annotated[list[str] | None, typer.Option(help="Only this scene; may be repeated.")] = None,
    size: Annotated[
        list[str] | None, typer.Option(help="just_over or far; may be repeated. Default both.")
    ] = None,
    calls: Annotated[int, typer.Option(help="Calls that the agent may make for one script.", min=1)] = 4,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Have a scripted agent mend known faults from the replies of the tools alone; exit 1 below 90 %."""
    from importlib.resources import as_file, files

    from fourdcb.agents.desk import AgentDesk
    from fourdcb.agents.scripted import mend_faults
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.faults import SIZES, load_faults
    from fourdcb.errors import UserError
    from fourdcb.identity import jsonable

    sizes = [name for name in SIZES if name in (size or ("just_over", "far"))]
    if set(size or ()) - set(sizes):
        raise UserError("no such size of a fault", got=", ".join(size or ()), expected=", ".join(SIZES))
    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        faults = load_faults(root / "faults.yaml")
        unknown = set(scene or ()) - set(faults)
        if unknown:
            raise UserError("no such scene", got=", ".join(sorted(unknown)), expected=", ".join(faults))
        chosen = {name: each for name, each in faults.items() if not scene or name in scene}
        desk = AgentDesk(str(root))
        try:
            rows = []
            for row in mend_faults(root, chosen, desk, sizes=sizes, most_calls=calls, progress=progress):
                rows.append(row)
                if not json_:
                    mark = "mended" if row.mended else f"NOT MENDED ({row.verdict or 'no verdict'})"
                    changes = "; ".join(row.applied) or "nothing suggested"
                    typer.echo(
                        f"{row.scene:16} {row.fault:24} {row.size:10} {mark}, {row.calls} calls: {changes}"
                    )
        finally:
            desk.close()
    mended = sum(row.mended for row in rows)
    summary = {"faults": len(rows), "mended": mended, "most_calls": calls}
    if json_:
        typer.echo(json.dumps({"rows": [jsonable(row) for row in rows], "summary": summary}, indent=2))
    else:
        typer.echo(f"{mended} of {len(rows)} faults are mended in at most {calls} calls")
    raise typer.Exit(0 if rows and mended >= _AIM * len(rows) else 1)

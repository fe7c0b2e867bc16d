"""``fourdcb generate``: play truth scripts into scene folders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def generate(
    out: Annotated[Path, typer.Option("--output", "--out", help="Folder for the scenes.")],
    benchmark: Annotated[str, typer.Option(help="Which set to make; the bundled one is 'mini'.")] = "mini",
) -> None:
    """Make the bundled mini benchmark anew: scripts, videos and single-fault candidates."""
    from importlib.resources import as_file, files

    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset import build_scene, load_faults
    from fourdcb.dataset.layout import REFERENCE_NAME
    from fourdcb.errors import UserError
    from fourdcb.render import RenderSettings

    if benchmark != "mini":
        raise UserError("no such benchmark", got=benchmark, expected="mini")
    check_outputs(files=[], folder=out)
    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        for scene, faults in load_faults(root / "faults.yaml").items():
            record = build_scene(
                root / scene / REFERENCE_NAME,
                faults,
                out / scene,
                settings=RenderSettings(),
                progress=progress,
            )
            seen = ", ".join(f"{name} {t:.2f} s" for name, t in record.horizon.items())
            typer.echo(f"{record.folder}: {len(record.candidates)} candidates, predictable for {seen}")

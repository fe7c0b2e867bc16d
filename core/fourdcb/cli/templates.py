"""``fourdcb templates``: the families of scenes that can be sampled."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def templates(
    ranges: Annotated[
        bool, typer.Option("--ranges", help="Also print what is drawn, and from where.")
    ] = False,
    pictures: Annotated[
        Path | None, typer.Option(help="Also write moments of a clip of each, as a PNG or JPEG.")
    ] = None,
) -> None:
    """List the templates of `fourdcb generate`, with a line each."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.dataset.templates import TEMPLATES

    check_outputs(files=[pictures])
    for found in TEMPLATES.values():
        typer.echo(f"{found.name:20} {found.line}")
        for name, span in found.ranges.items() if ranges else ():
            typer.echo(f"    {name:18} {span.low:g} … {span.high:g} {span.unit}".rstrip())
    if pictures is not None:
        from importlib.resources import as_file, files

        from fourdcb.dataset.gallery import write_gallery

        with as_file(files("fourdcb_resources") / "scenes") as root:
            write_gallery(pictures, list(TEMPLATES), root)

"""``fourdcb templates``: the families of scenes that can be sampled."""

from __future__ import annotations

from typing import Annotated

import typer


def templates(
    ranges: Annotated[
        bool, typer.Option("--ranges", help="Also print what is drawn, and from where.")
    ] = False,
) -> None:
    """List the templates of `fourdcb generate`, with a line each."""
    from fourdcb.dataset.templates import TEMPLATES

    for found in TEMPLATES.values():
        typer.echo(f"{found.name:20} {found.line}")
        for name, span in found.ranges.items() if ranges else ():
            typer.echo(f"    {name:18} {span.low:g} … {span.high:g} {span.unit}".rstrip())

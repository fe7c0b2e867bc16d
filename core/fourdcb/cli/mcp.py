"""``fourdcb mcp``: the judge as tools for an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def mcp(
    benchmark: Annotated[str, typer.Option(help="Catalog id, or a folder of scenes.")] = "mini",
    exam: Annotated[
        bool, typer.Option("--exam", help="Hide expected values and suggestions; every call is recorded.")
    ] = False,
    record: Annotated[Path | None, typer.Option(help="Journal of all calls.")] = None,
) -> None:
    """Serve the judge to an agent over the Model Context Protocol, on standard input and output."""
    from fourdcb.agents.desk import AgentDesk
    from fourdcb.agents.server import make_server

    desk = AgentDesk(benchmark, exam=exam, record=record)
    try:
        make_server(desk).run("stdio")
    finally:
        desk.close()

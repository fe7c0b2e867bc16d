"""``fourdcb studio``: open the desktop app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_APP_MODULE = "fourdcb_studio.app"


def studio(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Scene or library folder, bundled scene, script, script and video, or videos."),
    ] = None,
    code: Annotated[
        str | None, typer.Option(help="Candidate of the scene folder, by its name, or a script.")
    ] = None,
    frame: Annotated[int | None, typer.Option(help="Frame to stand on.")] = None,
    compare: Annotated[
        str | None, typer.Option(help="side, three, wipe, blink, difference or before_after.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Edit a value, such as cup.restitution=0.35.")
    ] = None,
    screenshot: Annotated[
        Path | None, typer.Option(help="Save a picture once nothing is stale, and leave.")
    ] = None,
    theme: Annotated[str | None, typer.Option(help="dark, light or system; default: as set.")] = None,
    language: Annotated[str | None, typer.Option(help="Such as en or zh_CN; default: as set.")] = None,
    size: Annotated[str, typer.Option(help="Size of the window [px].")] = "1600x1000",
) -> None:
    """See original and replay side by side, where they differ, and what value would fix it."""
    import importlib
    import importlib.util

    from fourdcb.errors import MissingDependencyError

    for package in (_APP_MODULE.partition(".")[0], "PySide6"):
        if importlib.util.find_spec(package) is None:
            raise MissingDependencyError(package, extra="studio", purpose="the Studio")
    arguments = [*map(str, paths or ()), "--size", size]
    if theme is not None:
        arguments += ["--theme", theme]
    if language is not None:
        arguments += ["--language", language]
    if code is not None:
        arguments += ["--code", code]
    if frame is not None:
        arguments += ["--frame", str(frame)]
    if compare is not None:
        arguments += ["--compare", compare]
    for value in set_ or ():
        arguments += ["--set", value]
    if screenshot is not None:
        arguments += ["--screenshot", str(screenshot)]
    raise typer.Exit(importlib.import_module(_APP_MODULE).main(arguments))

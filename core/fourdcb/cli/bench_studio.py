"""``fourdcb bench studio``: how fast the desktop app answers, measured on its real window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

_BENCHMARK_MODULE = "fourdcb_studio.benchmark"


def bench_studio(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="What to open; default: the bundled failing case.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
    soak: Annotated[float, typer.Option(help="Go on dragging for so long and watch the memory [s].")] = 0.0,
) -> None:
    """Measure slider-to-pixel latency, re-judging, blocking, seeking, start and memory of the Studio."""
    figures = _measured([*map(str, paths or ()), "--soak", str(soak)])
    if json_:
        import json

        typer.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        shown = "  ".join(f"{k} {v:g}" for k, v in value.items()) if isinstance(value, dict) else f"{value:g}"
        typer.echo(f"{name:32} {shown}")


def _measured(arguments: list[str]) -> dict[str, Any]:
    """Run the benchmark in a process of its own, so that its start is measured too."""
    import importlib.util
    import json
    import os
    import subprocess
    import sys

    from fourdcb.errors import MissingDependencyError, UserError

    if importlib.util.find_spec("PySide6") is None:
        raise MissingDependencyError("PySide6", extra="studio", purpose="the Studio's benchmark")
    done = subprocess.run(
        [sys.executable, "-m", _BENCHMARK_MODULE, *arguments],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise UserError("the benchmark did not end well", got=done.stderr.strip()[-2000:] or None)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures

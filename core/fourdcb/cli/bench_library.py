"""``fourdcb bench library``: how fast a library of cases opens and is narrowed down, on the real window."""

from __future__ import annotations

from typing import Annotated

import typer

_BENCHMARK_MODULE = "fourdcb_studio.library_benchmark"


def bench_library(
    cases: Annotated[int, typer.Option(help="Cases that are made up for it.", min=1)] = 1000,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Measure opening, filtering and scrolling of a library of made-up cases in the Studio."""
    import importlib.util
    import json
    import os
    import subprocess
    import sys

    from fourdcb.errors import MissingDependencyError, UserError

    if importlib.util.find_spec("PySide6") is None:
        raise MissingDependencyError("PySide6", extra="studio", purpose="the Studio's benchmark")
    done = subprocess.run(
        [sys.executable, "-m", _BENCHMARK_MODULE, "--cases", str(cases)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise UserError("the benchmark did not end well", got=done.stderr.strip()[-2000:] or None)
    if json_:
        typer.echo(json.dumps(json.loads(done.stdout)))
        return
    for name, value in json.loads(done.stdout).items():
        shown = "  ".join(f"{k} {v:g}" for k, v in value.items()) if isinstance(value, dict) else f"{value:g}"
        typer.echo(f"{name:24} {shown}")

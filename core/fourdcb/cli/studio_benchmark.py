"""Runs a benchmark of the Studio in a process of its own, so that its start is measured too."""

from __future__ import annotations

import json
from typing import Any

import typer


def tell_figures(module: str, arguments: list[str], *, as_json: bool) -> None:
    """Run a module of the Studio that prints JSON, and print its figures.

    Raises:
        MissingDependencyError: without Qt.
        UserError: when the benchmark fails.
    """
    figures = _figures(module, arguments)
    if as_json:
        typer.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        shown = "  ".join(f"{k} {v:g}" for k, v in value.items()) if isinstance(value, dict) else f"{value:g}"
        typer.echo(f"{name:32} {shown}")


def _figures(module: str, arguments: list[str]) -> dict[str, Any]:
    import importlib.util
    import os
    import subprocess
    import sys

    from fourdcb.errors import MissingDependencyError, UserError

    if importlib.util.find_spec("PySide6") is None:
        raise MissingDependencyError("PySide6", extra="studio", purpose="the Studio's benchmark")
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise UserError("the benchmark did not end well", got=done.stderr.strip()[-2000:] or None)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures

"""``fourdcb bench studio``: how fast the desktop app answers, measured on its real window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fourdcb.cli.studio_benchmark import tell_figures

_BENCHMARK_MODULE = "fourdcb_studio.benchmark"


def bench_studio(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="What to open; default: the bundled failing case.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
    soak: Annotated[float, typer.Option(help="Go on dragging for so long and watch the memory [s].")] = 0.0,
) -> None:
    """Measure slider-to-pixel latency, re-judging, blocking, seeking, start and memory of the Studio."""
    tell_figures(_BENCHMARK_MODULE, [*map(str, paths or ()), "--soak", str(soak)], as_json=json_)

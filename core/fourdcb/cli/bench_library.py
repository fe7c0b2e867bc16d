"""``fourdcb bench library``: how fast a library of cases opens and is narrowed down, on the real window."""

from __future__ import annotations

from typing import Annotated

import typer

from fourdcb.cli.studio_benchmark import tell_figures

_BENCHMARK_MODULE = "fourdcb_studio.library_benchmark"


def bench_library(
    cases: Annotated[int, typer.Option(help="Cases that are made up for it.", min=1)] = 1000,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Measure opening, filtering and scrolling of a library of made-up cases in the Studio."""
    tell_figures(_BENCHMARK_MODULE, ["--cases", str(cases)], as_json=json_)

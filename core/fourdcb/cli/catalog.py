"""``fourdcb catalog``: which models and benchmarks `fourdcb run` knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_File = Annotated[Path | None, typer.Option(help="Catalog file in place of the bundled one.")]


def build_catalog() -> typer.Typer:
    """The sub-verbs."""
    app = typer.Typer(help="Models and benchmarks that `fourdcb run` knows.", no_args_is_help=True)
    for verb in (list_, show, validate, lock):
        app.command(verb.__name__.rstrip("_"))(verb)
    return app


def list_(models: _File = None, benchmarks: _File = None) -> None:
    """List both catalogs."""
    from fourdcb.evaluation.catalog import load_benchmarks, load_models

    print("models")
    for model in load_models(models):
        print(f"  {_names(model.id, model.aliases):32} {' '.join(model.about.split())}")
    print("benchmarks")
    for benchmark in load_benchmarks(benchmarks):
        print(f"  {_names(benchmark.id, benchmark.aliases):32} {' '.join(benchmark.about.split())}")


def show(
    name: Annotated[str, typer.Argument(help="Id or alias of a benchmark.")], benchmarks: _File = None
) -> None:
    """Show a benchmark with its samples."""
    from fourdcb.evaluation.catalog import find_entry, load_benchmarks
    from fourdcb.evaluation.catalog.samples import find_samples, read_pins

    found = find_entry(load_benchmarks(benchmarks), name, what="benchmark")
    pins = read_pins(found)
    print(f"{found.id} {found.spec.revision}: {' '.join(found.about.split())}")
    print(f"evidence {found.spec.evidence}; metrics {', '.join(found.spec.metrics)}")
    for sample in find_samples(found.data):
        pinned = "not pinned"
        if pins is not None and sample.sample_id in pins.samples:
            pinned = (
                "pinned" if pins.samples[sample.sample_id] == sample.hashes else "CHANGED since it was pinned"
            )
        print(f"  {sample.sample_id:32} group {sample.group:20} {pinned}")


def validate(models: _File = None, benchmarks: _File = None) -> None:
    """Read both catalogs and every benchmark's samples; exit 2 with file and line of the first fault."""
    from fourdcb.evaluation.catalog import load_benchmarks, load_models
    from fourdcb.evaluation.catalog.samples import find_samples, read_pins

    known = load_models(models)
    count = 0
    for benchmark in load_benchmarks(benchmarks):
        count += len(find_samples(benchmark.data))
        read_pins(benchmark)
    print(f"{len(known)} model(s) and {count} sample(s): valid")


def lock(
    name: Annotated[str, typer.Argument(help="Id or alias of a benchmark.")], benchmarks: _File = None
) -> None:
    """Pin a benchmark's samples and thresholds as they are now."""
    from fourdcb.evaluation.catalog import find_entry, load_benchmarks
    from fourdcb.evaluation.catalog.samples import write_pins
    from fourdcb.evaluation.judge_metric import criteria_record

    found = find_entry(load_benchmarks(benchmarks), name, what="benchmark")
    print(f"pinned: {write_pins(found, criteria_record(None)['sha256'])}")


def _names(name: str, aliases: tuple[str, ...]) -> str:
    return f"{name} ({', '.join(aliases)})" if aliases else name

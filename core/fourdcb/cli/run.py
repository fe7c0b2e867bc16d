"""``fourdcb run``: a model over a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    model: Annotated[
        str,
        typer.Option(
            help="Catalog id, module:function, torch:module:Class, a folder of scripts, a command "
            "with {video}, or the address of an endpoint."
        ),
    ],
    benchmark: Annotated[str, typer.Option(help="Catalog id, or a folder of scenes.")],
    out: Annotated[Path, typer.Option(help="Folder of the run.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Setting of the runner, NAME=VALUE; may be repeated.")
    ] = None,
    sample: Annotated[list[str] | None, typer.Option(help="Only this sample; may be repeated.")] = None,
    split: Annotated[str, typer.Option(help="Part of the benchmark.")] = "all",
    metric: Annotated[
        list[str] | None, typer.Option(help="Metric in place of the benchmark's own; may be repeated.")
    ] = None,
    criteria: Annotated[Path | None, typer.Option(help="Thresholds (YAML).")] = None,
    executor: Annotated[str, typer.Option(help="local or ray.")] = "local",
    workers: Annotated[int | None, typer.Option(help="Processes at a time; default one a processor.")] = None,
    shard: Annotated[
        str, typer.Option(help="I/N: generate the I-th of N parts; `fourdcb score` merges.")
    ] = "1/1",
    resume: Annotated[bool, typer.Option("--resume", help="Take up a run that was cut off.")] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where the model failed.")
    ] = False,
    repair: Annotated[int, typer.Option(help="Rounds in which an endpoint may mend its script.")] = 0,
    time_limit: Annotated[float, typer.Option(help="Seconds that a model may take for one sample.")] = 600.0,
    memory_limit: Annotated[float, typer.Option(help="Memory that a model may take [MB].")] = 4096.0,
    claim_at_most: Annotated[str | None, typer.Option(help="Lower the claim; it cannot be raised.")] = None,
    models: Annotated[
        Path | None, typer.Option(help="Catalog of models in place of the bundled one.")
    ] = None,
    benchmarks: Annotated[
        Path | None, typer.Option(help="Catalog of benchmarks in place of the bundled one.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be done, and stop.")] = False,
) -> None:
    """Run a model over a benchmark: generate, judge, scorecard; resumable at any instant."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.cli.runs import parsed_settings, parsed_shard, plan_lines, run_lines, see_own_modules
    from fourdcb.evaluation.runs.execution import run_evaluate
    from fourdcb.evaluation.runs.request import EvaluateRunRequest, prepare
    from fourdcb.report.run_page import write_run_page
    from fourdcb.work import Limits

    see_own_modules()
    settings = parsed_settings(set_ or [])
    if repair:
        settings["repair"] = repair
    request = EvaluateRunRequest(
        model=model,
        benchmark=benchmark,
        out=out,
        model_parameters=settings,
        split=split,
        samples=sample,
        metrics=metric,
        criteria=criteria,
        executor=executor,
        workers=workers,
        generation_limits=Limits(seconds=time_limit, memory_mb=memory_limit),
        resume=resume,
        retry_failed=retry_failed,
        shard=parsed_shard(shard),
        at_most=claim_at_most,  # type: ignore[arg-type]
        model_catalog=models,
        benchmark_catalog=benchmarks,
    )
    if dry_run:
        print("\n".join(plan_lines(prepare(request), request)))
        return
    with terminal_progress() as progress:
        outcome = run_evaluate(request, progress=progress)
    write_run_page(outcome)
    print("\n".join(run_lines(outcome)))

"""``fourdcb score``, ``compare``, ``leaderboard``, ``validate`` and ``materialize``: what is done with
runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourdcb.errors import UserError

if TYPE_CHECKING:
    from fourdcb.evaluation.runs.execution import RunOutcome
    from fourdcb.evaluation.runs.request import EvaluateRunRequest, PreparedEvaluation


def score(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.")],
    shards: Annotated[int, typer.Option(help="How many shards the run was generated in.")] = 1,
    metric: Annotated[list[str] | None, typer.Option(help="Metrics; default those of the run.")] = None,
    criteria: Annotated[Path | None, typer.Option(help="Thresholds; default those of the run.")] = None,
    executor: Annotated[str, typer.Option(help="local or ray.")] = "local",
    workers: Annotated[int | None, typer.Option(help="Processes at a time.")] = None,
) -> None:
    """Score what a run generated: merge its shards, add metrics; nothing is generated again."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.evaluation.runs.execution import score_existing
    from fourdcb.evaluation.runs.folder import read_json
    from fourdcb.evaluation.runs.request import EvaluateRunRequest
    from fourdcb.report.run_page import write_run_page

    see_own_modules()
    made = read_json(folder / "command.json", what="the run's command")
    if metric:
        made["metrics"] = metric
    if criteria is not None:
        made["criteria"] = criteria
    for name in ("criteria", "benchmark_catalog"):
        made[name] = None if made.get(name) is None else Path(made[name])
    try:
        request = EvaluateRunRequest(out=folder, resume=True, executor=executor, workers=workers, **made)
    except TypeError as error:
        raise UserError(
            "the run's command is damaged", where=str(folder / "command.json"), got=str(error)
        ) from error
    with terminal_progress() as progress:
        outcome = score_existing(request, shards=shards, progress=progress)
    write_run_page(outcome)
    print("\n".join(run_lines(outcome)))


def compare(
    first: Annotated[Path, typer.Argument(help="Run A.")],
    second: Annotated[Path, typer.Argument(help="Run B.")],
    metric: Annotated[list[str] | None, typer.Option(help="Only this number; may be repeated.")] = None,
) -> None:
    """Compare two runs pair by pair: difference B - A with its interval, and the smallest one to be found."""
    from fourdcb.evaluation.runs.compare import compare_runs, load_run

    rows = compare_runs(load_run(first), load_run(second), metrics=metric)
    print(f"A: {first}\nB: {second}\n")
    print(
        f"{'metric':22} {'A':>10} {'B':>10} {'B - A':>10}  {'95 % interval':>23}  {'detectable':>10}  "
        "pairs (groups)"
    )
    for row in rows:
        d = row.difference
        if d is None:
            print(f"{row.metric_id:22} {'–':>10} {'–':>10} {'–':>10}  {'no sample has both':>23}")
            continue
        span = "–" if d.low is None else f"{d.low:+.4g} … {d.high:+.4g}"
        least = "–" if d.detectable is None else f"{d.detectable:.3g}"
        note = f"; {row.unpaired} unpaired" if row.unpaired else ""
        print(
            f"{row.metric_id:22} {row.a:10.4g} {row.b:10.4g} {d.mean:+10.4g}  {span:>23}  {least:>10}  "
            f"{d.pairs} ({d.groups}){note}"
        )


def leaderboard(
    folders: Annotated[list[Path], typer.Argument(help="Runs.")],
    metric: Annotated[str, typer.Option(help="Number that decides.")] = "deployable",
) -> None:
    """Put runs in order; those that may not be compared come last, with the reason."""
    from fourdcb.evaluation.runs.compare import leaderboard as ordered
    from fourdcb.evaluation.runs.compare import load_run

    for place, row in enumerate(ordered([load_run(folder) for folder in folders], metric=metric), 1):
        value = "–" if row.value is None else f"{row.value:.4g}"
        span = "" if row.low is None else f" ({row.low:.4g} … {row.high:.4g})"
        if row.why_not:
            print(f"  – {row.model} {value}{span} [{row.run}]: {row.why_not}")
        else:
            print(f"{place:3} {row.model} {value}{span} [{row.run}] {row.claim}")


def validate(folder: Annotated[Path, typer.Argument(help="Folder of a run.")]) -> None:
    """Check a run's scorecard as a gate for releases does: exit 1 when something is wrong with it."""
    from fourdcb.evaluation.runs.gate import run_complaints

    complaints = run_complaints(folder)
    for complaint in complaints:
        print(complaint)
    if complaints:
        raise typer.Exit(1)
    print(f"{folder / 'scorecard.json'}: valid")


def materialize(
    benchmark: Annotated[str, typer.Argument(help="Catalog id, or a folder of scenes.")],
    output: Annotated[Path, typer.Option(help="File of JSON lines to write.")],
) -> None:
    """Write the requests that a model would be asked, and stop."""
    from fourdcb.evaluation.runs.request import EvaluateRunRequest, prepare
    from fourdcb.identity import canonical_json, write_output

    plan = prepare(EvaluateRunRequest(model="baseline", benchmark=benchmark, out=output.parent / "run")).plan
    lines = [canonical_json(plan.request(sample).to_dict()) + "\n" for sample in plan.samples]
    write_output(output, "".join(lines))
    print(f"{len(lines)} requests: {output}")


def see_own_modules() -> None:
    """Have ``module:name`` find what lies in the working folder, as ``python -m`` does; installed modules
    come first.
    """
    import os
    import sys

    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())


def parsed_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Settings given as NAME=VALUE; values are JSON where they can be, else text. Raises UserError."""
    import json

    found: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise UserError("a setting must have a name and a value", got=text, expected="NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def parsed_shard(text: str) -> tuple[int, int]:
    """(I, N) of ``I/N``. Raises UserError."""
    first, _, second = text.partition("/")
    if first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second):
        return int(first), int(second)
    raise UserError("there is no such shard", got=text, expected="I/N with 1 <= I <= N")


def plan_lines(prepared: PreparedEvaluation, request: EvaluateRunRequest) -> list[str]:
    """What a run would do, and what it would take over from an earlier attempt."""
    from fourdcb.evaluation.runs.folder import RunFolder
    from fourdcb.evaluation.runs.generation import reusable
    from fourdcb.work.journal import read_journal

    plan, folder = prepared.plan, RunFolder(request.out)
    samples = plan.shard(*request.shard)
    known = reusable(plan, samples, [read_journal(folder.results(request.shard)).records])
    lines = [
        f"model      {plan.model.id} ({plan.model.target})",
        f"benchmark  {plan.benchmark['id']} {plan.benchmark['revision']}, split {plan.split}, "
        f"{len(plan.samples)} samples",
        f"criteria   {plan.criteria['id']} v{plan.criteria['version']}",
        f"metrics    {', '.join(dict.fromkeys(d.owner for d in plan.metrics))}",
        f"fingerprint {plan.fingerprint}",
        "",
    ]
    for sample in samples:
        result = known.get(sample.sample_id)
        todo = (
            "generate"
            if result is None
            else f"kept: answered ({result.status}) for the same request, files and settings"
        )
        lines.append(f"  {sample.sample_id:32} {todo}")
    return lines


def run_lines(outcome: RunOutcome) -> list[str]:
    """A run's end, for the terminal."""
    from fourdcb.evaluation.runs.markdown import leaderboard_words

    if outcome.card is None:
        return [
            f"The shard is generated: {outcome.folder}",
            "When all are there: fourdcb score DIR --shards N",
        ]
    card = outcome.card
    lines = []
    for row in outcome.rows:
        why = f"  ({row['why']})" if row["why"] else ""
        lines.append(f"  {row['sample_id']:28} {row['status']:10} {row['verdict']}{why}")
    lines.append("")
    for name in ("deployable", "script_valid", "generation_success"):
        entry = card["metrics"].get(name)
        if entry is not None and entry["aggregate"]["value"] is not None:
            total = entry["aggregate"]
            span = "" if total["low"] is None else f" ({total['low']:.3g} … {total['high']:.3g})"
            lines.append(f"{name:20} {total['value']:.3g}{span}  {total['count']} of {total['total']} scored")
    place = ": ".join(filter(None, (leaderboard_words(card), "; ".join(card["blocking_reasons"]))))
    lines += [
        f"claim                {card['claim']}, {place}",
        f"Run: {outcome.folder} (scorecard.json, report.md, report.html)",
    ]
    return lines

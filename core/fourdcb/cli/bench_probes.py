"""``fourdcb bench probes``: the probes' proofs, each by one command."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

_Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]


def build_bench_probes() -> typer.Typer:
    """The sub-verbs."""
    app = typer.Typer(
        help="Proofs of the probes: agreement, leaks, order, clips, heads.",
        rich_markup_mode=None, no_args_is_help=True,
    )  # fmt: skip
    app.command("agreement")(agreement)
    app.command("leaks")(leaks)
    app.command("order")(order)
    app.command("clips")(clips)
    app.command("heads")(heads)
    return app


def agreement(repetitions: Annotated[int, typer.Option(min=1)] = 20, json_: _Json = False) -> None:
    """Probes and scores against scikit-learn: the largest differences."""
    from fourdcb.identity import jsonable
    from fourdcb.probes.agreement import agreement as compared

    rows = compared(repetitions=repetitions)
    if json_:
        typer.echo(json.dumps(jsonable(rows)))
        return
    for row in rows:
        typer.echo(f"{row.what:<38} {row.difference:.2e}")


def leaks(json_: _Json = False) -> None:
    """Leaks planted one by one; exit 1 unless all are caught and the honest evaluation passes."""
    from fourdcb.identity import jsonable
    from fourdcb.probes.planted import planted_leaks

    rows = planted_leaks()
    if json_:
        typer.echo(json.dumps(jsonable(rows)))
    else:
        for row in rows:
            typer.echo(f"{'ok ' if row.caught else 'NOT'} {row.name:<55} {row.told[:120]}")
        typer.echo(f"{sum(row.caught for row in rows[1:])} of {len(rows) - 1} leaks caught")
    raise typer.Exit(0 if all(row.caught for row in rows) else 1)


def order(
    pairs: Annotated[int, typer.Option(min=15, help="Pairs of a window and its reverse.")] = 120,
    encoder: Annotated[list[str] | None, typer.Option(help="Encoders that take 64 px.")] = None,
    json_: _Json = False,
) -> None:
    """A set in which order alone carries the label: ordinary windows, and one repeated frame."""
    from fourdcb.identity import jsonable
    from fourdcb.probes.encoders import encoder_of
    from fourdcb.probes.order_only import order_results

    rows = []
    for name in encoder or ["colour_motion"]:
        for row in order_results(encoder_of(name), ("ridge", "attentive"), pairs=pairs):
            rows.append(row)
            if not json_:
                estimate = row.estimate
                typer.echo(
                    f"{row.encoder:<15} {row.head:<10} {row.order:<10} {estimate.value:.3f} "
                    f"[{estimate.low:.3f} … {estimate.high:.3f}], both of a pair right {row.pairs:.0%}"
                )
    if json_:
        typer.echo(json.dumps(jsonable(rows)))


def clips(
    folder: Annotated[Path, typer.Option(help="Folder for clips, features, probes and report.")],
    count: Annotated[int, typer.Option(min=1, help="Clips of each template.")] = 60,
    template: Annotated[
        list[str] | None, typer.Option(help="Templates; all but splash, whose water takes a minute a clip.")
    ] = None,
    encoder: Annotated[list[str] | None, typer.Option(help="Encoders; all built-in ones.")] = None,
    attentive: Annotated[bool, typer.Option(help="Also attentive probes, minutes each.")] = True,
) -> None:
    """Small generated clips, features, probes of every label, one look at the test part: the whole way."""
    from fourdcb.cli.probe import extract, report, train
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.templates import TEMPLATES
    from fourdcb.probes.small_clips import SmallClips, make_small_clips

    chosen = template or [name for name in TEMPLATES if name != "splash"]
    names = encoder or ["efficientnet_lite0", "random", "colour_motion"]
    data, work = folder / "clips", folder / "work"
    with terminal_progress(log_every=30.0) as progress:
        made = make_small_clips(data, SmallClips(templates=chosen, count=count), progress=progress)
    typer.echo(f"{made} clips")
    extract(data=data, out=work, encoder=names)
    train(out=work)
    if attentive:
        train(out=work, head=["attentive@2"], target=["template", "restitution", "contacts"])
    report(out=work)


def heads(
    work: Annotated[Path, typer.Option("--out", help="Work folder with features.")],
    encoder: Annotated[str, typer.Option(help="Whose features.")] = "efficientnet_lite0",
    target: Annotated[str, typer.Option(help="Label to read.")] = "template",
    head: Annotated[list[str] | None, typer.Option(help="Heads; the usual ones.")] = None,
    json_: _Json = False,
) -> None:
    """Time of twenty heads from cached features: chosen on validation and trained again on both parts."""
    from fourdcb.probes.fitting import fit_probe
    from fourdcb.probes.inputs import head_inputs
    from fourdcb.probes.samples import load_samples
    from fourdcb.probes.store import FeatureStore
    from fourdcb.probes.task import make_task

    table = load_samples(work)
    task, store = make_task(table, target, seed=0), FeatureStore.load(work, encoder, table.settings)
    rows = []
    for name in head or ["ridge", "linear", "mlp", "attentive@2"]:
        started, busy = time.perf_counter(), time.process_time()
        features = head_inputs(store, table, task, name, "ordinary")
        fitted = fit_probe(name, features, task)
        seconds, cpu = time.perf_counter() - started, time.process_time() - busy
        rows.append(
            {
                "head": name,
                "heads": len(fitted.settings),
                "samples": len(features),
                "seconds": seconds,
                "cpu_s": cpu,
            }
        )
        if not json_:
            typer.echo(
                f"{name:<12} {len(fitted.settings)} heads on {len(features)} samples {features.shape[1:]}: "
                f"{seconds:.1f} s, {cpu:.1f} s of processor time"
            )
    if json_:
        typer.echo(json.dumps(rows))

"""``fourdcb probe``: what can be read out of a frozen video encoder, without fooling oneself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

if TYPE_CHECKING:
    from fourdcb.probes.samples import SampleTable

_Work = Annotated[Path, typer.Option("--out", "--output", help="Work folder of features, probes and report.")]


def build_probe() -> typer.Typer:
    """The sub-verbs, in the order in which they are used."""
    app = typer.Typer(
        help="Frozen-encoder probes: extract features, train small heads, test them once.",
        rich_markup_mode=None, no_args_is_help=True,
    )  # fmt: skip
    app.command("extract")(extract)
    app.command("train")(train)
    app.command("report")(report)
    app.command("dense")(dense)
    app.command("order")(order)
    return app


def extract(
    data: Annotated[
        Path,
        typer.Option(help="Folder of scenes from fourdcb generate, or a CSV: video, group, labels."),
    ],
    out: _Work,
    encoder: Annotated[
        list[str],
        typer.Option(help="colour_motion, efficientnet_lite0, random, torch:MODULE:CLASS, hf:FOLDER."),
    ],
    frames: Annotated[int, typer.Option(min=1, help="Frames of a window.")] = 16,
    rate: Annotated[float, typer.Option(min=0.01, help="Frames per second that a window reads.")] = 16.0,
    side: Annotated[int, typer.Option(min=8, help="Side of the square that the encoder sees [px].")] = 224,
    windows: Annotated[int, typer.Option(min=1, help="Windows of each clip, evenly over its length.")] = 1,
    token_grid: Annotated[
        int, typer.Option(min=0, help="Average patch tokens to at most so many a side; 0 keeps all.")
    ] = 7,
    controls: Annotated[
        bool, typer.Option(help="Also features of one repeated, reversed and shuffled frames.")
    ] = True,
) -> None:
    """Features of all clips by frozen encoders, onto the disk; go on where an earlier call stopped."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.probes.encoders import encoder_of
    from fourdcb.probes.extract import extract as extracted
    from fourdcb.probes.orders import ORDERS
    from fourdcb.probes.samples import collect
    from fourdcb.probes.sources import source_of
    from fourdcb.probes.windows import WindowSettings

    check_outputs(files=[], folder=out)
    settings = WindowSettings(frames=frames, rate=rate, side=side, per_clip=windows)
    source = source_of(data)
    loaded = [encoder_of(name) for name in encoder]  # before any work: a missing extra is told at once
    with terminal_progress(log_every=30.0) as progress:
        table = collect(source, settings, out, progress=progress)
        _show_table(table)
        for one in loaded:
            new = extracted(
                table, one, out, token_grid=token_grid, orders=ORDERS if controls else ORDERS[:1],
                progress=progress,
            )  # fmt: skip
            typer.echo(f"{one.spec.name}: {len(table.samples)} windows, {new} encoded now")


def _show_table(table: SampleTable) -> None:
    clips, groups = len({sample.clip for sample in table.samples}), len(set(table.joined))
    tied = f"; pairs of clips that look alike and stay together: {table.tied}" if table.tied else ""
    typer.echo(f"{clips} clips, {len(table.samples)} windows, {groups} groups{tied}")
    for target in table.targets:
        labels = [sample.labels.get(target.name) for sample in table.samples]
        known = sorted({label for label in labels if label is not None})
        counts = ", ".join(f"{name} {labels.count(name)}" for name in known) or "no labels"
        typer.echo(f"  {target.name}: {counts}")


def train(
    out: _Work,
    target: Annotated[list[str] | None, typer.Option(help="Labels to read; all that can be split.")] = None,
    encoder: Annotated[list[str] | None, typer.Option(help="Encoders; all that were extracted.")] = None,
    head: Annotated[
        list[str] | None, typer.Option(help="ridge, linear, mlp, attentive; frame_ridge for a moment.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Splits by groups; a report wants three.")] = 3,
    guard: Annotated[
        bool, typer.Option("--guard", help="Load the encoders; compare their parameters after every epoch.")
    ] = False,
) -> None:
    """Twenty heads on train, one chosen on validation; the test part stays sealed."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.errors import UserError
    from fourdcb.probes.samples import load_samples
    from fourdcb.probes.store import extracted
    from fourdcb.probes.task import make_task
    from fourdcb.probes.training import TrainingPlan, train_all

    table = load_samples(out)
    names = encoder or list(extracted(out))
    if not names:
        raise UserError("no features were extracted here", where=str(out), hint="fourdcb probe extract")
    chosen = target or [one.name for one in table.targets]
    if target is None:
        chosen = [name for name in chosen if not _left_out(table, name)]
        if not chosen:
            make_task(table, table.targets[0].name, seed=0)  # says why, and what would help
    watch = _guard(table, out, names) if guard else None
    with terminal_progress(log_every=30.0) as progress:
        for name in chosen:
            moment = table.target(name).moment
            default = ["frame_ridge"] if moment else ["ridge", "linear"]
            plan = TrainingPlan(
                encoders=names, targets=[name], heads=head or default, seeds=tuple(range(seeds))
            )
            count = train_all(table, plan, out, progress=progress, each_epoch=watch)
            typer.echo(f"{name}: {count} probes trained now")


def _guard(table: SampleTable, out: Path, names: Sequence[str]) -> Callable[[], None]:
    from fourdcb.probes.encoders import encoder_of
    from fourdcb.probes.extract import guard
    from fourdcb.probes.store import FeatureStore

    stores = [FeatureStore.load(out, name, table.settings) for name in names]
    return guard([encoder_of(name) for name in names], stores)


def _left_out(table: SampleTable, name: str) -> bool:
    """Whether a target that nobody named cannot be asked; says why."""
    from fourdcb.errors import UserError
    from fourdcb.probes.task import make_task

    try:
        make_task(table, name, seed=0)
    except UserError as error:
        typer.echo(f"{name} is left out: {error.what}" + (f" ({error.got})" if error.got else ""), err=True)
        return True
    return False


def report(
    out: _Work,
    target: Annotated[list[str] | None, typer.Option(help="Labels; all that were trained.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Open the test part again; it is recorded.")] = False,
) -> None:
    """Open the sealed test part once: report.json and report.html with intervals, controls and claims."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.identity import write_output
    from fourdcb.probes.checks import Kind, read_check
    from fourdcb.probes.results import earlier_report, report_values
    from fourdcb.probes.samples import load_samples
    from fourdcb.probes.testing import open_tests
    from fourdcb.report.probe_page import write_probe_page

    table = load_samples(out)
    path = out / "report.json"
    earlier = None if again else earlier_report(path, out, target)
    if earlier is None:
        with terminal_progress(log_every=30.0) as progress:
            values = report_values(table, open_tests(table, out, targets=target, progress=progress), out)
        write_output(path, json.dumps(values, indent=1, allow_nan=False) + "\n")
    else:
        values = earlier
        typer.echo("nothing was trained since the test part was opened: it stays closed")
    checks = {kind: read_check(out, kind) for kind in get_args(Kind)}
    page = write_probe_page(out / "report.html", values, table, checks=checks)
    for line in report_lines(values):
        typer.echo(line)
    typer.echo(f"report: {path}, {page}")


def report_lines(values: dict[str, Any]) -> list[str]:
    """The report in a terminal's width: figure, interval, optimism, and what may be said."""
    lines = []
    for target in values["targets"]:
        lines.append(
            f"{target['name']}: {len(target['classes'])} classes, {target['groups']} groups, "
            f"chance {target['chance']:.3f}, balanced accuracy"
        )
        for probe in target["probes"]:
            estimate = probe["balanced_accuracy"]
            reach = (
                "no interval"
                if estimate["low"] is None
                else f"{estimate['low']:.3f} … {estimate['high']:.3f}"
            )
            lines.append(
                f"  {probe['encoder']:<20} {probe['head']:<11} {estimate['value']:.3f} [{reach}]  "
                f"optimism {probe['optimism']:+.3f}  {_verdict(probe['claims'])}"
            )
    return lines


def _verdict(claims: Sequence[dict[str, Any]]) -> str:
    marks = {"holds": "+", "blocked": "-", "not_checked": "?"}
    return " ".join(f"{marks[claim['status']]}{claim['name']}" for claim in claims)


def dense(
    out: _Work,
    encoder: Annotated[list[str] | None, typer.Option(help="Encoders; all that were extracted.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Splits by groups.")] = 3,
) -> None:
    """Segmentation, tracking and points from patch tokens, on frames fixed beforehand: dense.json.

    For clips of fourdcb generate, whose scripts tell what is where.
    """
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.probes.checks import write_check
    from fourdcb.probes.dense.evaluation import dense_check, masked_windows
    from fourdcb.probes.samples import load_samples
    from fourdcb.probes.store import FeatureStore, extracted

    table = load_samples(out)
    names = encoder or list(extracted(out))
    stores = [FeatureStore.load(out, name, table.settings) for name in names]
    with terminal_progress(log_every=30.0) as progress:
        truth = masked_windows(table, progress=progress)
        found = [dense_check(store, table, truth, seeds=tuple(range(seeds))) for store in stores]
    for one in found:
        typer.echo(
            f"{one.encoder}, {one.grid[0]} × {one.grid[1]} tokens\n"
            f"  segmentation  mIoU {_reach(one.miou)}, over the mean mask {_reach(one.miou_lead)}\n"
            f"  tracking      J {one.region.value:.3f}, F {one.contour.value:.3f}, J&F {_reach(one.both)}, "
            f"over a still mask {_reach(one.both_lead)}\n"
            f"  points        {_reach(one.point_error)} of the side off, nearer than the first place by "
            f"{_reach(one.point_lead)}"
        )
    typer.echo(f"report: {write_check(out, 'dense', found)}; fourdcb probe report shows it, too")


def order(
    out: _Work,
    encoder: Annotated[list[str] | None, typer.Option(help="Encoders; all that were extracted.")] = None,
    head: Annotated[list[str] | None, typer.Option(help="Heads; ridge and attentive@2.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Splits by groups.")] = 3,
) -> None:
    """Same frames, other order: are these very windows told from their reverse? order.json."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.probes.checks import write_check
    from fourdcb.probes.order_only import paired_orders
    from fourdcb.probes.samples import load_samples
    from fourdcb.probes.store import FeatureStore, extracted

    table, found = load_samples(out), []
    names = encoder or list(extracted(out))
    stores = [FeatureStore.load(out, name, table.settings) for name in names]
    heads = tuple(head or ("ridge", "attentive@2"))
    with terminal_progress(log_every=30.0) as progress:
        progress.start("orders", len(stores))
        for store in stores:
            found += paired_orders(store, table, heads=heads, seeds=tuple(range(seeds)))
            progress.advance()
    for one in found:
        typer.echo(
            f"{one.encoder:<20} {one.head:<11} {_reach(one.estimate)}, chance 0.5; both windows of a pair "
            f"right {one.pairs:.0%}"
        )
    typer.echo(f"report: {write_check(out, 'order', found)}; fourdcb probe report shows it, too")


def _reach(estimate: Any) -> str:
    if estimate.low is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f} … {estimate.high:.3f}]"

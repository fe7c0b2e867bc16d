"""``fourdcb x4val``: one honest figure from several unpaired sources."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.errors import Diagnostic
    from fourdcb.x4val.evaluate import Evaluation

_Config = Annotated[Path, typer.Option("--config", help="config.yaml: surrogate, evaluation, data_sources.")]


def build_x4val() -> typer.Typer:
    """The sub-verbs."""
    app = typer.Typer(help="Evaluate one model over several unpaired sources.", no_args_is_help=True)
    app.command("validate")(validate)
    app.command("evaluate")(evaluate)
    app.command("levels")(levels)
    app.command("from-runs")(from_runs)
    return app


def validate(config: _Config) -> None:
    """Check files, labels, channels and settings; exit 1 if a source cannot be used."""
    from fourdcb.x4val.checks import check_sources
    from fourdcb.x4val.config import load_config

    sources, found = check_sources(load_config(config))
    for source in sources:
        classes = ", ".join(f"{name} {count}" for name, count in source.classes().items()) or "no labels"
        typer.echo(f"{source.name}: {len(source.samples)} samples, {classes}")
    _tell(found)
    raise typer.Exit(1 if any(one.severity == "error" for one in found) else 0)


def evaluate(
    config: _Config,
    model: Annotated[
        str, typer.Option("--model", help="Predictions (.csv, .json, .jsonl), or module:function.")
    ],
    output: Annotated[Path, typer.Option("--output", help="Folder for the report and its history.")],
    scored: Annotated[
        int | None, typer.Option(min=1, help="Score at most so many samples a source; the rest is the pool.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the choice of samples.")] = 0,
) -> None:
    """Raw and corrected score with intervals, how sources agree, and what to do about it."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.errors import UserError
    from fourdcb.identity import write_output
    from fourdcb.report.x4val_page import write_x4val_page
    from fourdcb.x4val.answers import scores_of
    from fourdcb.x4val.checks import check_sources
    from fourdcb.x4val.config import load_config
    from fourdcb.x4val.doubts import choice_doubts, joined_copies, result_doubts
    from fourdcb.x4val.encoders import encoder_of
    from fourdcb.x4val.evaluate import Material
    from fourdcb.x4val.evaluate import evaluate as evaluated
    from fourdcb.x4val.report import load_history, other_encoders, remember, report_path, report_values
    from fourdcb.x4val.sources import choose, embed_samples

    settings = load_config(config)
    sources, found = check_sources(settings)
    _tell(found)
    if any(one.severity == "error" for one in found):
        raise UserError("the sources have faults", where=str(config), hint="see the errors above")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("the output folder cannot be made", where=str(output), got=error.strerror) from error
    samples, copies = joined_copies([sample for source in sources for sample in source.samples])
    encoder = encoder_of(settings.surrogate)
    with terminal_progress() as progress:
        embeddings = embed_samples(samples, encoder, cache=output / "embeddings", progress=progress)
    material = Material(
        samples=samples, embeddings=embeddings, encoder=encoder.name,
        scores=scores_of(model, samples if scored is None else choose(samples, scored, seed=seed)),
        initial_weights={source.name: source.config.weight_init for source in sources},
    )  # fmt: skip
    options = settings.evaluation
    result = evaluated(
        material, k=options.control_variate_k, confidence=options.confidence_level,
        history=load_history(output, encoder=encoder.name), seed=seed,
    )  # fmt: skip
    doubts = (*copies, *choice_doubts(material, seed=seed), *result_doubts(result))
    others = other_encoders(output, encoder=encoder.name)
    passed = (f"earlier evaluations by {', '.join(others)} are not used for the weights",) if others else ()
    _tell(doubts)
    for line in passed:
        typer.echo(f"note: {line}", err=True)
    values = report_values(
        result, model=model, confidence=options.confidence_level,
        notes=(*(str(one) for one in (*found, *doubts)), *passed),
    )  # fmt: skip
    path = report_path(output, datetime.now())
    write_output(path, json.dumps(values, indent=2, allow_nan=False) + "\n")
    remember(output, result, material)
    pages = write_x4val_page(path, values)
    _show(result)
    typer.echo(f"report: {path}; to read: {', '.join(page.name for page in pages)}")


def levels(
    output: Annotated[Path, typer.Option("--output", help="Folder for LEVEL/SCENE.")],
    scenes: Annotated[
        Path | None, typer.Option("--scenes", help="Folder of scenes; default the bundled ones.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of noise and occluders.")] = 0,
) -> None:
    """Film scenes anew as cameras of three qualities would: none, light, full."""
    from importlib.resources import as_file, files

    from fourdcb.dataset.degrade import LEVELS
    from fourdcb.dataset.degrade.clips import degrade_scenes

    with as_file(files("fourdcb_resources") / "scenes") as bundled:
        for level, name in degrade_scenes(scenes or bundled, output, LEVELS, seed=seed):
            typer.echo(f"{level}/{name}")


def from_runs(
    runs: Annotated[list[str], typer.Argument(metavar="NAME=RUN…", help="Run folder of each source.")],
    metric: Annotated[str, typer.Option("--metric", help="Whose values are the scores.")],
    output: Annotated[Path, typer.Option("--output", help="Folder for configuration, clips and answers.")],
) -> None:
    """Make sources of evaluation runs of one model, a run a source."""
    from fourdcb.errors import UserError
    from fourdcb.x4val.from_runs import sources_from_runs

    pairs = [one.partition("=") for one in runs]
    names = [name for name, _, _ in pairs]
    if any(not name or not run or "/" in name for name, _, run in pairs) or len(set(names)) < len(names):
        raise UserError("runs need names of their own", got=" ".join(runs), expected="NAME=RUN NAME=RUN …")
    made = sources_from_runs({name: Path(run) for name, _, run in pairs}, metric, output)
    for name, count in made.scored.items():
        typer.echo(f"{name}: {count} scored, {made.pool[name]} in the pool")
        if made.missing[name]:
            lost = ", ".join(made.missing[name][:4])
            typer.echo(
                f"warning: {name}: {len(made.missing[name])} samples have no {metric} and are left out "
                f"({lost}): the figure speaks of the others alone",
                err=True,
            )
    typer.echo(f"fourdcb x4val evaluate --config {made.config} --model {made.answers} --output {output}/out")


_GATES = {
    "corrected": "corrected",
    "does_not_pay": "plain: the correction would not narrow it",
    "too_few": "plain: too few independent samples to correct",
    "no_spread": "plain: score or control does not vary",
    "skewed": "plain: scores too skewed for so few samples",
    "no_pool": "plain: too few unscored samples to learn the control's mean from",
}


def _show(found: Evaluation) -> None:
    for source in found.sources:
        e = source.estimate
        typer.echo(
            f"{source.name}: {_figure(e.raw_value, e.raw_interval)} raw, {_figure(e.value, e.interval)} "
            f"({_GATES[e.gate]}; {e.samples} scored, {source.pool} in the pool)"
        )
    total = found.combined
    typer.echo(f"raw    {_figure(total.raw_value, total.raw_interval)}")
    typer.echo(
        f"x4val  {_figure(total.value, total.interval)}, {total.variance_ratio:.0%} of the raw variance, "
        f"worth {total.effective_sample_size:.0f} samples"
    )
    for weight in found.weights:
        if weight.drifted:
            typer.echo(f"warning: {weight.source} has drifted; its weight is {weight.weight:.0%}")
    for pair in found.pairs:
        if pair.doubtful:
            typer.echo(
                f"warning: {pair.first} and {pair.second} may see the model differently "
                f"(rho {pair.rho:.2f}, 95 % interval {pair.low:.2f} … {pair.high:.2f}): "
                "look at the embeddings, audit 100 wrong samples, fine-tune the encoder on one source alone"
            )


def _figure(value: float, interval: tuple[float, float] | None) -> str:
    reach = "no interval" if interval is None else f"{interval[0]:.3f} … {interval[1]:.3f}"
    return f"{value:.3f} [{reach}]"


def _tell(found: tuple[Diagnostic, ...]) -> None:
    for one in found:
        typer.echo(str(one), err=True)


def evaluate_command() -> None:
    """``x4val-evaluate``: the verb by the name that its method is known by."""
    _alone(evaluate)


def validate_command() -> None:
    """``x4val-validate-config``: the verb by the name that its method is known by."""
    _alone(validate)


def _alone(verb: Callable[..., None]) -> None:
    from fourdcb.errors import FourDCBError
    from fourdcb.threads import calm_blas

    calm_blas()
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(verb)
    try:
        app()
    except FourDCBError as error:
        typer.echo(str(error), err=True)
        raise SystemExit(2) from None

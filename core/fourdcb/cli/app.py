"""The table of verbs."""

from __future__ import annotations

import os

import typer

from fourdcb import __version__
from fourdcb.cli.bench import build_bench
from fourdcb.cli.cases import cases
from fourdcb.cli.catalog import build_catalog
from fourdcb.cli.check import check
from fourdcb.cli.diff import diff
from fourdcb.cli.doctor import doctor
from fourdcb.cli.eval import eval_
from fourdcb.cli.examples import examples
from fourdcb.cli.fit import fit
from fourdcb.cli.generate import generate
from fourdcb.cli.identify import identify
from fourdcb.cli.invert import invert
from fourdcb.cli.mcp import mcp
from fourdcb.cli.probe import build_probe
from fourdcb.cli.render import render
from fourdcb.cli.repair import repair
from fourdcb.cli.report import report
from fourdcb.cli.run import run
from fourdcb.cli.runs import compare, leaderboard, materialize, score, validate
from fourdcb.cli.schema import schema
from fourdcb.cli.simulate import simulate
from fourdcb.cli.splits import build_splits
from fourdcb.cli.studio import studio
from fourdcb.cli.templates import templates
from fourdcb.cli.x4val import build_x4val


def build_app() -> typer.Typer:
    """The command line's verbs, in the order in which people meet them."""
    app = typer.Typer(
        name="fourdcb",
        help="Judge executable world scripts against videos of moving scenes, and see why they fail.",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options_of_all)
    app.command("eval")(eval_)
    for verb in (
        studio,
        check,
        schema,
        simulate,
        render,
        diff,
        report,
        cases,
        fit,
        invert,
        repair,
        identify,
        examples,
        generate,
        templates,
        run,
        score,
        compare,
        leaderboard,
        validate,
        materialize,
        mcp,
        doctor,
    ):
        app.command()(verb)
    app.add_typer(build_catalog(), name="catalog")
    app.add_typer(build_splits(), name="splits")
    app.add_typer(build_x4val(), name="x4val")
    app.add_typer(build_probe(), name="probe")
    app.add_typer(build_bench(), name="bench")
    return app


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"fourdcb {__version__}")
        raise typer.Exit


def _choose_language(language: str | None) -> None:
    if language is not None:
        from fourdcb.words import LANGUAGE_VARIABLE, choose

        choose(language)
        os.environ[LANGUAGE_VARIABLE] = language  # for the processes that work for this one


def _options_of_all(
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", callback=_tell_version, is_eager=True
    ),
    language: str | None = typer.Option(
        None, "--language", help="Of findings and reports, such as en or zh_CN.", callback=_choose_language
    ),
) -> None:
    """Options that stand before every verb."""

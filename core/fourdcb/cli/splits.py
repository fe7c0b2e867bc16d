"""``fourdcb splits``: divide a set so that its parts share nothing, and prove it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_Folder = Annotated[Path, typer.Argument(help="Folder with samples.")]


def build_splits() -> typer.Typer:
    """The sub-verbs."""
    app = typer.Typer(help="Divide a set of samples so that nothing is shared.", no_args_is_help=True)
    app.command("make")(make)
    app.command("verify")(verify)
    return app


def make(
    folder: _Folder,
    train: Annotated[float, typer.Option(help="Share of the samples.")] = 0.8,
    val: Annotated[float, typer.Option(help="Share of the samples.")] = 0.1,
    test: Annotated[float, typer.Option(help="Share of the samples.")] = 0.1,
    seed: Annotated[int, typer.Option(min=0, help="Of the order in which groups are dealt.")] = 0,
) -> None:
    """Deal groups that share an instance, mesh, material, seed or parent to train, val and test."""
    from fourdcb.dataset.splits import make_splits

    splits = make_splits(folder, {"train": train, "val": val, "test": test}, seed=seed)
    for name, members in splits.items():
        typer.echo(f"{name:6} {len(members)} samples")


def verify(folder: _Folder) -> None:
    """Exit 1 when samples of different splits share a key or look alike."""
    from fourdcb.dataset.splits import leaks

    found = leaks(folder)
    for line in found:
        typer.echo(line)
    typer.echo(f"{len(found)} leaks" if found else "nothing is shared between the splits")
    raise typer.Exit(1 if found else 0)

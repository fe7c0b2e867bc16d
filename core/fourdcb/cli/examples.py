"""``fourdcb examples``: list the bundled scenes, or copy them out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fourdcb.cli.outputs import check_outputs
from fourdcb.errors import UserError


def examples(
    copy: Annotated[Path | None, typer.Option(help="Folder to copy the bundled scenes into.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite scenes that are there already.")] = False,
) -> None:
    """List the bundled scenes and their candidates, or copy them out with --copy DIR."""
    from importlib.resources import as_file, files

    from fourdcb.dataset.layout import CANDIDATE_FOLDER, REFERENCE_NAME

    with as_file(files("fourdcb_resources") / "scenes") as root:
        scenes = sorted(path for path in root.iterdir() if (path / REFERENCE_NAME).is_file())
        if copy is None:
            for scene in scenes:
                candidates = sorted(path.stem for path in (scene / CANDIDATE_FOLDER).glob("*.py"))
                typer.echo(f"{scene.name}: {', '.join(candidates)}")
            typer.echo(f"\nThey lie in {root}; copy them out with: fourdcb examples --copy DIR")
            return
        check_outputs(files=[], folder=copy)
        for scene in scenes:
            _copy_scene(scene, copy / scene.name, force=force)
            typer.echo(str(copy / scene.name))


def _copy_scene(source: Path, target: Path, *, force: bool) -> None:
    import shutil

    if target.exists() and not force:
        raise UserError(
            "the target exists already", where=str(target), hint="choose another folder, or pass --force"
        )
    fresh = not target.exists()
    try:
        shutil.copytree(source, target, dirs_exist_ok=force, ignore=shutil.ignore_patterns("__pycache__"))
    except OSError as error:  # shutil's own error lists every file; the first tells enough
        if fresh:
            shutil.rmtree(target, ignore_errors=True)
        told = str(error.args[0][0][-1]) if isinstance(error, shutil.Error) else error.strerror
        raise UserError("cannot copy the scene", where=str(target), got=told) from error

"""``fourdcb generate``: sample scenes from templates, or make the bundled benchmark anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.dataset.pipeline import GeneratedSet


def generate(
    out: Annotated[Path, typer.Option("--output", "--out", help="Folder for the scenes.")],
    mini: Annotated[bool, typer.Option("--mini", help="Make the bundled benchmark anew.")] = False,
    check: Annotated[
        bool, typer.Option(help="With --mini: judge all faults, and move sizes off the thresholds.")
    ] = True,
    template: Annotated[
        str | None,
        typer.Option(help="Sample this template, several (a,b), or 'all'; see `fourdcb templates`."),
    ] = None,
    count: Annotated[int, typer.Option(help="Samples of each template.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Root of all random numbers.")] = 0,
    renderer: Annotated[str, typer.Option(help="raster or pathtrace.")] = "raster",
    degrade: Annotated[str, typer.Option(help="none, light or full.")] = "full",
    workers: Annotated[int, typer.Option(help="Processes at a time.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a set that was begun.")] = False,
    spp: Annotated[int, typer.Option(help="Light paths per pixel of pathtrace.")] = 128,
    oracle: Annotated[
        str, typer.Option(help="Keep only samples that are found back in their clip: fit or invert.")
    ] = "none",
    archive: Annotated[
        Path | None, typer.Option(help="Pack the set: scenes/NAME/world.py, video.mp4.")
    ] = None,
) -> None:
    """Make scenes: samples of templates (--template NAME), or the bundled benchmark anew (--mini)."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.errors import UserError

    check_outputs(files=[archive], folder=out)
    if archive is not None and template is None:
        raise UserError("--archive packs a set of samples", expected="--template NAME")
    if mini == (template is not None):
        raise UserError("one of the two is needed", expected="--template NAME or --mini")
    if mini:
        _mini(out, check=check)
        return
    assert template is not None
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.archive import pack
    from fourdcb.dataset.degrade import LEVELS
    from fourdcb.dataset.pipeline import generate_set
    from fourdcb.dataset.sample import ORACLES, Recipe
    from fourdcb.dataset.templates import TEMPLATES
    from fourdcb.dataset.templates import template as template_of

    renderers = ("raster", "pathtrace")
    if renderer not in renderers:
        raise UserError("no such renderer", got=renderer, expected=", ".join(renderers))
    if degrade not in LEVELS:
        raise UserError("no such degradation", got=degrade, expected=", ".join(LEVELS))
    if oracle not in ORACLES:
        raise UserError("no such Oracle", got=oracle, expected=", ".join(ORACLES))
    if oracle != "none" and renderer != "raster":
        raise UserError("the Oracle draws as raster does", got=f"--renderer {renderer}", expected="raster")
    names = list(TEMPLATES) if template == "all" else [n.strip() for n in template.split(",")]
    for name in names:
        template_of(name)  # says which ones there are
    recipe = Recipe(seed=seed, renderer=renderer, level=degrade, spp=spp, oracle=oracle)  # type: ignore[arg-type]
    with terminal_progress(log_every=30.0) as progress:
        made = generate_set(
            names, count=count, out=out, recipe=recipe, workers=workers, resume=resume, progress=progress
        )
    for line in summary_lines(made):
        typer.echo(line)
    if archive is not None:
        typer.echo(f"{archive}: {pack(out, archive)} scenes")


def summary_lines(made: GeneratedSet) -> list[str]:
    """Accepted and rejected by template, with reasons, pace and quality."""
    lines = [
        f"{'template':20} {'kept':>5} {'tried':>6}  {'dB':>5} {'motion':>7} {'px':>4} {'s each':>7}  rejected"
    ]
    for name in dict.fromkeys(line["sample"].partition("/")[0] for line in made.lines):
        own = [line for line in made.lines if line["sample"].startswith(f"{name}/")]
        kept = [line["figures"] for line in own if line["accepted"]]
        tried = len(kept) + sum(len(line["rejected"]) for line in own)
        took = [made.seconds[line["sample"]] for line in own if line["sample"] in made.seconds]
        why = ", ".join(f"{kind} {n}" for kind, n in sorted(made.reasons.get(name, {}).items())) or "-"
        worst = (
            f"{min(f['psnr'] for f in kept):5.1f} {min(f['motion'] for f in kept):7.0%} "
            f"{min(f['smallest'] for f in kept):4.0f}"
            if kept
            else f"{'-':>5} {'-':>7} {'-':>4}"
        )
        pace = f"{sum(took) / len(took):7.1f}" if took else f"{'-':>7}"
        lines.append(f"{name:20} {len(kept):5} {tried:6}  {worst} {pace}  {why}")
    lines.append(f"{made.folder}: least PSNR, motion and size of what was kept; clips in index.html")
    return lines


def _mini(out: Path, *, check: bool) -> None:
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.evaluation.bundled import make_bundled

    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        for line in make_bundled(root, out, check=check, progress=progress):
            typer.echo(line)

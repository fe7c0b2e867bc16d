"""``fourdcb generate``: sample scenes from templates, or play the bundled truth scripts into folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.dataset.pipeline import GeneratedSet


def generate(
    out: Annotated[Path, typer.Option("--output", "--out", help="Folder for the scenes.")],
    benchmark: Annotated[str, typer.Option(help="Which set to make; the bundled one is 'mini'.")] = "mini",
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
    archive: Annotated[
        Path | None, typer.Option(help="Pack the set: scenes/NAME/world.py, video.mp4.")
    ] = None,
) -> None:
    """Make scenes: samples of templates, or (without --template) the bundled mini benchmark anew."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.errors import UserError

    check_outputs(files=[archive], folder=out)
    if template is None:
        if archive is not None:
            raise UserError("--archive packs a set of samples", expected="--template NAME")
        _mini(out, benchmark)
        return
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset.archive import pack
    from fourdcb.dataset.degrade import LEVELS
    from fourdcb.dataset.pipeline import generate_set
    from fourdcb.dataset.sample import Recipe
    from fourdcb.dataset.templates import TEMPLATES
    from fourdcb.dataset.templates import template as template_of

    renderers = ("raster", "pathtrace")
    if renderer not in renderers:
        raise UserError("no such renderer", got=renderer, expected=", ".join(renderers))
    if degrade not in LEVELS:
        raise UserError("no such degradation", got=degrade, expected=", ".join(LEVELS))
    names = list(TEMPLATES) if template == "all" else [n.strip() for n in template.split(",")]
    for name in names:
        template_of(name)  # says which ones there are
    recipe = Recipe(seed=seed, renderer=renderer, level=degrade, spp=spp)  # type: ignore[arg-type]
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


def _mini(out: Path, benchmark: str) -> None:
    from importlib.resources import as_file, files

    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dataset import build_scene, load_faults
    from fourdcb.dataset.layout import REFERENCE_NAME
    from fourdcb.errors import UserError
    from fourdcb.render import RenderSettings

    if benchmark != "mini":
        raise UserError("no such benchmark", got=benchmark, expected="mini")
    with as_file(files("fourdcb_resources") / "scenes") as root, terminal_progress() as progress:
        for scene, faults in load_faults(root / "faults.yaml").items():
            record = build_scene(
                root / scene / REFERENCE_NAME,
                faults,
                out / scene,
                settings=RenderSettings(),
                progress=progress,
            )
            seen = ", ".join(f"{name} {t:.2f} s" for name, t in record.horizon.items())
            typer.echo(f"{record.folder}: {len(record.candidates)} candidates, predictable for {seen}")

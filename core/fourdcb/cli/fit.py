"""``fourdcb fit``: find the values with which a script's replay looks like a video."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fit(
    code: Annotated[Path, typer.Option(help="Start script.")],
    video: Annotated[Path, typer.Option(help="The video to match.")],
    param: Annotated[list[str], typer.Option(help="Parameter to fit, such as cup.restitution; repeatable.")],
    output: Annotated[Path, typer.Option(help="Where to write the fitted script (comments are kept).")],
    reference: Annotated[
        Path | None,
        typer.Option(
            help="Script whose camera and clock to use; default: world.py beside the video, else --code."
        ),
    ] = None,
) -> None:
    """Fit named parameters of a script to a video, from the pictures alone."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dsl import edit_value, load_script, require_objects
    from fourdcb.evaluation import truth_beside
    from fourdcb.identity import write_output
    from fourdcb.oracle import fit as fit_world
    from fourdcb.replay import read_on_stage
    from fourdcb.world import on_stage_of

    stage_script = reference if reference is not None else truth_beside(video)
    check_outputs(files=[output], inputs=[code, video, stage_script])
    parsed = load_script(code, extract=True)
    require_objects(parsed, filename=str(code))
    stage = load_script(stage_script, extract=True).world if stage_script is not None else parsed.world
    world = on_stage_of(parsed.world, stage)
    with terminal_progress() as progress:
        clip = read_on_stage(video, world, progress=progress)
        result = fit_world(world, param, clip.frames, progress=progress)
    source = parsed.source
    for found in result.parameters:
        if not found.identifiable:
            typer.echo(f"{found.path}: stays {found.start:.4g} (not observable in this clip)")
            continue
        error = f" (± {found.standard_error:.2g}, statistical only)" if result.explains_the_video else ""
        typer.echo(f"{found.path}: {found.start:.4g} → {found.rounded:.6g}{error}")
        edit = edit_value(source, found.path, found.rounded, filename=str(code))
        source = edit.source
        if edit.note:
            typer.echo(f"  {edit.note}")
    if not result.explains_the_video:
        typer.echo(
            "warning: the best replay still looks unlike the video, so these values mean little; "
            "something that was not fitted is wrong (see `fourdcb eval`)",
            err=True,
        )
    write_output(output, source)
    typer.echo(f"image residual {result.residual_before:.4f} → {result.residual_after:.4f}; script: {output}")

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
        Path | None, typer.Option(help="Script whose camera and clock to use; default: the start script's.")
    ] = None,
) -> None:
    """Fit named parameters of a script to a video, from the pictures alone."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dsl import edit_value, load_script
    from fourdcb.evaluation import read_on_stage
    from fourdcb.identity import write_output
    from fourdcb.oracle import fit as fit_world
    from fourdcb.replay import on_stage_of

    check_outputs(files=[output], inputs=[code, video, reference])
    parsed = load_script(code, extract=True)
    stage = load_script(reference).world if reference is not None else parsed.world
    world = on_stage_of(parsed.world, stage)
    with terminal_progress() as progress:
        clip = read_on_stage(video, world, progress=progress)
        result = fit_world(world, param, clip.frames, progress=progress)
    source = parsed.source
    for found in result.parameters:
        error = (
            "not observable in this clip" if found.standard_error is None else f"± {found.standard_error:.2g}"
        )
        typer.echo(f"{found.path}: {found.start:.4g} → {found.rounded:.6g} ({error})")
        if found.identifiable:
            edit = edit_value(source, found.path, found.rounded, filename=str(code))
            source = edit.source
            if edit.note:
                typer.echo(f"  {edit.note}")
    write_output(output, source)
    typer.echo(f"image residual {result.residual_before:.4f} → {result.residual_after:.4f}; script: {output}")

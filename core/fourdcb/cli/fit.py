"""``fourdcb fit``: find the values with which a script's replay looks like a video."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.oracle import Fit, FittedParameter


def fit(
    code: Annotated[Path, typer.Option(help="Start script.")],
    video: Annotated[Path, typer.Option(help="The video to match.")],
    param: Annotated[list[str], typer.Option(help="Parameter to fit, such as cup.restitution; repeatable.")],
    output: Annotated[Path, typer.Option(help="Where to write the fitted script (comments are kept).")],
    reference: Annotated[
        Path | None,
        typer.Option(help="Script whose camera to use; default: world.py beside the video, else --code."),
    ] = None,
) -> None:
    """Fit named parameters of a script to a video, from the pictures alone, on the video's clock.

    Exits with 1, and writes nothing, when no values make the replay look like the video.
    """
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dsl import edit_value, load_script, require_objects
    from fourdcb.evaluation import truth_beside
    from fourdcb.identity import write_output
    from fourdcb.metrics.pictures.stream import stage_findings, stream_findings
    from fourdcb.oracle import fit as fit_world
    from fourdcb.replay import on_clock_of, read_on_stage
    from fourdcb.world import on_stage_of

    stage_script = reference if reference is not None else truth_beside(video)
    check_outputs(files=[output], inputs=[code, video, stage_script])
    parsed = load_script(code, extract=True)
    require_objects(parsed, filename=str(code))
    stage = load_script(stage_script, extract=True).world if stage_script is not None else parsed.world
    with terminal_progress() as progress:
        clip = read_on_stage(video, stage, progress=progress)
        world = on_clock_of(on_stage_of(parsed.world, stage), clip.info)
        result = fit_world(world, param, clip.frames, times=clip.info.times, progress=progress)
    width, height = stage.camera.width, stage.camera.height
    for remark in (
        *stream_findings(clip.info, "video"),
        *stage_findings(clip.info, width=width, height=height),
    ):
        typer.echo(f"{remark.severity}: {remark.message}", err=True)
    if not result.explains_the_video:
        typer.echo(_unexplained(result), err=True)
        raise typer.Exit(1)
    source = parsed.source
    for found in result.parameters:
        typer.echo(_line(found))
        if not found.identifiable:
            continue
        edit = edit_value(source, found.path, found.rounded, filename=str(code))
        source = edit.source
        if edit.note:
            typer.echo(f"  {edit.note}")
    write_output(output, source)
    typer.echo(
        f"where something moves the pictures differ by {result.residual_before:.4f} → "
        f"{result.residual_after:.4f} (RMS, 0 … 1); script: {output}"
    )


def _line(found: FittedParameter) -> str:
    if not found.identifiable:
        return f"{found.path}: stays {found.start:.4g} (not observable in this clip)"
    change = f"{found.path}: {found.start:.4g} → {found.rounded:.6g}"
    if found.bound is not None:
        return f"{change} (at its {found.bound} bound, so no ± is known: what fits best may lie beyond)"
    return f"{change} (± {found.standard_error:.2g}, statistical only)"


def _unexplained(result: Fit) -> str:
    after = result.after
    moving = f"{after.moving:.4f} where something moves"
    if after.contrast > 0:
        moving += f" ({after.moving / after.contrast:.0%} of the video's own motion)"
    return (
        "no value is given and nothing was written: the best replay does not explain the video. The pictures "
        f"differ by {after.whole:.4f} (RMS, 0 … 1), by {moving}; something that was not fitted is wrong "
        "(see `fourdcb eval`)"
    )

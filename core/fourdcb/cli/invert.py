"""``fourdcb invert``: a script from a video alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def invert(
    video: Annotated[Path, typer.Option(help="The clip.")],
    camera: Annotated[str, typer.Option(help="camera.json, or a script whose camera is the clip's.")],
    output: Annotated[Path, typer.Option(help="Where to write the script.")],
    time_limit: Annotated[
        float, typer.Option(help="Seconds; the best so far is written when they pass.")
    ] = 120.0,
) -> None:
    """Make a script from a video: what moves, how large, how fast, how bouncy, under which light.

    Reads the video and the camera, nothing else. Exits with 1 when the script does not explain the clip; it
    then says what it lacks.
    """
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.identity import write_output
    from fourdcb.oracle.invert import invert as invert_clip
    from fourdcb.oracle.sources import clip_of, declared_camera

    check_outputs(files=[output], inputs=[video, Path(camera)])
    with terminal_progress() as progress:
        clip = clip_of(video, declared_camera(Path(camera)), progress=progress)
        found = invert_clip(
            clip.frames, clip.camera, fps=clip.fps, times=clip.times, time_limit=time_limit, progress=progress
        )
    write_output(output, found.script)
    for note in found.notes:
        typer.echo(note, err=True)
    stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in found.seconds.items())
    typer.echo(f"silhouette IoU {found.overlap:.3f} ({stages}); script: {output}")
    if not found.explained:
        raise typer.Exit(1)

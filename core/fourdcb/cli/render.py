"""``fourdcb render``: a script's video."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourdcb.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourdcb.progress import Progress
    from fourdcb.render import RenderSettings
    from fourdcb.trajectory import Trajectory
    from fourdcb.world import World


def render(
    script: Annotated[Path, typer.Argument(help="The world script.")],
    out: Annotated[Path, typer.Option(help="The video to write (.mp4, .mkv), or one picture (.png).")],
    width: Annotated[int | None, typer.Option(help="Image width [px]; default: the camera's.")] = None,
    height: Annotated[int | None, typer.Option(help="Image height [px]; default: the camera's.")] = None,
    samples: Annotated[int, typer.Option(help="Poses within the shutter (motion blur); 1 is sharp.")] = 1,
    supersample: Annotated[int, typer.Option(help="Colour samples per pixel along each axis.")] = 2,
    frames: Annotated[
        str | None, typer.Option(metavar="K or A:B", help="Frame K, or frames A … B-1; default: all.")
    ] = None,
    backend: Annotated[str, typer.Option(help="raster (pytorch3d and pathtrace need extras).")] = "raster",
) -> None:
    """Simulate a script and render its video."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dsl import load_script
    from fourdcb.physics import simulate
    from fourdcb.render import RenderSettings
    from fourdcb.video import check_video_suffix

    _check_backend(backend)
    settings = RenderSettings(samples=samples, supersample=supersample, width=width, height=height)
    check_outputs(files=[out], inputs=[script])
    if out.suffix.lower() != ".png":
        check_video_suffix(out)
    parsed = load_script(script, extract=True)
    for diagnostic in parsed.diagnostics:
        typer.echo(str(diagnostic), err=True)
    chosen = _frame_range(frames, parsed.world.n_frames)
    if out.suffix.lower() == ".png" and len(chosen) != 1:
        raise UserError("a .png holds one frame", where=str(out), hint="choose it with --frames K")
    with terminal_progress() as progress:
        trajectory = simulate(parsed.world, progress=progress)
        pictures = _pictures(parsed.world, trajectory, settings, chosen, progress)
        count = _write(out, pictures, fps=parsed.world.fps)
    typer.echo(f"{count} frame{'s' if count != 1 else ''}: {out}")


def _check_backend(backend: str) -> None:
    if backend == "raster":
        return
    needs = {"pytorch3d": "torch and pytorch3d (extra 'learn')", "pathtrace": "mitsuba (extra 'pathtrace')"}
    if backend not in needs:
        raise UserError("no such backend", got=backend, expected="raster, pytorch3d or pathtrace")
    raise UserError(
        f"the backend {backend!r} needs {needs[backend]} and is not part of this version",
        hint="use --backend raster",
    )


def _frame_range(text: str | None, n_frames: int) -> range:
    """Frame numbers of ``A:B`` (either may be left out). Raises UserError for an empty or malformed range."""
    if text is None:
        return range(n_frames)
    first, colon, last = text.partition(":")
    try:
        if not text:
            raise ValueError
        start = int(first) if first else 0
        stop = int(last) if last else (n_frames if colon else start + 1)
    except ValueError:
        raise UserError("not a range of frames", got=text, expected="K or A:B, such as 10 or 10:20") from None
    if not 0 <= start < stop <= n_frames:
        raise UserError("no such frames", got=text, expected=f"a range within 0:{n_frames}")
    return range(start, stop)


def _pictures(
    world: World, trajectory: Trajectory, settings: RenderSettings, chosen: range, progress: Progress
) -> Iterator[NDArray[np.uint8]]:
    from fourdcb.render import RasterRenderer

    renderer = RasterRenderer(world, settings)
    progress.start("render", len(chosen))
    for k in chosen:
        yield renderer.render(trajectory, k / world.fps, aux=False).rgb
        progress.advance()


def _write(out: Path, pictures: Iterator[NDArray[np.uint8]], *, fps: float) -> int:
    if out.suffix.lower() != ".png":
        from fourdcb.video import write_video

        return write_video(out, pictures, fps=fps)
    from io import BytesIO

    from PIL import Image

    from fourdcb.identity import write_output

    buffer = BytesIO()
    Image.fromarray(next(pictures)).save(buffer, format="PNG")
    write_output(out, buffer.getvalue())
    return 1

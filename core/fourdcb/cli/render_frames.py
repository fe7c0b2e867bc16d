"""The frames of ``fourdcb render``: drawn or found on disk, and written as clip, folder or picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fourdcb.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourdcb.progress import Progress
    from fourdcb.render import Backend
    from fourdcb.render.frame_folder import FrameFolder
    from fourdcb.render.pathtrace import PathTracer
    from fourdcb.trajectory import Trajectory

    Pictures = Iterator[NDArray[np.uint8]]

_LOG_EVERY = 15.0  # [s] between lines about a long render that nobody watches


def check_target(out: Path, *, script: Path, aux: Path | None) -> None:
    """Refuse, before any work, results that could not be written. Raises UserError."""
    from fourdcb.cli.outputs import check_outputs

    if _is_folder(out):
        check_outputs(files=[], folder=out)
    else:
        check_outputs(files=[out], inputs=[script])
        if out.suffix.lower() != ".png":
            from fourdcb.video import check_video_suffix

            check_video_suffix(out)
    if aux is not None:
        check_outputs(files=[], folder=aux)
        if aux.absolute() == out.absolute():
            raise UserError("pictures and buffers would go into one folder", where=str(aux))
        if aux.absolute() == _kept_beside(out).absolute():
            raise UserError(
                "finished frames and buffers would go into one folder", where=str(aux),
                hint="choose another folder for --aux",
            )  # fmt: skip


def _kept_beside(out: Path) -> Path:
    return out.with_name(f"{out.name}.frames")


@contextmanager
def draw(drawer: Backend, *, out: Path, chosen: range, keep: bool) -> Iterator[tuple[Trajectory, Pictures]]:
    """The trajectory and the pictures of the chosen frames.

    Path-traced frames are drawn beforehand into a folder beside the output, which stays until the block has
    ended well, or longer with ``keep``.
    """
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.physics import simulate
    from fourdcb.render.raster import RasterRenderer

    traced = _tracer(drawer)
    with terminal_progress(log_every=None if isinstance(drawer, RasterRenderer) else _LOG_EVERY) as progress:
        trajectory = simulate(drawer.world, progress=progress)
        if traced is None:
            yield trajectory, _drawn(drawer, trajectory, chosen, progress)
            return
        folder = _open_folder(traced, trajectory, out)
        _trace_missing(traced, trajectory, chosen, folder, progress)
    with closing(folder):
        yield trajectory, _kept(folder, chosen)
        if keep:
            typer.echo(f"the frames stay in {folder.path}")
        else:
            folder.remove()


def _tracer(drawer: Backend) -> PathTracer | None:
    from fourdcb.render.pathtrace import PathTracer

    return drawer if isinstance(drawer, PathTracer) else None


def _drawn(drawer: Backend, trajectory: Trajectory, chosen: range, progress: Progress) -> Pictures:
    progress.start("render", len(chosen))
    for k in chosen:
        yield drawer.render(trajectory, k / drawer.world.fps, aux=False).rgb
        progress.advance()


def _open_folder(tracer: PathTracer, trajectory: Trajectory, out: Path) -> FrameFolder:
    from fourdcb.render.frame_folder import FrameFolder
    from fourdcb.render.pathtrace.variant import FAST_VARIANT, MEND, SAFE_VARIANT

    faster = f" ({FAST_VARIANT} is faster and does not work here: {MEND})"
    slow = faster if tracer.variant == SAFE_VARIANT else ""
    typer.echo(f"path tracing with {tracer.variant}{slow}", err=True)
    size = (tracer.height, tracer.width)
    folder = FrameFolder(_kept_beside(out), tracer.identity(trajectory), size=size)
    if folder.replaced:
        typer.echo(f"{folder.path} held frames of another script or other settings: starting anew", err=True)
    elif folder.kept:
        typer.echo(f"going on after {folder.kept} finished frames in {folder.path}", err=True)
    else:
        typer.echo(f"finished frames are kept in {folder.path} until all are done", err=True)
    return folder


def _trace_missing(
    tracer: PathTracer, trajectory: Trajectory, chosen: range, folder: FrameFolder, progress: Progress
) -> None:
    missing = [k for k in chosen if folder.get(k) is None]
    progress.start("path tracing", len(missing))
    for k in missing:
        folder.put(k, tracer.render(trajectory, k / tracer.world.fps, aux=False))
        progress.advance()


def _kept(folder: FrameFolder, chosen: range) -> Pictures:
    for k in chosen:
        picture = folder.get(k)
        if picture is None:
            raise UserError("a finished frame is gone", where=str(folder.path), got=f"no frame {k}")
        yield picture


def write_pictures(out: Path, pictures: Pictures, *, chosen: range, fps: float) -> int:
    """Write the pictures where the output wants them; returns their number."""
    if _is_folder(out):
        out.mkdir(parents=True, exist_ok=True)
        for k, picture in zip(chosen, pictures, strict=True):
            _write_png(out / f"frame_{k:06d}.png", picture)
        return len(chosen)
    if out.suffix.lower() == ".png":
        _write_png(out, next(pictures))
        return 1
    from fourdcb.video import write_video

    return write_video(out, pictures, fps=fps)


def _is_folder(out: Path) -> bool:
    return out.is_dir() or not out.suffix


def _write_png(path: Path, picture: NDArray[np.uint8]) -> None:
    from fourdcb.identity import write_output
    from fourdcb.render.buffer_files import png_bytes

    write_output(path, png_bytes(picture))

"""``fourdcb render``: a script's video, and the geometry behind it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fourdcb.errors import UserError

if TYPE_CHECKING:
    from fourdcb.render import RenderSettings
    from fourdcb.render.pathtrace import PathSettings
    from fourdcb.world import World

_TRACED = "Path tracer: "


def render(
    script: Annotated[Path, typer.Argument(help="The world script.")],
    out: Annotated[
        Path,
        typer.Option(
            "--output", "--out", help="A video (.mp4, .mkv …), one picture (.png), or a folder of PNG files."
        ),
    ],
    backend: Annotated[str, typer.Option(help="raster, pytorch3d or pathtrace.")] = "raster",
    frames: Annotated[
        str | None, typer.Option(metavar="K or A:B", help="Frame K, or frames A … B-1; default: all.")
    ] = None,
    width: Annotated[int | None, typer.Option(help="Image width [px]; default: the camera's.")] = None,
    height: Annotated[int | None, typer.Option(help="Image height [px]; default: the camera's.")] = None,
    motion_blur: Annotated[
        str,
        typer.Option("--motion-blur", "--samples", metavar="N or auto", help="Poses within the shutter."),
    ] = "1",
    supersample: Annotated[int, typer.Option(help="Colour samples per pixel along each axis.")] = 2,
    aux: Annotated[
        Path | None,
        typer.Option(help="Folder for depth, normals, instances, flow, shadow and albedo (.npz and .png)."),
    ] = None,
    spp: Annotated[int | None, typer.Option(help=f"{_TRACED}paths per pixel; default 128.")] = None,
    seed: Annotated[int | None, typer.Option(help=f"{_TRACED}root of its randomness; default 0.")] = None,
    max_depth: Annotated[
        int | None, typer.Option(help=f"{_TRACED}longest path [segments]; default 8.")
    ] = None,
    direct_only: Annotated[
        bool, typer.Option("--direct-only", help=f"{_TRACED}no interreflection, as the other backends.")
    ] = False,
    keep_frames: Annotated[
        bool, typer.Option("--keep-frames", help=f"{_TRACED}keep the finished frames beside the output.")
    ] = False,
) -> None:
    """Simulate a script and render its video. A path-traced one goes on where it was stopped."""
    from fourdcb.cli.render_frames import check_target, draw, write_pictures
    from fourdcb.dsl import load_script
    from fourdcb.render import backend as make_backend

    wishes = {"spp": spp, "seed": seed, "max_depth": max_depth, "direct_only": direct_only or None}
    path = _path_settings(backend, wishes, keep_frames=keep_frames)
    settings = _settings(motion_blur, supersample=supersample, width=width, height=height)
    check_target(out, script=script, aux=aux)
    parsed = load_script(script, extract=True)
    for diagnostic in parsed.diagnostics:
        typer.echo(str(diagnostic), err=True)
    chosen = _frame_range(frames, parsed.world.n_frames)
    if out.suffix.lower() == ".png" and len(chosen) != 1:
        raise UserError("a .png holds one frame", where=str(out), hint="choose it with --frames K")
    drawer = make_backend(backend, parsed.world, settings, path=path)
    with draw(drawer, out=out, chosen=chosen, keep=keep_frames) as (trajectory, pictures):
        count = write_pictures(out, pictures, chosen=chosen, fps=parsed.world.fps)
    typer.echo(f"{count} frame{'s' if count != 1 else ''}: {out}")
    if aux is not None:
        _write_aux(aux, parsed.world, trajectory, settings, chosen)


def _path_settings(backend: str, wishes: dict[str, Any], *, keep_frames: bool) -> PathSettings | None:
    """What was asked of the path tracer. Raises UserError when that is asked of another backend."""
    given = {name: value for name, value in wishes.items() if value is not None}
    if backend == "pathtrace":
        from fourdcb.render.pathtrace import PathSettings

        return PathSettings(**given)
    for name in (*given, *(["keep_frames"] if keep_frames else [])):
        raise UserError(
            f"--{name.replace('_', '-')} belongs to the path tracer",
            got=f"--backend {backend}", hint="add --backend pathtrace, or leave it out",
        )  # fmt: skip
    return None


def _settings(motion_blur: str, *, supersample: int, width: int | None, height: int | None) -> RenderSettings:
    from fourdcb.render import RenderSettings

    samples: int | Literal["auto"]
    try:
        samples = "auto" if motion_blur == "auto" else int(motion_blur)
    except ValueError:
        raise UserError(
            "not a number of poses", where="--motion-blur", got=motion_blur,
            expected="a number such as 8, or auto",
        ) from None  # fmt: skip
    return RenderSettings(samples=samples, supersample=supersample, width=width, height=height)


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


def _write_aux(folder: Path, world: World, trajectory: Any, settings: RenderSettings, chosen: range) -> None:
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.render.buffer_files import write_buffers

    with terminal_progress() as progress:
        write_buffers(folder, world, trajectory, settings, chosen, progress=progress)
    typer.echo(f"geometry buffers: {folder}")

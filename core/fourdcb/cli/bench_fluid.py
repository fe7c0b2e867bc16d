"""``fourdcb bench fluid``: the particle fluid against hydrostatics."""

from __future__ import annotations

import json
from typing import Annotated

import typer

_SHARE, _SECONDS = 0.05, 30.0


def bench_fluid(
    density: Annotated[
        list[float] | None,
        typer.Option(help="Of a ball [kg/m³]; may be repeated; default 300, 500, 600, 900."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long a cup is watched.")] = 10.0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Float balls, watch a cup, and time a clip; exit 1 if a figure is off."""
    from fourdcb.identity import jsonable
    from fourdcb.physics.fluid.trials import cup_keeps, floats, momentum_error

    floating = [floats(rho) for rho in density or (300.0, 500.0, 600.0, 900.0)]
    kept, momentum = cup_keeps(seconds=seconds), momentum_error()
    clip_s = kept.cpu_s * 3.0 / kept.seconds
    if json_:
        record = {
            "floating": jsonable(floating),
            "cup": jsonable(kept),
            "momentum_error": momentum,
            "clip_s": clip_s,
        }
        typer.echo(json.dumps(record))
    else:
        for one in floating:
            typer.echo(
                f"ball of {one.density:g} kg/m³: {one.share:.3f} of Archimedes' volume, "
                f"centre {1e3 * one.height:+.1f} mm"
            )
        typer.echo(f"cup: {kept.left} of {kept.particles} particles left in {kept.seconds:g} s")
        typer.echo(
            f"mass off by {kept.mass_error:.1e}, level by {kept.volume_error:+.1%}, "
            f"momentum by {momentum:.2%}"
        )
        typer.echo(f"a clip of 3 s takes {clip_s:.1f} s of one core")
    good = all(abs(one.share - 1.0) <= _SHARE for one in floating) and kept.left == 0 and clip_s <= _SECONDS
    raise typer.Exit(0 if good and kept.mass_error < 1e-9 else 1)

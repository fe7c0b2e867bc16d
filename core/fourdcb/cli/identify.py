"""``fourdcb identify``: which numbers of a script its clip can tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourdcb.sensitivity import Identifiability, ParameterInformation


def identify(
    script: Annotated[Path, typer.Argument(help="The world script.")],
    param: Annotated[
        list[str] | None,
        typer.Option(help="What is unknown: cup.mass, cup.vel or cup; repeatable. Default: everything."),
    ] = None,
    position_noise: Annotated[float, typer.Option(help="Noise of observed positions [m].")] = 0.001,
    pixel_noise: Annotated[float, typer.Option(help="Noise of pixel values, of 255.")] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say which numbers of a script can be told from its clip, how well, and which only together."""
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dsl import load_script
    from fourdcb.sensitivity import identifiability

    parsed = load_script(script, extract=True)
    for diagnostic in parsed.diagnostics:
        typer.echo(str(diagnostic), err=True)
    with terminal_progress() as progress:
        found = identifiability(
            parsed.world, param or None,
            position_noise=position_noise, pixel_noise=pixel_noise / 255.0, progress=progress,
        )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(_record(script, found), indent=2))
        return
    for line in _lines(found):
        typer.echo(line)


def _record(script: Path, found: Identifiability) -> dict[str, Any]:
    from fourdcb.identity import jsonable

    return {
        "format": "fourdcb-identify",
        "version": 1,
        "file": str(script),
        "position_noise": found.position_noise,
        "pixel_noise": found.pixel_noise,
        "condition": found.condition,
        "singular_values": found.singular_values.tolist(),
        "parameters": [jsonable(p) for p in found.parameters],
    }


def _lines(found: Identifiability) -> Iterator[str]:
    width = max(len(p.path) for p in found.parameters)
    yield f"{'parameter':{width}}  {'value':>9}  {'best ± that the clip allows'}"
    for p in found.parameters:
        seen = "–" if p.verdict in ("confounded", "not observable") else f"± {p.standard_deviation:.2g}"
        mark = " ~" if not p.smooth else ""
        yield f"{p.path:{width}}  {p.value:9.4g}  {seen:>11}  {p.unit:6}  {_verdict(p)}{mark}"
    told = sum(p.verdict in ("observable", "weak") for p in found.parameters)
    yield (
        f"{told} of {len(found.parameters)} can be told from positions to {1000 * found.position_noise:g} mm "
        f"and pixels to {255 * found.pixel_noise:g} of 255"
    )
    yield from _combinations(found)
    if any(not p.smooth for p in found.parameters):
        yield "~ the clip answers in steps (contacts come and go); the figure is an average"


def _combinations(found: Identifiability) -> Iterator[str]:
    """Which parameters are lost, alone or together; else how evenly the clip shows them."""
    from fourdcb.words import listed

    unobservable = [p.path for p in found.parameters if p.verdict == "not observable"]
    tied = list(dict.fromkeys(frozenset((p.path, *p.partners)) for p in found.parameters if p.partners))
    if unobservable:
        yield f"the clip does not show {listed(unobservable, most=len(unobservable))}"
    for group in tied:
        names = listed([p.path for p in found.parameters if p.path in group], most=len(group))
        yield f"{names} cannot be told apart: they may change together and nothing is seen"
    if found.condition is not None and not unobservable and not tied:
        yield f"the best seen combination of them shows {found.condition:.2g} times as clearly as the worst"


def _verdict(p: ParameterInformation) -> str:
    return f"confounded with {', '.join(p.partners)}" if p.partners else p.verdict

"""``fourdcb simulate``: roll a script out and keep the trajectory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fourdcb.trajectory import Event, Trajectory

_UNITS = {
    "touch": "m/s", "bounce": "m/s", "slide_start": "m/s", "slide_stop": "m/s", "rest": "", "topple": "deg",
    "penetration": "m",
}  # fmt: skip


def simulate(
    script: Annotated[Path, typer.Argument(help="The world script.")],
    out: Annotated[
        Path, typer.Option("--output", "--out", help="Where to save the trajectory: .npz or .json.")
    ],
    rate: Annotated[
        float | None,
        typer.Option(help="Substeps per second, a multiple of fps; default: the judging rate (>= 960)."),
    ] = None,
    events: Annotated[bool, typer.Option("--events", help="Print what happens: touches, slides …")] = False,
) -> None:
    """Simulate a script and save states, contacts and events."""
    from fourdcb.cli.outputs import check_outputs
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.dsl import load_script
    from fourdcb.physics import simulate as roll_out
    from fourdcb.trajectory import check_suffix, save_trajectory

    check_suffix(out)
    check_outputs(files=[out], inputs=[script])
    parsed = load_script(script, extract=True)
    for diagnostic in parsed.diagnostics:
        typer.echo(str(diagnostic), err=True)
    with terminal_progress() as progress:
        trajectory = roll_out(parsed.world, rate_hz=rate, progress=progress)
    save_trajectory(trajectory, out)
    if events:
        for event in trajectory.events:
            typer.echo(_event_line(event))
    typer.echo(_summary(trajectory, out))


def _event_line(event: Event) -> str:
    value = "" if event.kind == "rest" else f"{event.value:.4g} {_UNITS[event.kind]}"
    return f"{event.time:8.4f} s  {event.kind:<12} {' + '.join(event.bodies):<28} {value}".rstrip()


def _summary(trajectory: Trajectory, out: Path) -> str:
    return (
        f"{len(trajectory.names)} bodies, {trajectory.times[-1]:g} s at {trajectory.rate_hz:g} Hz, "
        f"{len(trajectory.contacts)} contact rows, {len(trajectory.events)} events: {out}"
    )

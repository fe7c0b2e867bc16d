"""``fourdcb bench``: measured speeds of this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Annotated, Any

import typer

from fourdcb.errors import FourDCBError


def build_bench() -> typer.Typer:
    """The ``bench`` group: speed of the rooms, and tables that prove what the product says."""
    from fourdcb.cli.bench_agent import bench_agent
    from fourdcb.cli.bench_data import bench_data
    from fourdcb.cli.bench_degrade import bench_degrade
    from fourdcb.cli.bench_fluid import bench_fluid
    from fourdcb.cli.bench_honest import bench_honest
    from fourdcb.cli.bench_invariance import bench_invariance
    from fourdcb.cli.bench_judge import bench_judge
    from fourdcb.cli.bench_library import bench_library
    from fourdcb.cli.bench_oracle import bench_oracle
    from fourdcb.cli.bench_physics import bench_physics
    from fourdcb.cli.bench_probes import build_bench_probes
    from fourdcb.cli.bench_repair import bench_repair
    from fourdcb.cli.bench_responses import bench_responses
    from fourdcb.cli.bench_runs import bench_runs
    from fourdcb.cli.bench_studio import bench_studio
    from fourdcb.cli.bench_verdicts import bench_verdicts
    from fourdcb.cli.bench_video import bench_video
    from fourdcb.cli.bench_x4val import bench_x4val, bench_x4val_service

    app = typer.Typer(help="Measure this machine and the judge.", rich_markup_mode=None, no_args_is_help=True)
    app.command("render")(bench_render)
    app.command("physics")(bench_physics)
    app.command("responses")(bench_responses)
    app.command("studio")(bench_studio)
    app.command("video")(bench_video)
    app.command("library")(bench_library)
    app.command("judge")(bench_judge)
    app.command("agent")(bench_agent)
    app.command("data")(bench_data)
    app.command("degrade")(bench_degrade)
    app.command("fluid")(bench_fluid)
    app.command("verdicts")(bench_verdicts)
    app.command("honest")(bench_honest)
    app.command("oracle")(bench_oracle)
    app.command("invariance")(bench_invariance)
    app.command("x4val")(bench_x4val)
    app.command("x4val-service")(bench_x4val_service)
    app.command("repair")(bench_repair)
    app.command("runs")(bench_runs)
    app.add_typer(build_bench_probes(), name="probes")
    return app


def bench_render(json_: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False) -> None:
    """Measure the renderer against Bullet's TinyRenderer on one scene, 256x256, with shadows."""
    figures = _measured("raster")
    figures |= _measured("tinyrenderer")
    figures |= _measured("pytorch3d")
    figures |= _measured("curves")
    if json_:
        typer.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        typer.echo(f"{name:26} {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{key}: {_shown(one)}" for key, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not measured" if value is None else f"{value:.5g}"


def _measured(part: str) -> dict[str, Any]:
    """Figures of one renderer, from a process of its own, so that start and memory are its own too."""
    command = [sys.executable, "-m", "fourdcb.cli.bench_render", part]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if result.returncode != 0:
        raise FourDCBError(f"the benchmark of {part} failed:\n{result.stderr.strip()}")
    figures: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return figures

"""``fourdcb doctor``: is this machine fit, and does the engine obey mechanics?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourdcb.cli.machine_check import Check
    from fourdcb.physics.conformance import ConformanceRow


Engines = Annotated[
    list[str] | None,
    typer.Option(
        "--engine", help="With --physics: the engine to measure; given twice, the second is beside."
    ),
]


def doctor(
    physics: Annotated[
        bool, typer.Option("--physics", help="Measure the physics engine against closed forms.")
    ] = False,
    full: Annotated[
        bool,
        typer.Option("--full", help="With --physics: whole families of directions, masses, sizes, rates."),
    ] = False,
    engine: Engines = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check the environment, or with --physics the engine; exit 2 when something needed is missing or off."""
    healthy = _physics(as_json, full=full, engines=engine or []) if physics else _environment(as_json)
    raise typer.Exit(0 if healthy else 2)


def _environment(as_json: bool) -> bool:
    from fourdcb.cli.environment_checks import environment_checks

    checks = environment_checks()
    if as_json:
        _print_json({"environment": [check.to_json() for check in checks]})
    else:
        for check in checks:
            typer.echo(_check_lines(check))
    return all(check.ok or not check.required for check in checks)


def _check_lines(check: Check) -> str:
    mark = "ok" if check.ok else "missing" if check.required else "missing (optional)"
    line = f"{check.name:<22} {mark:<19} {check.detail}"
    return line if check.ok else f"{line}\n{'':<22} mend it with: {check.mend}"


def _physics(as_json: bool, *, full: bool, engines: list[str]) -> bool:
    from fourdcb.cli.progress import terminal_progress
    from fourdcb.physics.conformance import BULLET_DEFAULTS, CASES, FAMILIES, JUDGING_HZ, run_conformance
    from fourdcb.physics.engine import DEFAULT_ENGINE

    own, beside = (engines or [DEFAULT_ENGINE])[0], engines[1] if len(engines) > 1 else None
    if not engines:
        beside = BULLET_DEFAULTS
    with terminal_progress() as progress:
        rows = run_conformance(engine=own, beside=beside, cases=CASES, progress=progress)
        if full:
            rows += run_conformance(
                engine=own, beside=beside, cases=FAMILIES, rates_hz=(JUDGING_HZ,), progress=progress
            )
    failed = [row for row in rows if row.passed is False]
    if as_json:
        _print_json({"physics": [row.to_json() for row in rows]})
    else:
        width = max(len(row.name) for row in rows)
        head = f"{'measured':>12} {'expected':>12} {'tolerance':>10} {'':<8} {_name(beside):>17}"
        typer.echo(f"{'':<9}{'':<{width}} {head}")
        for row in rows:
            typer.echo(_row_line(row, width))
        typer.echo(f"{len(rows)} figures, {len(failed)} out of tolerance")
    return not failed


def _name(beside: str | None) -> str:
    return "Bullet's defaults" if beside == "bullet-defaults" else beside or ""


def _row_line(row: ConformanceRow, width: int) -> str:
    mark = {True: "ok", False: "OFF", None: "reported"}[row.passed]
    tolerance = "" if row.tolerance is None else f"{row.tolerance:.3g}"
    figures = f"{row.measured:>12.6g} {row.expected:>12.6g} {tolerance:>10} {row.unit:<8}"
    default = "" if row.default_measured is None else f"{row.default_measured:.6g}"
    return f"{mark:<9}{row.name:<{width}} {figures} {default:>17}"


def _print_json(value: dict[str, Any]) -> None:
    from fourdcb.identity import jsonable

    typer.echo(json.dumps(jsonable(value), indent=2, allow_nan=False))

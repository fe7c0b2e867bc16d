"""``fourdcb check``: is a world script valid?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fourdcb.errors import Diagnostic


def check(
    file: Annotated[Path, typer.Argument(help="World script to check; - reads the standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the diagnostics as JSON.")] = False,
    extract: Annotated[
        bool, typer.Option("--extract", help="Take the last complete script out of Markdown or prose.")
    ] = False,
) -> None:
    """Check a world script; nothing in it is executed.

    Prints every error and warning with line and column, then one line that says what the script holds.
    Exit code 0 when it is valid, 2 when there are errors.
    """
    from fourdcb.dsl import load_script, parse_script, require_objects
    from fourdcb.errors import Diagnostic, DiagnosticsError, UserError

    summary: dict[str, Any] | None = None
    try:
        if str(file) == "-":
            script = parse_script(_standard_input(), filename="<stdin>", extract=extract)
        else:
            script = load_script(file, extract=extract)
        require_objects(script, filename="<stdin>" if str(file) == "-" else str(file))
        diagnostics: Sequence[Diagnostic] = script.diagnostics
        world = script.world
        summary = {
            "objects": [obj.name for obj in world.objects],
            "planes": [plane.name for plane in world.planes],
            "lights": [light.name for light in world.lights] if "lights" in script.stated else [],
            "duration": world.duration,
            "fps": world.fps,
        }
    except DiagnosticsError as error:
        diagnostics = error.diagnostics
    except UserError as error:
        if not as_json:
            raise
        diagnostics = (
            Diagnostic(
                severity="error", code="unreadable", message=error.what, file=str(file), hint=error.got
            ),
        )
    _show(file, diagnostics, summary, as_json=as_json)
    if any(d.severity == "error" for d in diagnostics):
        raise typer.Exit(2)


def _standard_input() -> str:
    from fourdcb.dsl import decode_source

    return decode_source(sys.stdin.buffer.read(), where="<stdin>")


def _show(
    file: Path, diagnostics: Sequence[Diagnostic], summary: dict[str, Any] | None, *, as_json: bool
) -> None:
    errors = sum(d.severity == "error" for d in diagnostics)
    warnings = len(diagnostics) - errors
    if as_json:
        from fourdcb.identity import jsonable

        content = {
            "format": "fourdcb-check",
            "version": 1,
            "file": str(file),
            "valid": errors == 0,
            "world": summary,
            "diagnostics": [jsonable(d) for d in diagnostics],
        }
        print(json.dumps(content, indent=2))
        return
    for diagnostic in diagnostics:
        print(diagnostic)
    counts = [_counted(errors, "error")] * bool(errors) + [_counted(warnings, "warning")] * bool(warnings)
    if summary is None:
        print(f"{file}: not valid: {', '.join(counts)}")
    else:
        print(f"{file}: {', '.join(['valid', *counts])} – {_told(summary)}")


def _told(summary: Mapping[str, Any]) -> str:
    """``2 objects, 1 plane, 1 light, 3 s at 30 frames/s``."""
    things = [_counted(len(summary[f"{kind}s"]), kind) for kind in ("object", "plane", "light")]
    return f"{', '.join(things)}, {summary['duration']:g} s at {summary['fps']:g} frames/s"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"

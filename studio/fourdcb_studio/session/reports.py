"""Which files a report was made from, so that a dropped report opens what it judges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from fourdcb.errors import UserError
from fourdcb.metrics.result import REPORT_FORMAT
from fourdcb.words import tr

_PARTS = ("code", "video")


def with_reports_opened(paths: Sequence[Path]) -> list[Path]:
    """The paths, with every report in the place of which its script and video stand.

    Raises:
        UserError: when a report cannot be read, or its files are gone.
    """
    found: list[Path] = []
    for path in paths:
        found += _inputs(path) if path.suffix == ".json" and path.is_file() else [path]
    return found


def _inputs(report: Path) -> list[Path]:
    try:
        value = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(tr("cannot read the report"), where=str(report), got=str(error)) from error
    if not isinstance(value, dict) or value.get("format") != REPORT_FORMAT:
        raise UserError(
            tr("this JSON file is no report"), where=str(report), expected=f'"format": "{REPORT_FORMAT}"'
        )
    inputs = value.get("inputs")
    records = [inputs.get(part) for part in _PARTS] if isinstance(inputs, dict) else []
    named = [Path(str(r["path"])) for r in records if isinstance(r, dict) and "path" in r]
    placed = [p if p.is_absolute() else report.parent / p for p in named]
    there = [p for p in placed if _is_file(p)]
    if not there or len(there) < len(placed):
        missing = next((p for p in placed if not _is_file(p)), None)
        raise UserError(
            tr("the files that this report judges are not there"),
            where=str(report),
            got=str(missing) if missing else tr("no files are named in it"),
            hint=tr("open its script and video themselves"),
        )
    return there


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have, a folder that may not be entered
        return False

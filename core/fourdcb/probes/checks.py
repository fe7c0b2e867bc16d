"""Dense checks and order checks on disk, beside the report that shows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from fourdcb.errors import UserError
from fourdcb.identity import jsonable, write_output

Kind = Literal["dense", "order"]
_VERSION = 1


def write_check(work: Path, kind: Kind, rows: Sequence[Any]) -> Path:
    """Write ``KIND.json`` into a work folder. Raises UserError when it cannot be written."""
    values = {"format": f"fourdcb.probe-{kind}", "version": _VERSION, "rows": [jsonable(row) for row in rows]}
    path = work / f"{kind}.json"
    write_output(path, json.dumps(values, indent=1, allow_nan=False) + "\n")
    return path


def read_check(work: Path, kind: Kind) -> list[dict[str, Any]]:
    """What :func:`write_check` wrote, empty where nothing was. Raises UserError for another file."""
    path = work / f"{kind}.json"
    if not path.is_file():
        return []
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values["format"] != f"fourdcb.probe-{kind}" or values["version"] != _VERSION:
            raise ValueError("another format")
        rows: list[dict[str, Any]] = values["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            "a check cannot be read", where=str(path), got=f"{type(error).__name__}: {error}"[:200],
            hint=f"run fourdcb probe {kind} again",
        ) from error  # fmt: skip
    return rows

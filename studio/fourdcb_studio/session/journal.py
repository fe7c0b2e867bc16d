"""Unsaved edits on disk, so that a crash loses none.

One file per script and process, a line per step. A file whose process is gone holds what it had not saved.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path

import psutil  # type: ignore[import-untyped]

_log = logging.getLogger(__name__)


class Journal:
    """The edits of one script in this process.

    Args:
        folder: where journals lie.
        script: the script that is edited.
        source: its text; edits are offered only to a script that still says the same.
    """

    def __init__(self, folder: Path, script: Path, source: str) -> None:
        self._folder = folder
        self._stem = hashlib.sha256(str(script.resolve()).encode()).hexdigest()[:16]
        self._digest = hashlib.sha256(source.encode()).hexdigest()
        self._path = folder / f"{self._stem}.{os.getpid()}.jsonl"
        self._script = script

    def record(self, values: Mapping[str, float]) -> None:
        """Append the edited values as they are now; without any there is nothing to lose, and no file.

        A folder that cannot be written costs a log line.
        """
        if not values:
            self.close()
            return
        line = {"script": str(self._script), "source": self._digest, "values": dict(values)}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as error:
            _log.warning("cannot write the journal of edits: %s", error)

    def recoverable(self) -> dict[str, float]:
        """Edits that a process which is gone left unsaved; {} when there are none."""
        for path in sorted(self._folder.glob(f"{self._stem}.*.jsonl"), reverse=True):
            if _owner_lives(path) or path == self._path:
                continue
            last = _last_line(path)
            if last.get("source") == self._digest and last.get("values"):
                return {str(k): float(v) for k, v in last["values"].items()}
        return {}

    def forget_recoverable(self) -> None:
        """Delete what processes that are gone left behind for this script."""
        for path in self._folder.glob(f"{self._stem}.*.jsonl"):
            if not _owner_lives(path):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Nothing is unsaved: delete this process's file."""
        self._path.unlink(missing_ok=True)


def _owner_lives(path: Path) -> bool:
    """Whether the process that wrote a journal still runs; another one may have its number by now."""
    pid = path.suffixes[0].lstrip(".") if len(path.suffixes) == 2 else ""
    try:
        return pid.isdigit() and psutil.Process(int(pid)).create_time() <= path.stat().st_mtime
    except (psutil.Error, OSError):
        return False


def _last_line(path: Path) -> dict[str, dict[str, float]]:
    """The last whole line; a line torn by the crash is skipped."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    for line in reversed(lines):
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(value, dict):
            return value
    return {}

"""Unsaved edits on disk, so that a crash loses none.

One file per script and process, a line per step. A file whose process is gone holds what it had not saved.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Left:
    """What a process that is gone had not saved of a script.

    Attributes:
        values: edited values by path.
        text: a text that was replayed in place of the file's, or None.
        draft: a text that was typed and not replayed, or None.
        kept: whether the user asked to keep it for next time; else the process ended early.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    text: str | None = None
    draft: str | None = None
    kept: bool = False

    @property
    def count(self) -> int:
        """How many edits it holds; a text is one."""
        return len(self.values) + (self.text is not None) + (self.draft is not None)


NOTHING_LEFT = Left()


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

    def record(
        self,
        values: Mapping[str, float],
        *,
        text: str | None = None,
        draft: str | None = None,
        kept: bool = False,
    ) -> None:
        """Append what is unsaved as it is now; without any there is nothing to lose, and no file.

        A folder that cannot be written costs a log line.

        Args:
            values: edited values by path.
            text: what is replayed in place of the file's text.
            draft: what was typed and is not replayed.
            kept: whether the user asked to keep it for next time.
        """
        if not values and text is None and draft is None:
            self.close()
            return
        line: dict[str, Any] = {"script": str(self._script), "source": self._digest, "values": dict(values)}
        line |= {k: v for k, v in (("text", text), ("draft", draft)) if v is not None}
        if kept:
            line["kept"] = True
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as error:
            _log.warning("cannot write the journal of edits: %s", error)

    def left(self) -> Left:
        """What a process that is gone left unsaved; empty when there is nothing."""
        for path in sorted(self._folder.glob(f"{self._stem}.*.jsonl"), reverse=True):
            if _owner_lives(path) or path == self._path:
                continue
            last = _last_line(path)
            if last.get("source") == self._digest:
                found = _left(last)
                if found.count:
                    return found
        return NOTHING_LEFT

    def recoverable(self) -> Mapping[str, float]:
        """Edited values that a process which is gone left unsaved; {} when there are none."""
        return self.left().values

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


def _left(line: Mapping[str, Any]) -> Left:
    values, text, draft = line.get("values"), line.get("text"), line.get("draft")
    return Left(
        values={str(k): float(v) for k, v in values.items()} if isinstance(values, dict) else {},
        text=text if isinstance(text, str) else None,
        draft=draft if isinstance(draft, str) else None,
        kept=line.get("kept") is True,
    )


def _last_line(path: Path) -> dict[str, Any]:
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

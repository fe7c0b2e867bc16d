"""What was opened lately, newest first, on disk so that the next start knows it."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path

from fourdcb.identity import write_atomic

_log = logging.getLogger(__name__)
_MOST = 8


class RecentFiles:
    """A short list of openings, each a tuple of paths.

    Args:
        path: the JSON file that keeps it; None keeps nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def entries(self) -> tuple[tuple[Path, ...], ...]:
        """Openings whose files are all still there, newest first."""
        found = (tuple(Path(p) for p in entry) for entry in self._load())
        return tuple(paths for paths in found if paths and all(_there(p) for p in paths))

    def add(self, paths: Sequence[Path]) -> None:
        """Something was opened. A list that cannot be written is a line in the log, no error."""
        if self._path is None or not paths:
            return
        entry = [str(p.resolve()) for p in paths]
        entries = [entry, *(e for e in self._load() if e != entry)][:_MOST]
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path, json.dumps(entries, ensure_ascii=False, indent=1))
        except OSError as error:
            _log.warning("cannot remember what was opened in %s: %s", self._path, error)

    def _load(self) -> list[list[str]]:
        if self._path is None or not self._path.is_file():
            return []
        try:
            entries = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("cannot read %s: %s", self._path, error)
            return []
        return (
            [[str(p) for p in e] for e in entries if isinstance(e, list)] if isinstance(entries, list) else []
        )


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that no file can have, a folder that may not be entered
        return False

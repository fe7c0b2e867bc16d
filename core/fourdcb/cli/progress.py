"""Progress on a terminal (a bar on stderr) or in a log (nothing on a pipe)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fourdcb.progress import NullProgress, Progress


class _Bar:
    """One rich bar whose label changes from stage to stage."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self.display = RichProgress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self._task = self.display.add_task("", total=None)

    def start(self, label: str, total: int) -> None:
        self.display.reset(self._task, description=label, total=total)

    def advance(self, steps: int = 1) -> None:
        self.display.advance(self._task, steps)


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """A progress bar while the block runs; silent when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield NullProgress()
        return
    bar = _Bar()
    with bar.display:
        yield bar

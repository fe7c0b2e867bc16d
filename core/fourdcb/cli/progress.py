"""Progress on a terminal (a bar on stderr) or in a log (nothing on a pipe)."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from fourdcb.progress import NullProgress, Progress


class _Bar:
    """One rich bar whose label changes from stage to stage."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress

        self.display = RichProgress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self._task = self.display.add_task("", total=None)

    def start(self, label: str, total: int) -> None:
        self.display.reset(self._task, description=label, total=total)

    def advance(self, steps: int = 1) -> None:
        self.display.advance(self._task, steps)


class _Lines:
    """A line in the log now and then, with the time that is left at the present pace."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._label, self._total, self._done = "", 0, 0
        self._begun = self._told = time.monotonic()

    def start(self, label: str, total: int) -> None:
        self._label, self._total, self._done = label, total, 0
        self._begun = self._told = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        now = time.monotonic()
        if self._done == 0 or now - self._told < self._every:
            return
        self._told = now
        left = (now - self._begun) / self._done * (self._total - self._done)
        typer.echo(f"{self._label}: {self._done} of {self._total}, about {_duration(left)} left", err=True)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120.0 else f"{seconds / 60.0:.0f} min"


@contextmanager
def terminal_progress(*, log_every: float | None = None) -> Iterator[Progress]:
    """A progress bar while the block runs.

    Where stderr is not a terminal it is silent, or tells a line every ``log_every`` seconds.
    """
    if not sys.stderr.isatty():
        yield NullProgress() if log_every is None else _Lines(log_every)
        return
    bar = _Bar()
    with bar.display:
        yield bar

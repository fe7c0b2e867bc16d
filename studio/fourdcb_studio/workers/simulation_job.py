"""One job that the simulation process does because somebody asked for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fourdcb_studio.jobs.progress import JobAnswer
from fourdcb_studio.jobs.scheduler import Scheduler


class SimulationJob:
    """Has the scheduler ask for it, in its turn.

    Args:
        scheduler: gives the process its work.
        name: the kind.
        request: a WorkRequest of that kind.
        wake: called when the answer waits.
    """

    pid = None  # the process is not this job's own

    def __init__(self, scheduler: Scheduler, name: str, request: Any, wake: Callable[[], None]) -> None:
        self._scheduler, self._name, self._wake = scheduler, name, wake
        self._answers: list[JobAnswer] = []
        self.is_alive = True
        scheduler.ask(name, request, self._end)

    def take(self) -> list[JobAnswer]:
        """The answers that came since the last call."""
        taken, self._answers = self._answers, []
        return taken

    def cancel(self) -> None:
        """Nobody waits for it any more."""
        if self.is_alive:
            self.is_alive = False
            self._scheduler.withdraw(self._name)

    def close(self) -> None:
        """The window closes; the process ends by itself."""
        self.is_alive = False

    def _end(self, answer: JobAnswer) -> None:
        self.is_alive = False
        self._answers.append(answer)
        self._wake()

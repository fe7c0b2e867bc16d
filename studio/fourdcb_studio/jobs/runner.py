"""Runs one long job at a time for the window and shows it in the status bar."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from fourdcb.errors import UserError
from fourdcb_studio.jobs.contract import JobAnswer, JobDone, JobFailed, JobLost, JobProgress
from fourdcb_studio.panels.job_chip import JobChip
from fourdcb_studio.workers.bridge import Bridge
from fourdcb_studio.workers.job import JobProcess, Work

Words = Callable[[JobProgress], str]


class JobRunner(QObject):
    """Starts jobs, shows their progress, hands their outcome on.

    Args:
        chip: where progress is shown and cancelled.
        on_done: given the result.
        on_error: given what went wrong, a killed process too.
    """

    def __init__(
        self,
        chip: JobChip,
        *,
        on_done: Callable[[object], None],
        on_error: Callable[[UserError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chip, self._on_done, self._on_error = chip, on_done, on_error
        self._bridge = Bridge(self._deliver, self)
        self._process: JobProcess | None = None
        self._leaving: list[JobProcess] = []
        self._words: Words = lambda told: told.label
        self.on_cancel: Callable[[], None] = lambda: None
        chip.cancelled.connect(self.cancel)

    @property
    def is_running(self) -> bool:
        """Whether a job is under way."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """Process id of the job, None without one."""
        return self._process.pid if self._process is not None else None

    def start(self, work: Work, request: object, *, text: str, words: Words) -> None:
        """Begin a job; the one before is cancelled.

        Args:
            text: what the status bar says until the job tells something.
            words: what it says then.
        """
        self.cancel()
        self._words = words
        self._chip.show_job(text)
        self._process = JobProcess(work, request, self._bridge.wake)

    def cancel(self) -> None:
        """Stop the job; nothing of it is told any more."""
        self._leaving = [p for p in self._leaving if p.is_alive]  # one that has left keeps files open
        if self._process is not None:
            self._process.cancel()
            self._leaving.append(self._process)
            self._process = None
        self._chip.clear()
        self.on_cancel()

    def close(self) -> None:
        """End everything; the window closes."""
        self._bridge.close()
        for process in (*self._leaving, *([self._process] if self._process else ())):
            process.close()
        self._process, self._leaving = None, []

    def _deliver(self) -> None:
        for answer in self._process.take() if self._process is not None else ():
            self._take(answer)

    def _take(self, answer: JobAnswer) -> None:
        match answer:
            case JobProgress():
                self._chip.show_job(self._words(answer), answer.done, answer.total)
                return
            case JobDone(result=result):
                self._end()
                self._on_done(result)
            case JobFailed(error=error):
                self._end()
                self._on_error(error)
            case JobLost(reason=reason):
                self._end()
                self._on_error(UserError("the job's process ended before it was done", got=reason))

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            self._leaving.append(process)
        self._chip.clear()

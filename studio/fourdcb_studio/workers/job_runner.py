"""Runs one job of a kind at a time, wherever it runs, and shows it in the status bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject

from fourdcb.errors import UserError
from fourdcb_studio.jobs.contract import JobKind
from fourdcb_studio.jobs.progress import JobAnswer, JobDone, JobFailed, JobLost, JobProgress
from fourdcb_studio.jobs.scheduler import Scheduler
from fourdcb_studio.workers.bridge import Bridge
from fourdcb_studio.workers.by_name import named_function
from fourdcb_studio.workers.job import JobProcess
from fourdcb_studio.workers.pool_job import PoolJob
from fourdcb_studio.workers.simulation_job import SimulationJob

Words = Callable[[JobProgress], str]
Running = JobProcess | PoolJob | SimulationJob


class JobDisplay(Protocol):
    """Where a job is shown, and cancelled by its signal."""

    cancelled: Any

    def show_job(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show ``done`` of ``total`` steps."""

    def clear(self) -> None:
        """There is no job."""


class JobRunner(QObject):
    """Starts jobs of one kind, shows their progress, hands their outcome on.

    Args:
        kind: the row of the registry.
        display: where progress is shown and cancelled.
        on_done: given the result.
        on_error: given what went wrong, a killed process too.
        scheduler: asks the simulation process, for kinds that run there.
    """

    def __init__(
        self,
        kind: JobKind,
        display: JobDisplay,
        *,
        on_done: Callable[[Any], None],
        on_error: Callable[[UserError], None],
        scheduler: Scheduler | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.kind = kind
        self._display, self._on_done, self._on_error = display, on_done, on_error
        self._scheduler = scheduler
        self._bridge = Bridge(self._deliver, self)
        self._job: Running | None = None
        self._leaving: list[Running] = []
        self._words: Words = self._plain_words
        self.on_cancel: Callable[[], None] = lambda: None
        display.cancelled.connect(self.cancel)

    @property
    def is_running(self) -> bool:
        """Whether a job is under way."""
        return self._job is not None

    @property
    def pid(self) -> int | None:
        """Process id of the job, None without one."""
        return self._job.pid if self._job is not None else None

    def start(self, request: Any, *, text: str = "", words: Words | None = None) -> None:
        """Begin a job; the one before is cancelled.

        Args:
            text: what the status bar says until the job tells something; default the kind's words.
            words: what it says then.
        """
        self.cancel()
        self._words = words or self._plain_words
        self._display.show_job(text or self.kind.words)
        self._job = self._made(request)

    def _made(self, request: Any) -> Running:
        wake = self._bridge.wake
        if self.kind.place == "simulation":
            assert self._scheduler is not None, "only a scheduler asks the simulation process"
            return SimulationJob(self._scheduler, self.kind.name, request, wake)
        work = named_function(self.kind.work)
        if self.kind.place == "process":
            return JobProcess(work, request, wake)
        return PoolJob(work, request, wake)

    def _plain_words(self, told: JobProgress) -> str:
        return self.kind.words or told.label

    def cancel(self) -> None:
        """Stop the job; nothing of it is told any more."""
        self._leaving = [job for job in self._leaving if job.is_alive]  # one that has left keeps files open
        if self._job is not None:
            self._job.cancel()
            self._leaving.append(self._job)
            self._job = None
        self._display.clear()
        self.on_cancel()

    def close(self) -> None:
        """End everything; the window closes."""
        self._bridge.close()
        for job in (*self._leaving, *([self._job] if self._job else ())):
            job.close()
        self._job, self._leaving = None, []

    def _deliver(self) -> None:
        for answer in self._job.take() if self._job is not None else ():
            self._take(answer)

    def _take(self, answer: JobAnswer) -> None:
        match answer:
            case JobProgress():
                self._display.show_job(self._words(answer), answer.done, answer.total)
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
        job, self._job = self._job, None
        if job is not None:
            self._leaving.append(job)
        self._display.clear()


class Jobs(QObject):
    """Everything of the window that runs when somebody asks for it.

    Args:
        scheduler: the way to the simulation process.
    """

    def __init__(self, scheduler: Scheduler, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scheduler = scheduler
        self._runners: list[JobRunner] = []

    def runner(
        self,
        kind: JobKind,
        display: JobDisplay,
        *,
        on_done: Callable[[Any], None],
        on_error: Callable[[UserError], None],
    ) -> JobRunner:
        """A runner of a kind, ended with the window."""
        made = JobRunner(
            kind, display, on_done=on_done, on_error=on_error, scheduler=self._scheduler, parent=self
        )
        self._runners.append(made)
        return made

    def close(self) -> None:
        """The window closes."""
        for runner in self._runners:
            runner.close()

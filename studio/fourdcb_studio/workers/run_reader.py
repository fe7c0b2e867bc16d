"""Reads evaluation runs on a thread of the pool, again whenever their files change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.reading import RunReading, find_runs, read_run, run_stamp
from fourdcb.progress import Progress
from fourdcb_studio.jobs.progress import JobDone, JobFailed
from fourdcb_studio.jobs.runs import RUNS, RunsRequest
from fourdcb_studio.workers.by_name import named_function
from fourdcb_studio.workers.pool_job import PoolJob


@dataclass(frozen=True, slots=True)
class RunsAnswer:
    """What lies in some folders: the runs, and why others could not be read."""

    runs: tuple[RunReading, ...] = ()
    errors: tuple[UserError, ...] = ()


def read_runs(request: RunsRequest, progress: Progress) -> RunsAnswer:
    """Read every run of the folders; one that cannot be read keeps no other from being shown."""
    roots = tuple(dict.fromkeys(root for folder in request.folders for root in find_runs(folder)))
    progress.start("reading", len(roots))
    runs, errors = [], []
    for root in roots:
        try:
            runs.append(read_run(root))
        except UserError as error:
            errors.append(error)
        progress.advance()
    return RunsAnswer(tuple(runs), tuple(errors))


class RunReader:
    """Reads the runs of some folders, one reading at a time.

    Args:
        wake: called on the thread when an answer waits; must be quick and thread-safe.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._folders: tuple[Path, ...] = ()
        self._stamp: object = None
        self._job: PoolJob | None = None

    def open(self, folders: tuple[Path, ...]) -> None:
        """Read these folders from now on."""
        self.close()
        self._folders, self._stamp = folders, None
        self.look()

    def look(self) -> None:
        """Read again where something changed; does nothing while a reading is under way."""
        if not self._folders or self.busy:
            return
        stamp = tuple((root, run_stamp(root)) for folder in self._folders for root in find_runs(folder))
        if stamp != self._stamp:
            self._stamp = stamp
            self._job = PoolJob(named_function(RUNS.work), RunsRequest(folders=self._folders), self._wake)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._job is not None

    def take(self) -> RunsAnswer | None:
        """The answer, once it is there."""
        for told in self._job.take() if self._job is not None else ():
            if isinstance(told, JobDone):
                self._job = None
                assert isinstance(told.result, RunsAnswer)
                return told.result
            if isinstance(told, JobFailed):
                self._job = None
                return RunsAnswer(errors=(told.error,))
        return None

    def close(self) -> None:
        """End the thread."""
        if self._job is not None:
            self._job.close()
            self._job = None

"""One job on a thread of Qt's pool: progress, and cancelled at its next step."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QRunnable, QThreadPool

from fourdcb.errors import FourDCBError, UserError
from fourdcb.progress import Cancelled, Progress
from fourdcb_studio.jobs.progress import JobAnswer, JobDone, JobFailed, JobProgress

_log = logging.getLogger(__name__)
Work = Callable[[Any, Progress], object]


class PoolJob:
    """Runs ``work(request, progress)``; for work that waits or releases the interpreter.

    Args:
        work: ends with Cancelled where it advances its progress once it is not wanted any more.
        request: what it is given.
        wake: called on the thread when answers wait; must be quick and thread-safe.
    """

    pid = None

    def __init__(self, work: Work, request: object, wake: Callable[[], None]) -> None:
        self._work, self._request, self._wake = work, request, wake
        self._answers: deque[JobAnswer] = deque()
        self._lock = threading.Lock()
        self._stopped, self._ended = threading.Event(), threading.Event()
        self._runnable = _Runnable(self._run)
        QThreadPool.globalInstance().start(self._runnable)

    @property
    def is_alive(self) -> bool:
        """Whether its end is still waited for."""
        return not self._ended.is_set()

    def take(self) -> list[JobAnswer]:
        """The answers that came since the last call, in order."""
        with self._lock:
            taken = list(self._answers)
            self._answers.clear()
        return taken

    def cancel(self) -> None:
        """Give it up; does not wait for the end of it, and nothing of it is answered any more."""
        with self._lock:
            self._stopped.set()
            self._answers.clear()

    def close(self) -> None:
        """End it and wait for that."""
        self.cancel()
        if not QThreadPool.globalInstance().tryTake(self._runnable):  # one that has not begun never will
            self._ended.wait()

    def _run(self) -> None:
        try:
            if not self._stopped.is_set():
                self._answer(self._outcome())
        finally:
            self._ended.set()

    def _outcome(self) -> JobAnswer:
        try:
            return JobDone(result=self._work(self._request, _Steps(self)))
        except UserError as error:
            return JobFailed(error=error)
        except Cancelled as error:
            return JobFailed(error=UserError(str(error)))
        except Exception as error:  # noqa: BLE001 - whatever it is, the window must hear of it
            _log.error("a job failed", exc_info=error)
            told = str(error) if isinstance(error, FourDCBError | OSError) else repr(error)
            return JobFailed(error=UserError("the job could not be done", got=told))

    def _answer(self, answer: JobAnswer) -> None:
        with self._lock:
            if self._stopped.is_set():
                return
            self._answers.append(answer)
        self._wake()


class _Runnable(QRunnable):
    def __init__(self, run: Callable[[], None]) -> None:
        super().__init__()
        self.setAutoDelete(False)  # the job owns it
        self._run = run

    def run(self) -> None:
        self._run()


class _Steps:
    """Tells the window and ends the work once it is not wanted any more."""

    def __init__(self, job: PoolJob) -> None:
        self._job = job
        self._label, self._done, self._total = "", 0, 0

    def start(self, label: str, total: int) -> None:
        self._label, self._done, self._total = label, 0, total
        self.advance(0)

    def advance(self, steps: int = 1) -> None:
        if self._job._stopped.is_set():
            raise Cancelled("the user cancelled")
        self._done += steps
        self._job._answer(JobProgress(label=self._label, done=self._done, total=self._total))

"""One long job in a process of its own: low priority, progress, cancelled at once, survives a kill."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from fourdcb.errors import FourDCBError, UserError
from fourdcb.progress import Cancelled, Progress
from fourdcb_studio.jobs.progress import JobAnswer, JobDone, JobFailed, JobLost, JobProgress

_log = logging.getLogger(__name__)
Work = Callable[[Any, Progress], object]
_CANCEL = "cancel"
_LOOK = 0.1  # [s]
_GRACE = 2.0  # [s] that a cancelled job gets to tidy up
_CLOSE_GRACE = 0.3  # [s] the same when the window closes
_NICENESS = 10


class JobProcess:
    """Runs ``work(request, progress)`` in a spawned process.

    Args:
        work: a function at the top of a module that is light to import.
        request: what it is given; must be picklable.
        wake: called on the reader's thread when answers wait; must be quick and thread-safe.
    """

    def __init__(self, work: Work, request: object, wake: Callable[[], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._answers: deque[JobAnswer] = deque()
        self._wake = wake
        self._deadline: float | None = None
        self._process = context.Process(target=_enter, args=(theirs, work, request), daemon=True)
        self._process.start()
        theirs.close()  # so that the end of the process ends the pipe
        self._reader = threading.Thread(target=self._read, name="job-reader", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int | None:
        """Process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether its end is still waited for."""
        return self._reader.is_alive()

    def take(self) -> list[JobAnswer]:
        """The answers that came since the last call, in order."""
        taken: list[JobAnswer] = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken

    def cancel(self, *, grace: float = _GRACE) -> None:
        """Ask it to end; it is killed when it does not within ``grace`` [s]. Nothing is answered any more."""
        if self._deadline is None:
            try:
                self._connection.send(_CANCEL)
            except OSError as error:
                _log.info("the job had ended already: %s", error)
        self._deadline = time.monotonic() + grace

    def close(self) -> None:
        """End it now and wait for that."""
        self.cancel(grace=_CLOSE_GRACE)
        self._reader.join()

    def _read(self) -> None:
        ended = False
        while not ended:
            if self._deadline is not None and time.monotonic() >= self._deadline:
                self._process.kill()
            try:
                if not self._connection.poll(_LOOK):
                    continue
                answer = self._connection.recv()
            except (EOFError, OSError):
                ended = True
                self._process.join(_GRACE)
                answer = JobLost(reason=_reason(self._process.exitcode))
            if self._deadline is None:
                self._answers.append(answer)
                self._wake()
            ended = ended or isinstance(answer, JobDone | JobFailed)
        self._process.join(_GRACE)
        if self._process.is_alive():  # it has answered, and hangs on its way out
            self._process.kill()
            self._process.join()
        self._connection.close()


def _reason(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"ended by signal {-exit_code}"
    return f"exit code {exit_code}"


class _PipeProgress:
    """Tells the window and hears from it whether to go on."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._label, self._done, self._total = "", 0, 0

    def start(self, label: str, total: int) -> None:
        self._label, self._done, self._total = label, 0, total
        self.advance(0)

    def advance(self, steps: int = 1) -> None:
        if self._connection.poll(0):
            raise Cancelled("the user cancelled")
        self._done += steps
        self._connection.send(JobProgress(label=self._label, done=self._done, total=self._total))


def _enter(connection: Connection, work: Work, request: object) -> None:
    """Entry point of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the window's business
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    os.environ.setdefault("NUMBA_NUM_THREADS", str(min(2, os.cpu_count() or 1)))
    try:
        connection.send(_answer(connection, work, request))
    except (BrokenPipeError, ConnectionResetError, EOFError):
        _log.info("the window is gone")


def _answer(connection: Connection, work: Work, request: object) -> JobAnswer:
    try:
        return JobDone(result=work(request, _PipeProgress(connection)))
    except UserError as error:
        return JobFailed(error=error)
    except Cancelled as error:
        return JobFailed(error=UserError(str(error)))
    except (BrokenPipeError, ConnectionResetError, EOFError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the window must hear of it
        _log.error("a job failed", exc_info=error)
        told = str(error) if isinstance(error, FourDCBError) else f"{type(error).__name__}: {error}"
        return JobFailed(error=UserError("the job could not be done", got=told))

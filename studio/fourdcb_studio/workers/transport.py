"""The window's side of the simulation process: start, send, read, restart, end."""

from __future__ import annotations

import logging
import multiprocessing
import threading
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from fourdcb_studio.workers.entry import enter

if TYPE_CHECKING:  # what messages carry is heavy to import; the process should start before that
    from fourdcb_studio.session.messages import Answer, OptionsRequest, Request

_log = logging.getLogger(__name__)
MOST_LOST_STARTS = 3  # processes that end before they are ready, one after the other
_GRACE = 0.5  # [s] that the process gets to leave by itself


class SimulationProcess:
    """One simulation process, started again with :meth:`restart` when it is lost.

    Never forks: the child is spawned, so that it inherits neither threads nor the GUI.
    """

    def __init__(self) -> None:
        self._wake: Callable[[], None] = lambda: None
        self._context = multiprocessing.get_context("spawn")
        self._answers: deque[Answer] = deque()
        self._closing = False
        self._lost_starts = 0
        self._options: OptionsRequest | None = None
        self._connection: Connection | None = None
        self._process: multiprocessing.process.BaseProcess | None = None
        self._reader: threading.Thread | None = None

    @property
    def pid(self) -> int | None:
        """Process id, None while there is none."""
        return self._process.pid if self._process is not None else None

    def set_wake(self, wake: Callable[[], None]) -> None:
        """Call ``wake`` on the reader's thread when answers wait; it must be quick and thread-safe."""
        self._wake = wake
        if self._answers:
            wake()

    def start(self) -> None:
        """Start the process; it answers ``WorkerReady`` when it can work."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=enter, args=(theirs,), name="fourdcb-simulation", daemon=True)
        process.start()
        theirs.close()  # so that the end of the process ends the pipe
        self._connection, self._process = ours, process
        if self._options is not None:
            self.send(self._options)
        self._reader = threading.Thread(
            target=self._read, args=(ours, process), name="simulation-reader", daemon=True
        )
        self._reader.start()

    def set_options(self, options: OptionsRequest) -> None:
        """Have this process, and the one that may follow it, work so."""
        if options != self._options:
            self._options = options
            self.send(options)

    def restart(self) -> bool:
        """Start a fresh process in place of one that is lost.

        Returns:
            False when it was not started: the last few ended before they were ready, so the next would, too.
        """
        self._stop(grace=0.0)
        self._lost_starts += 1
        if self._closing or self._lost_starts > MOST_LOST_STARTS:
            return self._closing
        self.start()
        return True

    def send(self, request: Request) -> None:
        """Hand a request over. When the process is gone the reader tells, not this."""
        if self._connection is None:
            return
        try:
            self._connection.send(request)
        except (BrokenPipeError, ConnectionResetError, OSError) as error:
            _log.info("the simulation process did not take %s: %s", type(request).__name__, error)

    def take(self) -> list[Answer]:
        """The answers that came since the last call, in order."""
        taken: list[Answer] = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken

    def close(self) -> None:
        """End the process, by force if it does not leave soon. A second call does nothing."""
        self._closing = True
        self._stop(grace=_GRACE)
        self._answers.clear()

    def _stop(self, *, grace: float) -> None:
        process, reader = self._process, self._reader
        if process is None:
            return
        if grace > 0:
            from fourdcb_studio.session.messages import ShutdownRequest

            self.send(ShutdownRequest())
            process.join(grace)
        if process.is_alive():
            process.kill()
        process.join()
        if reader is not None:
            reader.join()
        if self._connection is not None:
            self._connection.close()
        process.close()
        self._connection = self._process = self._reader = None

    def _read(self, connection: Connection, process: multiprocessing.process.BaseProcess) -> None:
        while True:
            try:
                answer = connection.recv()
            except (EOFError, OSError):
                break
            from fourdcb_studio.session.messages import WorkerReady  # the answer has loaded it

            if isinstance(answer, WorkerReady):
                self._lost_starts = 0
            self._answers.append(answer)
            self._wake()
        if not self._closing:
            from fourdcb_studio.session.messages import WorkerLost

            process.join(_GRACE)
            self._answers.append(WorkerLost(reason=_reason(process.exitcode)))
            self._wake()


def _reason(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"ended by signal {-exit_code}"
    return f"exit code {exit_code}"

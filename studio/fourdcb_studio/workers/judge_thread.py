"""Work that takes a second in one piece, on a thread beside the current frame."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from fourdcb.progress import Cancelled
from fourdcb.render import on_one_thread

T = TypeVar("T")


class StopFlag:
    """A Progress that ends work once it is not wanted any more."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def start(self, label: str, total: int) -> None:
        self.advance()

    def advance(self, steps: int = 1) -> None:
        if self.stopped.is_set():
            raise Cancelled("a newer request came")


class JudgeThread(threading.Thread, Generic[T]):
    """Runs one piece of work.

    Args:
        work: given a Progress that raises Cancelled once it should end.
        stop: that Progress.
    """

    def __init__(self, work: Callable[[StopFlag], T], stop: StopFlag) -> None:
        super().__init__(name="judge", daemon=True)
        self._work, self._stop_flag = work, stop
        self._result: list[T] = []
        self._error: BaseException | None = None

    def cancel(self) -> None:
        """Ask it to end at its next stage."""
        self._stop_flag.stopped.set()

    def result(self) -> T:
        """What the work of a thread that has ended gave. Raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._result[0]

    def run(self) -> None:
        try:
            with on_one_thread():  # the other processor is the current frame's
                self._result.append(self._work(self._stop_flag))
        except BaseException as error:  # noqa: BLE001 - raised again by result() on the asking thread
            self._error = error

"""Reads a library on a thread of its own, so that the window stays alive however large it is."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourdcb.errors import FourDCBError, UserError
from fourdcb.library import CaseLibrary
from fourdcb.progress import Cancelled

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryAnswer:
    """What became of a folder: cases counted so far, the library, or why there is none."""

    folder: Path
    count: int = 0
    library: CaseLibrary | None = None
    error: UserError | None = None


class LibraryLoader:
    """Reads one folder at a time; another wish ends the one before.

    Args:
        wake: called on the thread when answers wait; must be quick and thread-safe.
        cache_folder, data_folder: the user's folders; default those of the platform.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        *,
        cache_folder: Path | None = None,
        data_folder: Path | None = None,
    ) -> None:
        self._wake, self._cache_folder, self._data_folder = wake, cache_folder, data_folder
        self._answers: deque[LibraryAnswer] = deque()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def open(self, folder: Path) -> None:
        """Read a folder; what was being read is given up."""
        self.stop()
        self._stop = threading.Event()
        thread = threading.Thread(
            target=self._read, args=(folder, self._stop), name="library-loader", daemon=True
        )
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()

    def stop(self) -> None:
        """Give up what is read; does not wait for the end of it, and nothing of it is answered any more."""
        with self._lock:
            self._stop.set()
            self._answers.clear()

    def take(self) -> list[LibraryAnswer]:
        """The answers that came since the last call, in order."""
        with self._lock:
            taken = list(self._answers)
            self._answers.clear()
        return taken

    def close(self) -> None:
        """End every thread."""
        self.stop()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _read(self, folder: Path, stop: threading.Event) -> None:
        def answer(**told: Any) -> None:
            self._answer(LibraryAnswer(folder=folder, **told), stop)

        try:
            library = CaseLibrary.open(
                folder,
                progress=_Counter(stop, lambda count: answer(count=count)),
                cache_folder=self._cache_folder,
                data_folder=self._data_folder,
            )
        except Cancelled:
            return
        except UserError as error:
            answer(error=error)
        except (OSError, FourDCBError) as error:
            answer(error=UserError("the library cannot be read", where=str(folder), got=str(error)))
        except Exception as error:  # noqa: BLE001 - else the page would wait for ever
            _log.exception("reading the library %s", folder)
            answer(error=UserError("the library cannot be read", where=str(folder), got=repr(error)))
        else:
            answer(library=library)

    def _answer(self, answer: LibraryAnswer, stop: threading.Event) -> None:
        with self._lock:
            if stop.is_set():
                return
            self._answers.append(answer)
        self._wake()


class _Counter:
    """Counts cases and ends the reading when it is asked to."""

    def __init__(self, stop: threading.Event, tell: Callable[[int], None]) -> None:
        self._stop, self._tell, self._count = stop, tell, 0

    def start(self, label: str, total: int) -> None:
        self._count = 0

    def advance(self, steps: int = 1) -> None:
        if self._stop.is_set():
            raise Cancelled("another folder is read")
        self._count += steps
        self._tell(self._count)

"""Reads a library on a thread of the pool, so that the window stays alive however large it is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fourdcb.errors import FourDCBError, UserError
from fourdcb.library import CaseLibrary
from fourdcb.progress import Cancelled, Progress
from fourdcb_studio.jobs.library import LIBRARY, LibraryRequest
from fourdcb_studio.jobs.progress import JobAnswer, JobDone, JobFailed, JobProgress
from fourdcb_studio.workers.by_name import named_function
from fourdcb_studio.workers.pool_job import PoolJob

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryAnswer:
    """What became of a folder: cases counted so far, the library, or why there is none."""

    folder: Path
    count: int = 0
    library: CaseLibrary | None = None
    error: UserError | None = None


def read_library(request: LibraryRequest, progress: Progress) -> CaseLibrary:
    """Read the cases of a folder. Raises UserError when it cannot be read."""
    where = str(request.folder)
    try:
        return CaseLibrary.open(
            request.folder,
            progress=progress,
            cache_folder=request.cache_folder,
            data_folder=request.data_folder,
        )
    except (Cancelled, UserError):
        raise
    except (OSError, FourDCBError) as error:
        raise UserError("the library cannot be read", where=where, got=str(error)) from error
    except Exception as error:
        _log.exception("reading the library %s", where)
        raise UserError("the library cannot be read", where=where, got=repr(error)) from error


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
        self._folder = Path()
        self._job: PoolJob | None = None
        self._leaving: list[PoolJob] = []

    def open(self, folder: Path) -> None:
        """Read a folder; what was being read is given up."""
        self.stop()
        request = LibraryRequest(
            folder=folder, cache_folder=self._cache_folder, data_folder=self._data_folder
        )
        self._folder = folder
        self._job = PoolJob(named_function(LIBRARY.work), request, self._wake)

    def stop(self) -> None:
        """Give up what is read; does not wait for the end of it, and nothing of it is answered any more."""
        self._leaving = [job for job in self._leaving if job.is_alive]
        if self._job is not None:
            self._job.cancel()
            self._leaving.append(self._job)
            self._job = None

    def take(self) -> list[LibraryAnswer]:
        """The answers that came since the last call, in order."""
        return [self._answer(told) for told in (self._job.take() if self._job is not None else ())]

    def close(self) -> None:
        """End every thread."""
        self.stop()
        for job in self._leaving:
            job.close()
        self._leaving.clear()

    def _answer(self, told: JobAnswer) -> LibraryAnswer:
        match told:
            case JobProgress(done=done):
                return LibraryAnswer(folder=self._folder, count=done)
            case JobDone(result=library):
                assert isinstance(library, CaseLibrary)
                return LibraryAnswer(folder=self._folder, library=library)
            case JobFailed(error=error):
                return LibraryAnswer(folder=self._folder, error=error)
            case _:
                raise AssertionError(f"a thread is not lost: {told}")

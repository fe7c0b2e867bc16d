"""Reading a folder of judged cases, on a thread of the pool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fourdcb_studio.jobs.contract import JobKind


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRequest:
    """Read the cases of a folder; ``cache_folder`` and ``data_folder`` default to those of the platform."""

    folder: Path
    cache_folder: Path | None
    data_folder: Path | None


LIBRARY = JobKind(
    name="library",
    request=LibraryRequest,
    place="pool",
    work="fourdcb_studio.workers.library_loader:read_library",
)

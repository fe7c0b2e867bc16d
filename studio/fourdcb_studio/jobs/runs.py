"""Reading evaluation runs, on a thread of the pool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fourdcb_studio.jobs.contract import JobKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsRequest:
    """Read the runs that lie in these folders."""

    folders: tuple[Path, ...]


RUNS = JobKind(
    name="runs", request=RunsRequest, place="pool", work="fourdcb_studio.workers.run_reader:read_runs"
)

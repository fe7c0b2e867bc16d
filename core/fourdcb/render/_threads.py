"""Runs kernels that release the GIL on a few threads. Results never depend on how many there are."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_MAX_THREADS = 4
_here = threading.local()


def on_one_thread() -> AbstractContextManager[None]:
    """Draw on the calling thread alone while the block runs.

    Where another thread is busy as well, handing parts over costs more than it gains: each hand-over waits
    for the GIL.
    """
    return _alone(True)


def on_all_threads() -> AbstractContextManager[None]:
    """Draw on all threads while the block runs, inside :func:`on_one_thread` too: to measure a rate."""
    return _alone(False)


def is_alone() -> bool:
    """Whether this thread draws alone now."""
    return getattr(_here, "alone", False)


@contextmanager
def _alone(value: bool) -> Iterator[None]:
    before = is_alone()
    _here.alone = value
    try:
        yield
    finally:
        _here.alone = before


@cache
def thread_count() -> int:
    """Threads that kernels are spread over: the CPUs that this process may use, at most four."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MAX_THREADS, cpus))


@cache
def _pool(_pid: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_count(), thread_name_prefix="fourdcb-render")


def over_rows(height: int, work: Callable[[int, int], None], *, least: int = 32) -> None:
    """Call ``work(top, bottom)`` for bands that cover ``height`` rows."""
    bands = min(2 * thread_count(), max(1, height // least))
    edges = [height * i // bands for i in range(bands + 1)]
    run([(lambda a=a, b=b: work(a, b)) for a, b in pairwise(edges)])  # type: ignore[misc]


def over_parts(items: NDArray[np.int32], work: Callable[[NDArray[np.int32]], None], *, least: int) -> None:
    """Call ``work(part)`` for interleaved parts of ``items``, each of at least ``least`` items."""
    parts = min(thread_count(), max(1, len(items) // least))
    run([(lambda i=i: work(np.ascontiguousarray(items[i::parts]))) for i in range(parts)])  # type: ignore[misc]


def run(jobs: list[Callable[[], None]]) -> None:
    """Do all jobs, the first one in the calling thread; all have ended when it returns or raises."""
    if thread_count() == 1 or len(jobs) == 1 or is_alone():
        for job in jobs:
            job()
        return
    waiting = [_pool(os.getpid()).submit(job) for job in jobs[1:]]
    try:
        jobs[0]()
    finally:  # the others write into arrays that the caller goes on with
        failures = [future.exception() for future in waiting]
    for failure in failures:
        if failure is not None:
            raise failure

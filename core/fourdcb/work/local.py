"""Guarded worker processes on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any

from fourdcb.work.guarded import WAIT_S, GuardedWorker
from fourdcb.work.outcome import Limits, Outcome, Work


class LocalExecutor:
    """A pool of guarded processes; the driver's one thread waits for all of them.

    Args:
        workers: processes at a time.
    """

    def __init__(self, workers: int) -> None:
        self._count = workers

    def run(self, work: Work, payloads: Iterable[tuple[str, Any]], *, limits: Limits) -> Iterator[Outcome]:
        """One outcome for each payload, as they end; workers that were killed are replaced.

        Raises:
            UserError: a worker cannot load what the work needs.
        """
        waiting = iter(payloads)
        following = next(waiting, None)
        threads = max(1, (os.cpu_count() or 1) // self._count)
        workers: list[GuardedWorker] = []
        try:
            while following is not None or any(not worker.is_idle for worker in workers):
                while following is not None and len(workers) < self._count:
                    if any(not worker.is_ready for worker in workers) and workers[0].is_ready is False:
                        break  # the first one shows whether the work can be loaded at all
                    workers.append(GuardedWorker(work, limits, threads=threads))
                _wait(workers)
                for worker in list(workers):
                    outcome = worker.look()
                    if worker.refusal is not None:
                        raise worker.refusal
                    if outcome is not None:
                        yield outcome
                    if worker.is_dead:
                        worker.close()
                        workers.remove(worker)
                    elif worker.is_idle and following is not None:
                        worker.give(*following)
                        following = next(waiting, None)
                if following is None and all(worker.is_idle for worker in workers):
                    return
        except BaseException:
            for worker in workers:
                worker.kill()
            raise
        finally:
            for worker in workers:
                worker.close()


def _wait(workers: list[GuardedWorker]) -> None:
    """Until a worker answers or prints, for a moment at most: limits have to be looked at, too."""
    descriptors: list[Any] = []
    for worker in workers:
        if not worker.is_idle:
            descriptors.append(worker.answers)
            if not worker.is_dead:
                descriptors.append(worker.printed)
    if descriptors:
        wait(descriptors, timeout=WAIT_S)

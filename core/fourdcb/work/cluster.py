"""The same guarded processes on the nodes of a Ray cluster."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fourdcb.errors import MissingDependencyError
from fourdcb.work.guarded import GuardedWorker
from fourdcb.work.outcome import Limits, Outcome, Work

_MOST_LOSSES = 3  # nodes that may be lost with one payload before the payload is taken to be the cause


class RayExecutor:
    """Actors on a cluster, each with one guarded process beside it.

    Joins the cluster that ``RAY_ADDRESS`` names, else starts one on this machine. What was under way on a
    node that is lost is done again on another.

    Args:
        workers: actors at a time; default one for each processor of the cluster.

    Raises:
        MissingDependencyError: Ray is not installed.
    """

    def __init__(self, workers: int | None) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingDependencyError("ray", extra="cluster", purpose="the executor 'ray'") from error
        self._ray = ray
        self._count = workers

    def run(self, work: Work, payloads: Iterable[tuple[str, Any]], *, limits: Limits) -> Iterator[Outcome]:
        """One outcome for each payload, as they end.

        Raises:
            UserError: a worker cannot load what the work needs.
        """
        ray = self._ray
        started_here = not ray.is_initialized()
        if started_here:
            ray.init(
                address=os.environ.get("RAY_ADDRESS", "local"),
                log_to_driver=False,
                include_dashboard=False,
                logging_level="ERROR",
            )
        actor = ray.remote(num_cpus=1, max_restarts=0)(_Guard)
        packed = pickle.dumps(work)  # unpacked where the caller's modules can be found
        count = self._count or int(ray.cluster_resources().get("CPU", 1))
        waiting = iter(payloads)
        running: dict[Any, tuple[Any, _Task]] = {}

        def give(guard: Any, task: _Task) -> None:
            running[guard.run.remote(task.key, task.payload)] = (guard, task)

        def new_guard() -> Any:
            return actor.remote(packed, limits, list(sys.path), os.getcwd())

        try:
            for _, (key, payload) in zip(range(count), waiting, strict=False):
                give(new_guard(), _Task(key, payload))
            while running:
                done, _ = ray.wait(list(running), num_returns=1)
                guard, task = running.pop(done[0])
                try:
                    outcome = ray.get(done[0])
                except ray.exceptions.RayActorError as error:  # the node is gone, not the model
                    guard = new_guard()
                    if task.losses < _MOST_LOSSES:
                        give(guard, _Task(task.key, task.payload, task.losses + 1))
                        continue
                    outcome = Outcome(key=task.key, status="crashed", error=f"the node was lost: {error}")
                following = next(waiting, None)
                if following is None:
                    guard = None  # gives its processor to one that replaces a lost one
                else:
                    give(guard, _Task(*following))
                yield outcome
        finally:
            if started_here:
                ray.shutdown()


@dataclass(frozen=True)
class _Task:
    """A payload, and how many nodes were lost with it."""

    key: str
    payload: Any
    losses: int = 0


class _Guard:
    """The actor: one guarded process after another, each until it is killed."""

    def __init__(self, packed: bytes, limits: Limits, path: list[str], folder: str) -> None:
        sys.path[:] = path
        if os.path.isdir(folder):
            os.chdir(folder)
        self._work: Work = pickle.loads(packed)
        self._limits = limits
        self._worker: GuardedWorker | None = None

    def run(self, key: str, payload: Any) -> Outcome:
        if self._worker is None or self._worker.is_dead:
            self._worker = GuardedWorker(self._work, self._limits, threads=1)
        return self._worker.finish(key, payload)

"""Executors by name."""

from __future__ import annotations

import os

from fourdcb.errors import UserError
from fourdcb.work.outcome import Executor


def make_executor(name: str, *, workers: int | None = None) -> Executor:
    """An executor by name: ``local`` or ``ray``.

    Args:
        workers: processes at a time; default one for each processor (of the cluster, with ``ray``).

    Raises:
        UserError: for another name or no worker at all.
        MissingDependencyError: for ``ray`` without Ray.
    """
    if workers is not None and workers < 1:
        raise UserError("at least one worker is needed", got=str(workers))
    if name == "local":
        from fourdcb.work.local import LocalExecutor

        return LocalExecutor(workers or os.cpu_count() or 1)
    if name == "ray":
        from fourdcb.work.cluster import RayExecutor

        return RayExecutor(workers)
    raise UserError("there is no such executor", got=repr(name), expected="local or ray")

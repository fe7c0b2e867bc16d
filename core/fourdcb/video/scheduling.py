"""Keeps an encoder from making the process real-time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TASKS = "/proc/self/task"


@contextmanager
def kept_scheduling() -> Iterator[None]:
    """Gives this thread, and those that start meanwhile, the scheduling that this thread had before.

    SVT-AV1 asks for the highest real-time priority when it is opened by root. This thread would keep it, all
    processes that it starts would inherit it, and busy loops among them would freeze the machine.
    """
    if sys.platform != "linux":
        yield
        return
    policy, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
    before = set(os.listdir(_TASKS))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, parameter)
        for task in set(os.listdir(_TASKS)) - before:
            with suppress(ProcessLookupError):  # it has ended
                os.sched_setscheduler(int(task), policy, parameter)

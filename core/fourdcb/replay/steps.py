"""Work in slices: whoever drives it decides what happens between two of them, and may drop the rest."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future, wait
from typing import Any, TypeVar

T = TypeVar("T")
# Yields every few milliseconds: None when it can go on at once, else what it waits for. Closing it gives up.
Steps = Generator[Future[Any] | None, None, T]


def finished(work: Steps[T]) -> T:
    """What work in slices gives, all of them done at once. Raises what the work raises."""
    while True:
        try:
            awaited = next(work)
        except StopIteration as end:
            result: T = end.value
            return result
        if awaited is not None:
            wait([awaited])

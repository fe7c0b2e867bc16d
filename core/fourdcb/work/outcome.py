"""What executors are given and what they give back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

OutcomeStatus = Literal["ok", "failed", "timeout", "out_of_memory", "crashed"]
Call = Callable[[Any], Any]


class Work(Protocol):
    """What a worker process does, payload after payload. Pickled once to each worker."""

    def open(self) -> Call:
        """Load what all calls need; called once in each worker.

        Raises:
            UserError: the work cannot be done at all, whatever the payload.
        """

    def close(self) -> None:
        """Give back what :meth:`open` made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one payload may take.

    Attributes:
        seconds: of wall-clock time.
        memory_mb: resident memory of the worker and all that it started [MB].
        start_seconds: for loading before the first payload.
    """

    seconds: float = 600.0
    memory_mb: float = 4096.0
    start_seconds: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one payload.

    Attributes:
        key: of the payload.
        status: how it ended.
        value: what the call returned, when it ended well.
        error: one sentence, when it did not.
        seconds: wall-clock time.
        output: tail of what was printed meanwhile.
    """

    key: str
    status: OutcomeStatus
    value: Any = None
    error: str | None = None
    seconds: float = 0.0
    output: str = ""


class Executor(Protocol):
    """Does work on payloads, several at a time."""

    def run(self, work: Work, payloads: Iterable[tuple[str, Any]], *, limits: Limits) -> Iterator[Outcome]:
        """One outcome for each payload, as they end. Closing the iterator ends what still runs.

        Raises:
            UserError: the work cannot be done at all.
        """

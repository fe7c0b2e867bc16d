"""How many requests one endpoint gets at a time, found out by asking.

All processes of one user on this machine share what they learn about an endpoint: each answer raises the
limit a little, each "too many requests" halves it (additive increase, multiplicative decrease; Chiu and Jain,
"Analysis of the increase and decrease algorithms for congestion avoidance", 1989). Slots are locks of the
system, so that a process that is killed gives its slot back.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fourdcb.errors import UserError

_FIRST_LIMIT = 4.0
_POLL_S = 0.02
_FORGOTTEN_AFTER_S = 600.0  # what was learned about an endpoint so long ago is no longer believed


@dataclass(frozen=True, slots=True)
class _Learned:
    """What is known of an endpoint; times are of the machine's monotonic clock [s].

    Attributes:
        limit: requests at a time; its whole part counts.
        lowered_at: when it was last lowered.
        not_before: nothing is asked before then, as the endpoint wished.
    """

    limit: float = _FIRST_LIMIT
    lowered_at: float = 0.0
    not_before: float = 0.0


class EndpointGovernor:
    """Slots of one endpoint.

    Args:
        url: of the endpoint; its hash names the folder of the locks.
        most: slots at most.

    Raises:
        UserError: the folder for temporary files takes no locks.
    """

    def __init__(self, url: str, *, most: int) -> None:
        name = hashlib.sha256(url.encode()).hexdigest()[:16]
        self._folder = Path(tempfile.gettempdir()) / f"fourdcb-endpoints-{os.getuid()}" / name
        self._most = most
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise UserError(
                "there is no place to note how busy the endpoint is",
                where=str(self._folder),
                got=error.strerror,
                hint="TMPDIR names the folder for temporary files",
            ) from error

    @property
    def limit(self) -> int:
        """Requests at a time, as far as is known now."""
        return self._allowed(self._learned())

    @contextmanager
    def slot(self) -> Iterator[float]:
        """Wait for a slot and hold it; yields when the request may begin (monotonic clock) [s]."""
        handle = self._wait_for_slot()
        try:
            yield time.monotonic()
        finally:
            os.close(handle)

    def answered(self) -> None:
        """The endpoint kept up."""
        with self._changed() as (learned, write):
            write(replace(learned, limit=min(learned.limit + 1.0 / learned.limit, float(self._most))))

    def refused(self, asked_at: float, *, wait_s: float | None) -> None:
        """The endpoint was asked too much; requests that were under way when that was learned teach nothing
        new.

        Args:
            asked_at: what :meth:`slot` gave for the request.
            wait_s: how long the endpoint wants to be left alone, if it says so [s].
        """
        now = time.monotonic()
        with self._changed() as (learned, write):
            if asked_at >= learned.lowered_at:
                learned = replace(learned, limit=max(1.0, learned.limit / 2.0), lowered_at=now)
            if wait_s is not None:
                learned = replace(learned, not_before=max(learned.not_before, now + wait_s))
            write(learned)

    def _wait_for_slot(self) -> int:
        while True:
            learned = self._learned()
            rest_s = learned.not_before - time.monotonic()
            if rest_s <= 0.0:
                for k in range(self._allowed(learned)):
                    handle = os.open(self._folder / f"slot-{k}", os.O_RDWR | os.O_CREAT, 0o600)
                    try:
                        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        os.close(handle)
                    else:
                        return handle
            time.sleep(max(min(rest_s, 1.0), _POLL_S * random.uniform(0.5, 1.5)))

    def _allowed(self, learned: _Learned) -> int:
        return max(1, min(int(learned.limit), self._most))

    def _learned(self) -> _Learned:
        with self._changed() as (learned, _):
            return learned

    @contextmanager
    def _changed(self) -> Iterator[tuple[_Learned, Callable[[_Learned], None]]]:
        handle = os.open(self._folder / "learned.json", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)

            def write(learned: _Learned) -> None:
                os.ftruncate(handle, 0)
                os.pwrite(handle, json.dumps(asdict(learned)).encode(), 0)

            yield _read(handle), write
        finally:
            os.close(handle)


def _read(handle: int) -> _Learned:
    """What was written last; the beginning where that is nothing, torn, old or of another boot."""
    state = os.fstat(handle)
    try:
        noted = json.loads(os.pread(handle, 4096, 0))
        learned = _Learned(**{name: float(value) for name, value in noted.items()})
    except (ValueError, TypeError, AttributeError):
        return _Learned()
    old = time.time() - state.st_mtime > _FORGOTTEN_AFTER_S
    return _Learned() if old or learned.lowered_at > time.monotonic() else learned

"""One worker process under guard: its time, its memory and what it prints are bounded from outside."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection, wait
from typing import Any

import psutil  # type: ignore[import-untyped]

from fourdcb.errors import UserError
from fourdcb.threads import THREAD_VARIABLES
from fourdcb.work.outcome import Limits, Outcome, OutcomeStatus, Work

_TAIL = 16 * 1024  # of what is printed, the last bytes are kept
_LOOK_S = 0.1  # between two looks at the memory
WAIT_S = 0.05  # the longest wait: limits have to be looked at, too


class GuardedWorker:
    """A worker process; it is given one payload at a time and killed, with all it started, when it overdoes.

    Args:
        work: what it does.
        limits: of one payload.
        threads: its share of the machine's processors.
    """

    def __init__(self, work: Work, limits: Limits, *, threads: int) -> None:
        self._limits = limits
        ours, theirs = socket.socketpair()
        environment = dict(os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads)))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fourdcb.work.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        self._connection = Connection(ours.detach())
        assert self._process.stdout is not None
        self.printed = self._process.stdout.fileno()
        os.set_blocking(self.printed, False)
        self._tail = b""
        self._key: str | None = None
        self._begun = self._looked = time.monotonic()
        self.is_ready = self._closed = False
        self.refusal: UserError | None = None
        self._connection.send(sys.path)
        self._connection.send(work)

    @property
    def answers(self) -> int:
        """File descriptor that can be read when an answer is there."""
        return self._connection.fileno()

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a payload."""
        return self.is_ready and self._key is None

    def give(self, key: str, payload: Any) -> None:
        """Begin with a payload."""
        assert self.is_idle
        self._key, self._begun, self._tail = key, time.monotonic(), b""
        try:
            self._connection.send(payload)
        except OSError:
            return  # it died while it waited: look() finds the closed connection and says so

    def finish(self, key: str, payload: Any) -> Outcome:
        """Do one payload from its beginning to its end.

        Raises:
            UserError: the work cannot be loaded.
        """
        while not self.is_ready:
            self._wait()
            self.look()
            if self.refusal is not None:
                raise self.refusal
        self.give(key, payload)
        while True:
            outcome = self.look()
            if outcome is not None:
                return outcome
            self._wait()

    def _wait(self) -> None:
        wait([self.answers] if self.is_dead else [self.answers, self.printed], timeout=WAIT_S)

    def look(self) -> Outcome | None:
        """Whether the payload has ended, or has to be ended now. A worker that was killed is dead afterwards.

        Returns:
            The outcome, or None while it goes on.
        """
        self.drain()
        if self._connection.poll():
            try:
                kind, value = self._connection.recv()
            except (EOFError, ConnectionResetError):
                return self._died()
            if kind == "ready":
                self.is_ready = True
                return None
            if kind == "refused":
                self.refusal = value if isinstance(value, UserError) else UserError(str(value))
                return None
            return self._ended(kind, value)
        if self.is_dead and not self._connection.poll():
            return self._died()  # what it left behind may hold its end of the connection open
        if not self.is_ready or self._key is not None:
            return self._overdone()
        return None

    def _overdone(self) -> Outcome | None:
        now = time.monotonic()
        allowed = self._limits.seconds if self.is_ready else self._limits.start_seconds
        if now - self._begun > allowed:
            self.kill()
            if not self.is_ready:
                self.refusal = UserError("loading took too long", got=f"more than {allowed:g} s")
                return None
            return self._ended("timeout", f"it took more than {allowed:g} s")
        if now - self._looked > _LOOK_S:
            self._looked = now
            used = resident_mb(self._process.pid)
            if used > self._limits.memory_mb:
                self.kill()
                told = f"it took {used:.0f} MB, more than {self._limits.memory_mb:.0f} MB"
                if not self.is_ready:
                    self.refusal = UserError("loading took too much memory", got=told)
                    return None
                return self._ended("out_of_memory", told)
        return None

    def _died(self) -> Outcome | None:
        self.drain()
        code = self._process.wait()
        reason = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        tail = self._tail.decode(errors="replace").strip()
        if not self.is_ready:
            self.refusal = self.refusal or UserError(
                "the worker ended while it loaded", got=reason, hint=tail[-500:] or None
            )
            return None
        return self._ended("crashed", f"the process ended ({reason})")

    def _ended(self, kind: OutcomeStatus, value: Any) -> Outcome | None:
        key, self._key = self._key, None
        if key is None:
            return None
        self.drain()
        good = kind == "ok"
        return Outcome(
            key=key,
            status=kind,
            value=value if good else None,
            error=None if good else str(value),
            seconds=time.monotonic() - self._begun,
            output=self._tail.decode(errors="replace"),
        )

    def drain(self) -> None:
        """Take what was printed, so that nobody waits for a full pipe; the tail is kept."""
        while True:
            try:
                data = os.read(self.printed, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                return
            self._tail = (self._tail + data)[-_TAIL:]

    @property
    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """End it and all that it started, at once."""
        for process in (*_descendants(self._process.pid), self._process):
            try:
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()
        self._end_group()

    def _end_group(self) -> None:
        """End what the dead process left in its session."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return

    def close(self) -> None:
        """Let it end by itself, for a moment; then end it, with all that it started."""
        if self._closed:
            return
        self._closed = True
        started = _descendants(self._process.pid)
        self._connection.close()
        deadline = time.monotonic() + 5.0
        while not self.is_dead and time.monotonic() < deadline:
            self.drain()
            time.sleep(0.01)
        if not self.is_dead:
            self.kill()
        for process in started:
            try:
                process.kill()  # looks at the start time: a number that was given anew is left alone
            except psutil.NoSuchProcess:
                continue
        self._end_group()
        assert self._process.stdout is not None
        self._process.stdout.close()


def resident_mb(pid: int) -> float:
    """Resident memory of a process and its descendants [MB]; 0 when it is gone."""
    try:
        process = psutil.Process(pid)
        total = process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0.0
    for child in _descendants(pid):
        try:
            total += child.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return float(total) / 1e6


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []

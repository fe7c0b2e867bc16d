"""The process in which a model or a metric runs: ``python -m fourdcb.work.worker FD``.

It reads pickled messages from a socket that it inherits and answers on it. Whatever is printed goes
elsewhere, so
a model that prints cannot garble the answers; it dies with its parent.
"""

from __future__ import annotations

import ctypes
import pickle
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

from fourdcb.errors import UserError

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, where it can (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def keep_orphans() -> None:
    """Have what a model leaves behind stay among this process's descendants, where its guard finds it
    (Linux).
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def serve(connection: Connection) -> None:
    """Answer messages until the other side closes."""
    sys.path[:] = connection.recv()
    try:
        work = connection.recv()  # may import the caller's modules
        call = work.open()
    except BaseException as error:  # noqa: BLE001 - told to the parent, which raises it
        connection.send(("refused", error if isinstance(error, UserError) else _told(error)))
        return
    connection.send(("ready", None))
    while True:
        try:
            payload = connection.recv()
        except EOFError:
            work.close()
            return
        kind, value = _answer(call, payload)
        try:
            connection.send((kind, value))
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            connection.send(("failed", f"the answer cannot be handed over: {error}"))


def _answer(call: Any, payload: Any) -> tuple[str, Any]:
    try:
        return "ok", call(payload)
    except MemoryError as error:
        return "out_of_memory", _told(error)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - one sample's, not the run's
        traceback.print_exc()
        return "failed", _told(error)


def _told(error: BaseException) -> str:
    text = str(error)
    return (
        text
        if isinstance(error, UserError)
        else f"{type(error).__name__}: {text}"
        if text
        else type(error).__name__
    )


def main() -> None:
    """Serve on the inherited file descriptor."""
    die_with_parent()
    keep_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and ends its workers
    with Connection(int(sys.argv[1])) as connection:
        try:
            serve(connection)
        except (BrokenPipeError, ConnectionResetError, EOFError):
            return  # the parent has no use for the answer any more


if __name__ == "__main__":
    main()

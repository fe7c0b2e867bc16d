"""pybullet itself: imported on first use, its C-level chatter kept away from the user's terminal."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fourdcb.errors import UserError


def bullet() -> Any:
    """The pybullet module.

    Raises:
        UserError: when it is not installed or does not load.
    """
    loaded = sys.modules.get("pybullet")
    if loaded is not None:
        return loaded
    try:
        with silenced(2):  # it greets on stderr with its build time
            import pybullet
    except ImportError as error:
        raise UserError(
            "the physics engine pybullet does not load",
            got=str(error),
            hint="pip install 'pybullet>=3.2.7' under CPython 3.11",
        ) from error
    return pybullet


@contextmanager
def silenced(*descriptors: int) -> Iterator[None]:
    """Sends what C code writes to these file descriptors (1 stdout, 2 stderr) to nowhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    flush = ctypes.CDLL(None).fflush
    flush(None)
    kept = [os.dup(descriptor) for descriptor in descriptors]
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        for descriptor in descriptors:
            os.dup2(sink, descriptor)
        yield
    finally:
        flush(None)  # C buffers its output; what is left in the buffer must go to the sink too
        for descriptor, copy in zip(descriptors, kept, strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)
        os.close(sink)

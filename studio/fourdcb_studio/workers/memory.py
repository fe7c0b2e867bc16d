"""Memory that is given back to the system, and collections that stop nothing."""

from __future__ import annotations

import ctypes
import gc
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # names of glibc's mallopt
_PICTURE_BYTES = 128 * 1024
_REUSED_BYTES = 8 * 2**20
_YOUNG, _MIDDLE, _OLD = 20_000, 20, 50  # thresholds of the collector's generations


def return_freed_memory() -> None:
    """Keep pictures out of the heap, where their holes would stay for ever; glibc only.

    glibc raises its threshold for separate mappings to the largest block ever freed; a fixed threshold
    lets every freed picture leave the process.
    """
    _set(_MMAP_THRESHOLD, _PICTURE_BYTES)
    _set(_ARENA_MAX, 2)


def reuse_freed_memory() -> None:
    """Keep freed pictures for the next ones until :func:`trim`; glibc only.

    Where pictures come and go by the hundred, fetching fresh pages for each takes a third of the time.
    """
    _set(_MMAP_THRESHOLD, _REUSED_BYTES)
    _set(_TRIM_THRESHOLD, 2 * _REUSED_BYTES)
    _set(_ARENA_MAX, 2)


def trim() -> None:
    """Give back what was freed; takes some milliseconds, so call it when nothing is to be done."""
    give = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if give is not None:
        give(0)


def _set(name: int, value: int) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform.startswith("linux") else None
    if mallopt is not None:
        mallopt(name, value)


def spare_collections() -> None:
    """Keep what was made at the start out of garbage collections, which would stop a drag for 50 ms.

    Nearly everything that this program drops goes by reference count; what is left can wait.
    """
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)

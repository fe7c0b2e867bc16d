"""Memory that is given back to the system, and collections that stop nothing."""

from __future__ import annotations

import ctypes
import gc
import sys

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # names of glibc's mallopt
_PICTURE_BYTES = 128 * 1024
_YOUNG, _MIDDLE, _OLD = 20_000, 20, 50  # thresholds of the collector's generations


def return_freed_memory() -> None:
    """Keep pictures out of the heap, where their holes would stay for ever; glibc only.

    glibc raises its threshold for separate mappings to the largest block ever freed; a fixed threshold
    lets every freed picture leave the process.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _PICTURE_BYTES)
        mallopt(_ARENA_MAX, 2)


def spare_collections() -> None:
    """Keep what was made at the start out of garbage collections, which would stop a drag for 50 ms.

    Nearly everything that this program drops goes by reference count; what is left can wait.
    """
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)

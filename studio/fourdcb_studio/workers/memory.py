"""Makes the C library give freed pictures back to the system."""

from __future__ import annotations

import ctypes
import sys

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # names of glibc's mallopt
_PICTURE_BYTES = 128 * 1024


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

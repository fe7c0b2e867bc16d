"""Compilation of the kernels: cached on disk under a folder named after their source, no parallel runtime.

Kernels release the GIL and are run on bands by plain threads (see ``_threads``): numba's parallel layers
abort after a fork or when two threads enter them. Numba's own cache misses edits in an imported file; the
folder's name holds a hash of all kernel sources, so a stale kernel is never loaded.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba as _numba

numba: Any = _numba  # its stubs lack the options used here
F = TypeVar("F", bound=Callable[..., Any])
# Without numba's reference counting: its atomic counters cost more than the arithmetic and make threads wait
# for each other. Kernels therefore allocate nothing, slice nothing and keep no array.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_log = logging.getLogger(__name__)


@cache
def cache_folder() -> Path | None:
    """A writable folder for compiled kernels, or None (they are then compiled in every process)."""
    import platformdirs

    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for source in (*sorted(folder.glob("*.py")), folder.parent / "brdf.py"):
        digest.update(source.read_bytes())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    candidates = [Path(chosen)] if chosen else [Path(platformdirs.user_cache_dir("fourdcb"))]
    candidates.append(Path(tempfile.gettempdir()) / f"fourdcb-{os.getuid() if hasattr(os, 'getuid') else 0}")
    for base in candidates:
        target = base / "kernels" / digest.hexdigest()[:16]
        try:
            target.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(target, os.W_OK) and _is_mine(target):
            return target
    _log.warning("no writable cache folder: kernels are compiled anew in every process")
    return None


def _is_mine(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def _register_without_blas() -> None:
    """Let numba skip its linear algebra, for which it would import SciPy's: no kernel uses it."""
    if "numba.np.arraymath" in sys.modules:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    look_for_blas = linalg.ensure_blas
    linalg.ensure_blas = _no_blas
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look_for_blas


def _no_blas() -> None:
    raise ImportError("the kernels need no linear algebra")


_register_without_blas()


def kernel(function: F) -> F:
    """Compile in nopython mode, without the GIL, cached on disk."""
    folder = cache_folder()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = "" if folder is None else str(folder)
    try:
        compiled = numba.njit(cache=folder is not None, no_cfunc_wrapper=True, **_OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(F, compiled)


def inline(function: F) -> F:
    """A helper of kernels; it is compiled into its callers and needs no cache entry of its own."""
    return cast(
        F, numba.njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)
    )

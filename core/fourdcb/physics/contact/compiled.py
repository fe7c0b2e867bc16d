"""Compilation of the engine's inner loops with numba. Importing this module imports numba.

Machine code is kept in the user's cache folder under a digest of every source of the engine: numba itself
looks only at the file of the function that it loads, not at those of the functions called from there.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numba as _numba
from numba.core import caching
from platformdirs import user_cache_path

numba: Any = _numba  # its stubs lack what is used here
_ROOT = Path(__file__).resolve().parent


class _EngineLocator(caching._CacheLocator):
    """Where numba keeps the code of this folder's functions, and what makes it stale."""

    def __init__(self, source: Path) -> None:
        self._source = source

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(user_cache_path("fourdcb") / "engine" / _digest())

    def get_source_stamp(self) -> str:
        return _digest()

    def get_disambiguator(self) -> str:
        return hashlib.sha256(str(self._source.relative_to(_ROOT)).encode()).hexdigest()[:10]

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _EngineLocator | None:
        source = Path(py_file).resolve()
        return cls(source) if source.is_relative_to(_ROOT) else None


def _digest() -> str:
    if not _known:
        digest = hashlib.sha256(numba.__version__.encode())
        for source in sorted(_ROOT.rglob("*.py")):
            digest.update(source.read_bytes())
        _known.append(digest.hexdigest()[:24])
    return _known[0]


_known: list[str] = []
_locators: list[Any] = caching.CacheImpl._locator_classes
if _EngineLocator not in _locators:
    _locators.insert(0, _EngineLocator)

# No fast-math: the same world gives the same bytes. Threads step at the same time, so the lock is let go.
# Inner functions are called from compiled code only.
compiled: Any = numba.njit(error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
entry: Any = numba.njit(cache=True, error_model="numpy", nogil=True)

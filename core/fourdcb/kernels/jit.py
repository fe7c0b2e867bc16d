"""Kernels: plain Python loops compiled once, kept on disk as machine code, and loaded without numba.

Importing numba costs more than drawing a clip, so it is imported only where a kernel has to be compiled. The
cache folder is named after the compiler and the processor, a file in it after the kernel's sources: what is
found always fits. Kernels run without the GIL, so plain threads share the work.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from fourdcb.kernels.arguments import Flat, Layout, flatten
from fourdcb.kernels.helper import Inline
from fourdcb.kernels.storage import read_code, write_code

P = ParamSpec("P")
R = TypeVar("R")
_compiling = threading.RLock()
_MOST_KNOWN = 64


class Kernel(Generic[P]):
    """A function of arrays, numbers and tuples of them that returns nothing.

    Arrays must be C-contiguous. Machine code is made once for every layout of the arguments.
    """

    def __init__(self, function: Callable[P, None]) -> None:
        self.function = function
        self._loaded: dict[tuple[Layout, ...], Callable[..., None]] = {}
        self._known: dict[tuple[int, int], _Known] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Run it; arguments go by position. Raises TypeError for arguments that have no layout."""
        if kwargs:
            raise TypeError("kernels take arguments by position")
        layouts: list[Layout] = []
        values: list[Any] = []
        for place, arg in enumerate(args):
            layout, flat = self._flat(place, arg)
            layouts.append(layout)
            values += flat
        key = tuple(layouts)
        run = self._loaded.get(key)
        if run is None:
            run = self._loaded[key] = self._load(key, args)
        run(*values)

    def _flat(self, place: int, arg: Any) -> Flat:
        if not isinstance(arg, tuple):
            return flatten(arg)
        key = (place, id(arg[0]) if arg else 0)
        known = self._known.get(key)
        if known is None or not known.is_of(arg):
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[key] = _Known(arg)
        return known.flat

    def _load(self, layouts: tuple[Layout, ...], args: tuple[Any, ...]) -> Callable[..., None]:
        from fourdcb.kernels.machine import load

        with _compiling:
            name = f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"
            sources = _sources(self.function)
            code = read_code(name, sources, layouts)
            if code is None:
                from fourdcb.kernels.compiling import compile_kernel

                code = compile_kernel(self.function, args)
                write_code(name, sources, layouts, code)
            return load(code, layouts)


class _Known:
    """A tuple at one place of a kernel's arguments, flattened: the same few are passed again and again.

    Arrays are referred to weakly, so that a kernel keeps no picture alive.
    """

    __slots__ = ("_items", "flat")

    def __init__(self, arg: tuple[Any, ...]) -> None:
        self._items = [weakref.ref(a) if isinstance(a, np.ndarray) else (lambda a=a: a) for a in arg]
        self.flat = flatten(arg)

    def is_of(self, arg: tuple[Any, ...]) -> bool:
        """Whether ``arg`` holds the very same items."""
        if len(arg) != len(self._items):
            return False
        for known, item in zip(self._items, arg, strict=True):  # noqa: SIM110  # all() is slower, and it counts
            if known() is not item:
                return False
        return True


def _sources(function: Callable[..., Any]) -> list[Path]:
    """The files of a kernel and its helpers, and those beside them, which hold numbers that they share."""
    files: set[Path] = set()
    folders: set[Path] = set()
    waiting: list[Any] = [function]
    while waiting:
        space = waiting.pop().__globals__
        path = Path(space["__file__"])
        if path not in files:
            files.add(path)
            helpers = [value.function for value in space.values() if isinstance(value, Inline)]
            folders |= {path.parent} if helpers or len(files) == 1 else set()
            waiting += helpers
    return sorted(files | {other for folder in folders for other in folder.glob("*.py")})


def kernel(function: Callable[P, None]) -> Kernel[P]:
    """Make a function a kernel."""
    return Kernel(function)


def inline(function: Callable[P, R]) -> Inline[P, R]:
    """Make a function a helper that becomes part of every kernel and helper that calls it."""
    return Inline(function)


def routine(function: Callable[P, R]) -> Inline[P, R]:
    """Make a function a helper that is called: for what is long, or called in several places."""
    return Inline(function, forced=False)

"""What kernels call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Inline(Generic[P, R]):
    """A helper of kernels. Called from Python it runs in Python.

    Attributes:
        function: what is compiled.
        forced: whether it becomes part of every caller, or the compiler may keep it as a function of its own.
    """

    def __init__(self, function: Callable[P, R], *, forced: bool = True) -> None:
        self.function = function
        self.forced = forced

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The helper itself, uncompiled."""
        return self.function(*args, **kwargs)

"""Finds the function that a kind of job names, where it runs and no sooner."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def named_function(name: str) -> Callable[..., Any]:
    """The function that ``module:function`` means.

    Raises:
        ImportError, AttributeError: when there is none.
    """
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found

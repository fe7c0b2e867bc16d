"""How arguments reach machine code: flattened to the numbers and pointers of numba's calling convention."""

from __future__ import annotations

from typing import Any

import numpy as np

# "b", "i", "d" are a bool, an int and a float; (dtype, dimensions) an array; a tuple of layouts a tuple.
Layout = Any
Flat = tuple[Layout, tuple[Any, ...]]


def flatten(arg: Any) -> Flat:
    """The layout of an argument and its values.

    An array is seven parts or more: no owner twice, items, bytes an item, address, shape, strides.

    Raises:
        TypeError: for arrays that are not C-contiguous, and for anything else.
    """
    if isinstance(arg, np.ndarray):
        if not arg.flags.c_contiguous:
            raise TypeError("kernels take C-contiguous arrays only")
        address = arg.__array_interface__["data"][0]
        parts = (None, None, arg.size, arg.itemsize, address, *arg.shape, *arg.strides)
        return (arg.dtype.str, arg.ndim), parts
    if isinstance(arg, tuple):
        items = [flatten(item) for item in arg]
        return tuple(layout for layout, _ in items), tuple(v for _, values in items for v in values)
    if isinstance(arg, bool | np.bool_):
        return "b", (bool(arg),)
    if isinstance(arg, int | np.integer):
        return "i", (int(arg),)
    if isinstance(arg, float | np.floating):
        return "d", (float(arg),)
    raise TypeError(f"kernels take arrays, numbers and tuples of them, not {type(arg).__name__}")

"""Entries and slices of lists, dicts, texts and arrays."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from fourdcb.dsl.budget import Meter
from fourdcb.dsl.faults import ScriptFault
from fourdcb.dsl.operators import OperandError, brief, is_key, type_name

MAX_INDEX = 1 << 31


def item_at(value: Any, index: Any, node: ast.Subscript, meter: Meter) -> Any:
    """``value[index]``. Raises ScriptFault, BudgetExceeded."""
    if isinstance(value, dict):
        if is_key(index) and index in value:
            return value[index]
        raise ScriptFault(node, f"the dict has no key {brief(index)}.", code="index")
    if not isinstance(value, list | tuple | str | range | np.ndarray):
        raise ScriptFault(node, f"{type_name(value)} has no entries.", code="type")
    if isinstance(value, np.ndarray):
        return _array_item(value, index, node, meter)
    if not isinstance(index, int):
        raise ScriptFault(node, f"an index is a whole number, got {brief(index)}.", code="index")
    try:
        return value[index]
    except (IndexError, OverflowError):
        raise ScriptFault(node, f"index {brief(index)} is out of range.", code="index") from None


def _array_item(value: np.ndarray[Any, Any], index: Any, node: ast.Subscript, meter: Meter) -> Any:
    indices = index if isinstance(index, tuple) else (index,)
    if not all(isinstance(i, int) and abs(i) < MAX_INDEX for i in indices):
        raise ScriptFault(node, "an array index is a whole number.", code="index")
    try:
        item = value[indices]
    except IndexError:
        raise ScriptFault(node, f"index {brief(index)} is out of range.", code="index") from None
    if not isinstance(item, np.ndarray):
        return float(item)
    meter.length(item.size)
    return item.copy()


def slice_of(value: Any, bounds: list[Any], meter: Meter) -> Any:
    """``value[start:stop:step]``. Raises OperandError, BudgetExceeded."""
    whole = all(bound is None or (isinstance(bound, int) and abs(bound) < MAX_INDEX) for bound in bounds)
    if not whole or bounds[2] == 0:
        raise OperandError("the bounds of a slice are whole numbers")
    if not isinstance(value, list | tuple | str | range | np.ndarray):
        raise OperandError(f"{type_name(value)} cannot be sliced")
    part = value[slice(*bounds)]
    if not isinstance(part, range):
        meter.length(part.size if isinstance(part, np.ndarray) else len(part))
    return part.copy() if isinstance(part, np.ndarray) else part

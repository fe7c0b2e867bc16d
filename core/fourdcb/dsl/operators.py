"""Arithmetic, comparison and formatting that cannot run away, on plain values and small arrays."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from fourdcb.dsl.budget import Meter
from fourdcb.dsl.entities import Entity

_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
}
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FORMAT_SPEC = re.compile(r"^[+\- ]?0?\d{0,2}(\.\d{1,2})?[dfgeFGE]?$")


class OperandError(Exception):
    """The operands do not fit; the message says why."""


def is_number(value: object) -> bool:
    """Whether a value is a plain number (True and False count as numbers in arithmetic)."""
    return isinstance(value, int | float)


def type_name(value: object) -> str:
    """What a reader calls the type of a value."""
    if isinstance(value, Entity):
        return f"a {value.kind}" if value.kind[0] not in "AO" else f"an {value.kind}"
    names = {bool: "True/False", str: "a text", list: "a list", tuple: "a tuple", dict: "a dict"}
    if value is None:
        return "None"
    if is_number(value) and not isinstance(value, bool):
        return "a number"
    return names.get(type(value), "an array" if isinstance(value, np.ndarray) else "a function")


def brief(value: object) -> str:
    """A short form of a value for messages; never longer than a line, never deep."""
    if isinstance(value, np.ndarray):
        value = value.ravel()[:5].tolist()
    if isinstance(value, list | tuple):
        inner = ", ".join(_brief_scalar(item) for item in value[:5])
        return f"[{inner}{', …' if len(value) > 5 else ''}]"
    return _brief_scalar(value)


def _brief_scalar(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "…")
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    return type_name(value)


def binary(op: ast.operator, left: Any, right: Any, meter: Meter) -> Any:
    """``left op right``.

    Raises:
        OperandError: when the operands do not fit or the result is no real number.
        BudgetExceeded: when the result would be too large.
    """
    sign, function = _ARITHMETIC[type(op)]
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return _array_binary(sign, function, left, right, meter)
    if is_number(left) and is_number(right):
        return _number_binary(op, function, left, right, meter)
    if sign == "+" and isinstance(left, str) and isinstance(right, str):
        meter.text(len(left) + len(right))
        return left + right
    if sign == "+" and isinstance(left, list | tuple) and type(left) is type(right):
        meter.length(len(left) + len(right))
        return type(left)((*left, *right))
    if sign == "*":
        repeated = _repeated(left, right, meter)
        if repeated is not None:
            return repeated
    if sign == "%" and isinstance(left, str):
        raise OperandError("text formatting with '%' is not allowed; use an f-string")
    raise OperandError(f"'{sign}' does not work on {type_name(left)} and {type_name(right)}")


def _number_binary(
    op: ast.operator, function: Callable[[Any, Any], Any], left: Any, right: Any, meter: Meter
) -> Any:
    if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int) and abs(left) > 1:
        meter.bits((abs(left).bit_length() - 1) * max(0, right))
    try:
        result = function(left, right)
    except ZeroDivisionError as error:
        raise OperandError("division by zero") from error
    except OverflowError as error:
        raise OperandError("the result is too large") from error
    if isinstance(result, complex):
        raise OperandError("the result is not a real number")
    if isinstance(result, int):
        meter.bits(result.bit_length())
    return result


def _repeated(left: Any, right: Any, meter: Meter) -> Any:
    if isinstance(left, int):
        left, right = right, left
    if not isinstance(left, str | list | tuple) or not isinstance(right, int):
        return None
    count = max(0, right)
    (meter.text if isinstance(left, str) else meter.length)(len(left) * count)
    return left * count


def _array_binary(sign: str, function: Callable[[Any, Any], Any], left: Any, right: Any, meter: Meter) -> Any:
    a, b = as_array(left, meter), as_array(right, meter)
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError as error:
        raise OperandError(f"'{sign}' on arrays of shapes {a.shape} and {b.shape}") from error
    meter.length(int(np.prod(shape, dtype=object)) if shape else 1)
    with np.errstate(all="ignore"):
        return function(a, b)


def as_array(value: Any, meter: Meter) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A float array of a number, a list of numbers or a list of equally long lists of numbers.

    Raises:
        OperandError: for anything else.
    """
    if isinstance(value, np.ndarray):
        return value
    if is_number(value):
        return np.asarray(float(value))
    if not isinstance(value, list | tuple):
        raise OperandError(f"expected numbers, got {type_name(value)}")
    rows = [item.tolist() if isinstance(item, np.ndarray) else item for item in value]
    widths = {len(row) if isinstance(row, list | tuple) else -1 for row in rows}
    if len(widths) > 1:
        raise OperandError("the rows of an array must have the same length")
    width = widths.pop() if widths else -1
    meter.length(len(rows) * max(1, width))
    flat = rows if width < 0 else [item for row in rows for item in row]
    if not all(is_number(item) for item in flat):
        raise OperandError("an array holds numbers only, in at most two dimensions")
    array = np.array([float(item) for item in flat], dtype=np.float64)
    return array if width < 0 else array.reshape(len(rows), width)


def unary(op: ast.unaryop, value: Any, meter: Meter) -> Any:
    """``-value``, ``+value`` or ``not value``. Raises OperandError, BudgetExceeded."""
    if isinstance(op, ast.Not):
        return not truth(value)
    if isinstance(value, np.ndarray):
        meter.length(value.size)
    if is_number(value) or isinstance(value, np.ndarray):
        return -value if isinstance(op, ast.USub) else +value
    raise OperandError(f"a sign does not work on {type_name(value)}")


def truth(value: Any) -> bool:
    """Truth of a plain value. Raises OperandError for arrays and things."""
    if isinstance(value, np.ndarray | Entity):
        raise OperandError(f"{type_name(value)} is neither true nor false")
    return bool(value)


def compare(op: ast.cmpop, left: Any, right: Any, meter: Meter) -> bool:
    """One comparison. Raises OperandError."""
    if isinstance(op, ast.Is | ast.IsNot):
        return (left is right) == isinstance(op, ast.Is)
    if isinstance(op, ast.Eq | ast.NotEq):
        return equal(left, right, meter) == isinstance(op, ast.Eq)
    if isinstance(op, ast.In | ast.NotIn):
        return _contains(right, left, meter) == isinstance(op, ast.In)
    both_numbers = is_number(left) and is_number(right)
    if not both_numbers and not (isinstance(left, str) and isinstance(right, str)):
        raise OperandError(f"{type_name(left)} and {type_name(right)} have no order")
    return _ORDER[type(op)](left, right)


def equal(left: Any, right: Any, meter: Meter, depth: int = 0) -> bool:
    """Equality; lists are compared entry by entry and every entry counts. Raises OperandError."""
    meter.step()
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        raise OperandError("compare the entries of arrays, not the arrays")
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if depth > 4:
            raise OperandError("these lists are nested too deeply to compare")
        same = type(left) is type(right) and len(left) == len(right)
        return same and all(equal(a, b, meter, depth + 1) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) or isinstance(right, dict):
        raise OperandError("dicts cannot be compared")
    return bool(left == right)


def _contains(container: Any, item: Any, meter: Meter) -> bool:
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, dict):
        return is_key(item) and item in container
    if isinstance(container, list | tuple | range):
        if isinstance(container, range):
            return is_number(item) and item in container
        return any(equal(entry, item, meter) for entry in container)
    raise OperandError(f"'in' does not work on {type_name(container)}")


def is_key(value: object) -> bool:
    """Whether a value may be a dict key (plain scalars only)."""
    return value is None or isinstance(value, str | int | float)


def format_value(value: Any, spec: str, meter: Meter) -> str:
    """Text of a scalar for an f-string or ``str()``. Raises OperandError."""
    if not isinstance(value, str | int | float):
        raise OperandError(f"only numbers and texts can be formatted, not {type_name(value)}")
    if spec and (isinstance(value, str) or not _FORMAT_SPEC.match(spec)):
        raise OperandError(f"the format {spec[:20]!r} is not allowed; use one like 02d or .3f")
    try:
        text = format(value, spec)
    except (ValueError, OverflowError) as error:
        raise OperandError(f"the format {spec[:20]!r} does not fit {brief(value)}") from error
    meter.text(len(text))
    return text

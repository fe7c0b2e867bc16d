"""The functions that a script may call: a few builtins, ``math`` and ``np``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fourdcb.dsl.budget import Meter
from fourdcb.dsl.entities import Entity
from fourdcb.dsl.operators import OperandError, as_array, brief, format_value, is_number, truth, type_name

MATH_NAMES = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "degrees", "dist", "e", "exp", "expm1", "fabs", "floor", "fmod", "hypot", "isclose",
    "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "pi", "pow", "radians", "sin",
    "sinh", "sqrt", "tan", "tanh", "tau", "trunc",
)  # fmt: skip
NUMPY_NAMES = (
    "array", "linspace", "zeros", "ones", "sin", "cos", "tan", "sqrt", "deg2rad", "rad2deg", "radians",
    "degrees", "linalg.norm", "pi",
)  # fmt: skip
BUILTIN_NAMES = (
    "abs", "min", "max", "sum", "round", "int", "float", "bool", "str", "range", "len", "list", "tuple",
    "enumerate", "zip", "reversed", "sorted", "any", "all", "dict",
)  # fmt: skip


_FLOAT_TYPES = ("float", "np.float32", "np.float64")


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of the language."""

    name: str
    call: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Module:
    """``math`` or ``np``: a closed set of members."""

    name: str
    members: Mapping[str, Any]
    hint: str


def items_of(value: Any, meter: Meter) -> list[Any]:
    """Entries of something that can be looped over. Raises OperandError, BudgetExceeded."""
    if isinstance(value, range):
        meter.length(_range_length(value))
        return list(value)
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            raise OperandError("cannot loop over a single number")
        meter.length(value.size)
        return list(value.tolist()) if value.ndim == 1 else list(value)
    if isinstance(value, list | tuple | dict | str):
        meter.length(len(value))
        return list(value)
    raise OperandError(f"cannot loop over {type_name(value)}")


def _range_length(value: range) -> int:
    try:
        return len(value)
    except OverflowError:
        return 1 << 62


def math_module() -> Module:
    """``math`` without the functions whose cost grows with their argument."""
    hint = "The world script knows: " + ", ".join(MATH_NAMES) + "."
    members: dict[str, Any] = {}
    for name in MATH_NAMES:
        member = getattr(math, name)
        members[name] = _math_function(name, member) if callable(member) else member
    return Module("math", members, hint)


def _math_function(name: str, function: Callable[..., Any]) -> Builtin:
    def call(*args: Any, **kwargs: Any) -> Any:
        if name != "dist" and not all(is_number(arg) for arg in args):
            wrong = next(arg for arg in args if not is_number(arg))
            raise OperandError(f"math.{name} takes numbers, got {type_name(wrong)}")
        return function(*args, **kwargs)

    return Builtin(f"math.{name}", call)


def numpy_module(meter: Meter) -> Module:
    """The few ``np`` members of the language; arrays are float, at most two-dimensional."""

    def array(values: Any, dtype: Any = None) -> Any:
        if dtype is not None and not (isinstance(dtype, Builtin) and dtype.name in _FLOAT_TYPES):
            raise OperandError("arrays hold floats: leave dtype out")
        made = as_array(values, meter)
        meter.length(made.size)
        return made.copy()

    def linspace(start: Any, stop: Any, num: Any = 50) -> Any:
        if not isinstance(num, int) or not is_number(start) or not is_number(stop) or num < 0:
            raise OperandError("np.linspace takes two numbers and a count")
        meter.length(num)
        return np.linspace(float(start), float(stop), num)

    def filled(value: float) -> Callable[[Any], Any]:
        def fill(count: Any) -> Any:
            if not isinstance(count, int) or count < 0:
                raise OperandError("np.zeros and np.ones take a count")
            meter.length(count)
            return np.full(count, value)

        return fill

    def norm(values: Any) -> float:
        return float(np.linalg.norm(as_array(values, meter)))

    hint = "The world script knows: " + ", ".join(f"np.{name}" for name in NUMPY_NAMES) + "."
    linalg = Module("np.linalg", {"norm": Builtin("np.linalg.norm", norm)}, hint)
    members: dict[str, Any] = {"pi": math.pi, "linalg": linalg}
    plain: dict[str, Callable[..., Any]] = {
        "array": array,
        "linspace": linspace,
        "zeros": filled(0.0),
        "ones": filled(1.0),
    }
    members |= {name: Builtin(f"np.{name}", function) for name, function in plain.items()}
    for name in ("sin", "cos", "tan", "sqrt", "deg2rad", "rad2deg", "radians", "degrees"):
        members[name] = Builtin(f"np.{name}", _elementwise(getattr(np, name), meter))
    members |= {name: Builtin(f"np.{name}", float) for name in ("float32", "float64")}
    return Module("np", members, hint)


def _elementwise(function: Callable[..., Any], meter: Meter) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        array = as_array(value, meter)
        meter.length(array.size)
        with np.errstate(all="ignore"):
            result = function(array)
        return float(result) if array.ndim == 0 else result

    return call


def builtins(meter: Meter) -> dict[str, Builtin]:
    """The plain functions by name."""
    return {
        function.__name__.strip("_"): Builtin(function.__name__.strip("_"), function)
        for function in (*_number_functions(meter), *_list_functions(meter))
    }


def _number_functions(meter: Meter) -> tuple[Callable[..., Any], ...]:
    def _numbers(args: tuple[Any, ...], name: str) -> list[Any]:
        values = items_of(args[0], meter) if len(args) == 1 else list(args)
        if not values or not all(is_number(v) for v in values):
            raise OperandError(f"{name} takes numbers")
        return values

    def abs_(value: Any) -> Any:
        if not is_number(value):
            raise OperandError(f"abs takes a number, got {type_name(value)}")
        return abs(value)

    def min_(*args: Any) -> Any:
        return min(_numbers(args, "min"))

    def max_(*args: Any) -> Any:
        return max(_numbers(args, "max"))

    def sum_(values: Any) -> Any:
        entries = items_of(values, meter)
        if not all(is_number(v) for v in entries):
            raise OperandError("sum takes a list of numbers")
        return sum(entries)

    def round_(value: Any, digits: Any = None) -> Any:
        if not is_number(value) or not (digits is None or (isinstance(digits, int) and 0 <= digits <= 15)):
            raise OperandError("round takes a number and 0 to 15 digits")
        return round(value, digits)

    def int_(value: Any = 0) -> int:
        if isinstance(value, str):
            meter.bits(4 * len(value))
        if not is_number(value) and not isinstance(value, str):
            raise OperandError(f"int takes a number, got {type_name(value)}")
        return int(value)

    def float_(value: Any = 0.0) -> float:
        if not is_number(value) and not isinstance(value, str):
            raise OperandError(f"float takes a number, got {type_name(value)}")
        return float(value)

    def bool_(value: Any = False) -> bool:
        return truth(value)

    def str_(value: Any = "") -> str:
        return format_value(value, "", meter)

    return abs_, min_, max_, sum_, round_, int_, float_, bool_, str_


def _list_functions(meter: Meter) -> tuple[Callable[..., Any], ...]:
    def range_(*bounds: Any) -> range:
        if not 1 <= len(bounds) <= 3 or not all(isinstance(b, int) for b in bounds):
            raise OperandError("range takes one to three whole numbers")
        return range(*bounds)

    def len_(value: Any) -> int:
        if isinstance(value, range):
            return _range_length(value)
        if not isinstance(value, list | tuple | dict | str | np.ndarray):
            raise OperandError(f"{type_name(value)} has no length")
        return len(value)

    def list_(values: Any = ()) -> list[Any]:
        return items_of(values, meter)

    def tuple_(values: Any = ()) -> tuple[Any, ...]:
        return tuple(items_of(values, meter))

    def enumerate_(values: Any, start: Any = 0) -> list[tuple[int, Any]]:
        if not isinstance(start, int):
            raise OperandError("enumerate starts at a whole number")
        return list(enumerate(items_of(values, meter), start))

    def zip_(*columns: Any) -> list[tuple[Any, ...]]:
        return list(zip(*(items_of(column, meter) for column in columns), strict=False))

    def reversed_(values: Any) -> list[Any]:
        return items_of(values, meter)[::-1]

    def sorted_(values: Any, reverse: Any = False) -> list[Any]:
        entries = items_of(values, meter)
        if not (all(is_number(e) for e in entries) or all(isinstance(e, str) for e in entries)):
            raise OperandError("sorted takes a list of numbers or a list of texts")
        return sorted(entries, reverse=truth(reverse))

    def any_(values: Any) -> bool:
        return any(truth(v) for v in items_of(values, meter))

    def all_(values: Any) -> bool:
        return all(truth(v) for v in items_of(values, meter))

    return range_, len_, list_, tuple_, enumerate_, zip_, reversed_, sorted_, any_, all_


def method_of(value: Any, name: str, meter: Meter) -> Builtin | None:
    """A method of a list, dict or array, or None when the language has no such method."""
    if isinstance(value, np.ndarray) and name in ("tolist", "copy"):

        def taken() -> Any:
            meter.length(value.size)
            return value.tolist() if name == "tolist" else value.copy()

        return Builtin(name, taken)
    if isinstance(value, list | dict) and name == "copy":

        def copied() -> Any:
            meter.length(len(value))
            return value.copy()

        return Builtin(name, copied)
    if isinstance(value, list) and name in ("append", "extend"):

        def grow(item: Any) -> None:
            added = [item] if name == "append" else items_of(item, meter)
            meter.grow(len(value) + len(added), len(added))
            value.extend(added)

        return Builtin(name, grow)
    return _dict_method(value, name, meter) if isinstance(value, dict) else None


def _dict_method(value: dict[Any, Any], name: str, meter: Meter) -> Builtin | None:
    if name in ("items", "keys", "values"):

        def view() -> list[Any]:
            meter.length(len(value))
            return list(getattr(value, name)())

        return Builtin(name, view)
    if name == "update":

        def update(entries: Any = (), /, **named: Any) -> None:
            if entries and not isinstance(entries, dict):
                raise OperandError("update takes name=value pairs or another dict")
            added = {**dict(entries), **named}
            meter.grow(len(value) + len(added), len(added))
            value.update(added)

        return Builtin(name, update)
    if name == "get":

        def get(key: Any, default: Any = None) -> Any:
            return value.get(key, default) if isinstance(key, str | int | float) else default

        return Builtin(name, get)
    return None


def explain_missing(value: Any, name: str) -> str:
    """Why ``value.name`` does not exist."""
    if isinstance(value, str):
        return f"texts have no '.{name[:40]}' here; use an f-string"
    if isinstance(value, Entity):
        return f"{value.label} has no field '{name[:40]}'"
    return f"{type_name(value)} ({brief(value)}) has no '.{name[:40]}' here"

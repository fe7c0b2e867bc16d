"""Arguments of calls, and calls of the language's own functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from fourdcb.dsl.budget import Meter
from fourdcb.dsl.faults import ScriptFault
from fourdcb.dsl.library import Builtin
from fourdcb.dsl.operators import OperandError
from fourdcb.dsl.origins import Argument, Origins

_CALL_ERRORS = (TypeError, ValueError, OverflowError, ZeroDivisionError)


def keyword_arguments(
    node: ast.Call, evaluate: Callable[[ast.expr], Any], origins: Origins
) -> dict[str, Argument]:
    """Keyword arguments with ``**`` unpacked, each with the expression that gave it. Raises ScriptFault."""
    found: dict[str, Argument] = {}
    for keyword in node.keywords:
        value = evaluate(keyword.value)
        if keyword.arg is not None:
            _add(found, keyword.arg, Argument(value, keyword.value, keyword))
            continue
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise ScriptFault(keyword.value, "'**' needs a dict with text keys.", code="type")
        places = origins.places_of(value)
        for key, item in value.items():
            _add(found, key, Argument(item, places.get(key, keyword.value)))
    return found


def _add(found: dict[str, Argument], name: str, argument: Argument) -> None:
    if name in found:
        raise ScriptFault(argument.node, f"'{name[:40]}' is given twice.", code="duplicate-argument")
    found[name] = argument


def call_builtin(
    function: Builtin, args: list[Any], kwargs: dict[str, Any], node: ast.Call, meter: Meter
) -> Any:
    """Call one of the language's functions. Raises ScriptFault, BudgetExceeded."""
    try:
        value = function.call(*args, **kwargs)
    except OperandError as error:
        raise ScriptFault(node, f"{error}.", code="type") from error
    except _CALL_ERRORS as error:
        # Python names the inner function: "_number_functions.<locals>.abs_() takes 1 positional …".
        reason = str(error)[:200].rpartition("<locals>.")[2].replace("_()", "()") or "bad argument"
        raise ScriptFault(node, f"{function.name}: {reason}.", code="type") from error
    if isinstance(value, int):
        meter.bits(value.bit_length())
    return value

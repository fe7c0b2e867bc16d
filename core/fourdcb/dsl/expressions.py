"""Evaluates expressions of a script by walking the syntax tree. Nothing is compiled or executed by Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Protocol

from fourdcb.dsl.budget import Meter
from fourdcb.dsl.calls import call_builtin, keyword_arguments
from fourdcb.dsl.construction import Constructor, Workshop
from fourdcb.dsl.entities import Entity
from fourdcb.dsl.faults import POISON, Poisoned, ScriptFault
from fourdcb.dsl.indexing import item_at, slice_of
from fourdcb.dsl.library import Builtin, Module, explain_missing, items_of, method_of
from fourdcb.dsl.operators import (
    OperandError,
    binary,
    compare,
    format_value,
    is_key,
    truth,
    type_name,
    unary,
)
from fourdcb.dsl.origins import Argument, Origins

MAX_SUGGESTED_NAMES = 200  # comparing spellings is slow


_SHAPE = 'Write Object("name", geometry="{}", …).'
_HINTS = {
    **{name: _SHAPE.format(name) for name in ("sphere", "box", "cylinder", "cone", "capsule")},
    "ball": _SHAPE.format("sphere"),
    "cube": _SHAPE.format("box"),
    "mesh": 'Write Object("name", mesh="file.obj", …).',
    "np": "Write 'import numpy as np' first.",
    "map": "Write a comprehension: [f(x) for x in xs].",
    "filter": "Write a comprehension: [x for x in xs if …].",
}


def _near_name(name: str, scope: Scope) -> str | None:
    near = get_close_matches(name[:60], scope.names()[:MAX_SUGGESTED_NAMES], n=1)
    return f"Did you mean '{near[0]}'?" if near else None


@dataclass(slots=True)
class Scope:
    """Variables of one level; look-ups go outwards, assignments stay."""

    parent: Scope | None = None
    values: dict[str, Any] = field(default_factory=dict)

    def find(self, name: str) -> Any:
        """The value of a name. Raises KeyError."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        raise KeyError(name)

    def outermost(self) -> Scope:
        """The scope of the script's own top level, inside that of the language."""
        scope = self
        while scope.parent is not None and scope.parent.parent is not None:
            scope = scope.parent
        return scope

    def names(self) -> list[str]:
        """All names in reach, the language's own first, then the latest."""
        return [*(self.parent.names() if self.parent else ()), *reversed(self.values)]


@dataclass(frozen=True, slots=True, eq=False)
class Helper:
    """A function that the script defines.

    Attributes:
        scope: where it was defined; its body sees those names.
    """

    node: ast.FunctionDef | ast.Lambda
    defaults: Mapping[str, Any]
    scope: Scope

    @property
    def name(self) -> str:
        """Its name, for messages."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"


class Caller(Protocol):
    """Runs a helper function: the statements are the interpreter's business."""

    def call_helper(self, helper: Helper, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> Any: ...


class Evaluator:
    """Evaluates one expression in a scope."""

    def __init__(
        self,
        *,
        meter: Meter,
        workshop: Workshop,
        origins: Origins,
        refused: frozenset[ast.AST],
        caller: Caller,
    ) -> None:
        self._meter, self._workshop, self._origins = meter, workshop, origins
        self._refused, self._caller = refused, caller
        self._handlers: dict[type[ast.expr], Callable[[Any, Scope], Any]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.List: self._list,
            ast.Tuple: self._tuple,
            ast.Dict: self._dict,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._boolean,
            ast.Compare: self._compare,
            ast.IfExp: self._conditional,
            ast.Lambda: self.helper,
            ast.Call: self._call,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.ListComp: self._list_comprehension,
            ast.GeneratorExp: self._list_comprehension,
            ast.DictComp: self._dict_comprehension,
            ast.JoinedStr: self._joined,
        }

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        """Value of an expression.

        Raises:
            ScriptFault, Poisoned, BudgetExceeded.
        """
        self._meter.step()
        if node in self._refused:
            raise Poisoned
        handler = self._handlers.get(type(node))
        if handler is None:
            raise ScriptFault(node, f"'{type(node).__name__}' cannot stand here.", code="refused")
        try:
            value = handler(node, scope)
        except OperandError as error:
            raise ScriptFault(node, f"{error}.", code="type") from error
        if value is POISON:
            raise Poisoned
        return value

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        if isinstance(node.value, str):
            self._meter.text(len(node.value))
        elif isinstance(node.value, int):
            self._meter.bits(node.value.bit_length())
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        try:
            return scope.find(node.id)
        except KeyError:
            hint = _HINTS.get(node.id.lower()) or _near_name(node.id, scope)
            raise ScriptFault(
                node, f"'{node.id[:60]}' is not defined.", code="undefined-name", hint=hint
            ) from None

    def _list(self, node: ast.List, scope: Scope) -> list[Any]:
        values = self._entries(node.elts, scope)
        self._origins.remember_list(values, node)
        return values

    def _tuple(self, node: ast.Tuple, scope: Scope) -> tuple[Any, ...]:
        values = tuple(self._entries(node.elts, scope))
        self._origins.remember_list(values, node)
        return values

    def _entries(self, nodes: list[ast.expr], scope: Scope) -> list[Any]:
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.extend(self.loop_items(node.value, scope))
            else:
                values.append(self.evaluate(node, scope))
        self._meter.length(len(values))
        return values

    def items(self, value: Any, node: ast.expr) -> list[Any]:
        """Entries of ``value``, which ``node`` gave. Raises ScriptFault, BudgetExceeded."""
        try:
            return items_of(value, self._meter)
        except OperandError as error:
            raise ScriptFault(node, f"{error}.", code="type") from error

    def _dict(self, node: ast.Dict, scope: Scope) -> dict[Any, Any]:
        values: dict[Any, Any] = {}
        places: dict[str, ast.expr] = {}
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            value = self.evaluate(value_node, scope)
            if key_node is None:
                if not isinstance(value, dict):
                    raise ScriptFault(value_node, f"'**' needs a dict, got {type_name(value)}.", code="type")
                places |= self._origins.places_of(value)
                values |= value
            else:
                key = self._key(self.evaluate(key_node, scope), key_node)
                values[key] = value
                places[str(key)] = value_node
        self._meter.length(len(values))
        self._origins.remember_dict(values, places)
        return values

    def _key(self, key: Any, node: ast.expr) -> Any:
        if not is_key(key):
            raise ScriptFault(node, f"a dict key is a text or a number, not {type_name(key)}.", code="type")
        return key

    def _binary(self, node: ast.BinOp, scope: Scope) -> Any:
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        return self.operate(node.op, left, right, node, scope)

    def operate(self, op: ast.operator, left: Any, right: Any, node: ast.expr, scope: Scope) -> Any:
        """``left op right``; a sum of things is their world, which is then called ``world``, too.

        Raises OperandError, BudgetExceeded.
        """
        if not (isinstance(op, ast.Add) and isinstance(left, Entity) and isinstance(right, Entity)):
            return binary(op, left, right, self._meter)
        world = self._workshop.composed((left, right), node)
        scope.outermost().values.setdefault("world", world)
        return world

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Any:
        return unary(node.op, self.evaluate(node.operand, scope), self._meter)

    def _boolean(self, node: ast.BoolOp, scope: Scope) -> Any:
        stop_at = isinstance(node.op, ast.Or)
        value: Any = None
        for part in node.values:
            value = self.evaluate(part, scope)
            if truth(value) == stop_at:
                break
        return value

    def _compare(self, node: ast.Compare, scope: Scope) -> bool:
        left = self.evaluate(node.left, scope)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(right_node, scope)
            if not compare(op, left, right, self._meter):
                return False
            left = right
        return True

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Any:
        chosen = node.body if truth(self.evaluate(node.test, scope)) else node.orelse
        return self.evaluate(chosen, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        value = self.evaluate(node.value, scope)
        if isinstance(value, Module):
            if node.attr in value.members:
                return value.members[node.attr]
            raise ScriptFault(
                node, f"{value.name}.{node.attr[:40]} is not allowed.", code="refused", hint=value.hint
            )
        if isinstance(value, Entity):
            return self._workshop.read(value, node.attr, node)
        method = method_of(value, node.attr, self._meter)
        if method is None:
            raise ScriptFault(node, f"{explain_missing(value, node.attr)}.", code="unknown-attribute")
        return method

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        value = self.evaluate(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            return self._slice(value, node.slice, scope)
        index = self.evaluate(node.slice, scope)
        if isinstance(value, Entity):
            return self._workshop.lookup(value, index, node)
        return item_at(value, index, node, self._meter)

    def _slice(self, value: Any, node: ast.Slice, scope: Scope) -> Any:
        parts = (node.lower, node.upper, node.step)
        bounds = [None if part is None else self.evaluate(part, scope) for part in parts]
        return slice_of(value, bounds, self._meter)

    def _list_comprehension(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> list[Any]:
        values: list[Any] = []

        def collect(inner: Scope) -> None:
            values.append(self.evaluate(node.elt, inner))
            self._meter.grow(len(values), 1)

        self._comprehend(node.generators, Scope(scope), collect)
        return values

    def _dict_comprehension(self, node: ast.DictComp, scope: Scope) -> dict[Any, Any]:
        values: dict[Any, Any] = {}

        def collect(inner: Scope) -> None:
            key = self._key(self.evaluate(node.key, inner), node.key)
            values[key] = self.evaluate(node.value, inner)
            self._meter.grow(len(values), 1)

        self._comprehend(node.generators, Scope(scope), collect)
        return values

    def _comprehend(
        self, generators: list[ast.comprehension], scope: Scope, collect: Callable[[Scope], None]
    ) -> None:
        if not generators:
            collect(scope)
            return
        first, *rest = generators
        for item in self.loop_passes(first.iter, scope):
            self._meter.iterate()
            self.bind(first.target, item, scope)
            if all(truth(self.evaluate(test, scope)) for test in first.ifs):
                self._comprehend(rest, scope, collect)

    def loop_items(self, node: ast.expr, scope: Scope) -> list[Any]:
        """Entries of the value of an expression. Raises ScriptFault, BudgetExceeded."""
        return self.items(self.evaluate(node, scope), node)

    def loop_passes(self, node: ast.expr, scope: Scope) -> Iterator[Any]:
        """Entries that a loop runs over, as in Python also those that its own body appends to the list.

        Raises ScriptFault, BudgetExceeded.
        """
        value = self.evaluate(node, scope)
        return iter(value) if isinstance(value, list) else iter(self.items(value, node))

    def bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Give a value to a name or to a tuple of names. Raises ScriptFault."""
        if isinstance(target, ast.Name):
            scope.values[target.id] = value
            return
        if not isinstance(target, ast.Tuple | ast.List):
            raise ScriptFault(target, "only names can be loop variables.", code="refused")
        values = self.items(value, target)
        if len(values) != len(target.elts):
            raise ScriptFault(target, f"{len(target.elts)} names for {len(values)} values.", code="type")
        for name, item in zip(target.elts, values, strict=True):
            self.bind(name, item, scope)

    def _joined(self, node: ast.JoinedStr, scope: Scope) -> str:
        parts: list[str] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                parts.append(self._formatted(part, scope))
            elif isinstance(part, ast.Constant):
                parts.append(str(part.value))
        self._meter.text(sum(map(len, parts)))
        return "".join(parts)

    def _formatted(self, node: ast.FormattedValue, scope: Scope) -> str:
        spec = ""
        if isinstance(node.format_spec, ast.JoinedStr):
            pieces = node.format_spec.values
            if not all(isinstance(piece, ast.Constant) for piece in pieces):
                raise ScriptFault(node, "a computed format is not allowed.", code="refused")
            spec = "".join(str(piece.value) for piece in pieces if isinstance(piece, ast.Constant))
        if node.conversion != -1:
            raise ScriptFault(node, "'!r', '!s' and '!a' are not allowed in f-strings.", code="refused")
        return format_value(self.evaluate(node.value, scope), spec, self._meter)

    def helper(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Helper:
        """A function of the script; its defaults are evaluated now. Raises ScriptFault."""
        parameters = [*node.args.posonlyargs, *node.args.args]
        defaults = dict(zip(reversed(parameters), reversed(node.args.defaults), strict=False))
        pairs = [*defaults.items(), *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
        return Helper(node, {arg.arg: self.evaluate(d, scope) for arg, d in pairs if d is not None}, scope)

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        function = self.evaluate(node.func, scope)
        args = self._positional(node, scope)
        kwargs = keyword_arguments(node, lambda value: self.evaluate(value, scope), self._origins)
        if isinstance(function, Constructor):
            return self._workshop.construct(function.kind, node, args, kwargs)
        values, named = [a.value for a in args], {k: a.value for k, a in kwargs.items()}
        if isinstance(function, Helper):
            return self._caller.call_helper(function, values, named, node)
        if not isinstance(function, Builtin):
            raise ScriptFault(node, f"{type_name(function)} cannot be called.", code="type")
        result = call_builtin(function, values, named, node, self._meter)
        if function.name == "dict":
            inherited = self._origins.places_of(values[0]) if values else {}
            self._origins.remember_dict(result, {**inherited, **{k: a.node for k, a in kwargs.items()}})
        return result

    def _positional(self, node: ast.Call, scope: Scope) -> list[Argument]:
        found: list[Argument] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                found.extend(Argument(value, arg) for value in self.loop_items(arg.value, scope))
            else:
                found.append(Argument(self.evaluate(arg, scope), arg))
        self._meter.length(len(found))
        return found

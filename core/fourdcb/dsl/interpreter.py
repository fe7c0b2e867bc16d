"""Runs the statements of a script. One fault ends one statement; the rest is still read, so that all show."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fourdcb.dsl.budget import BudgetExceeded, Meter
from fourdcb.dsl.construction import KINDS, Constructor, Workshop
from fourdcb.dsl.entities import Entity
from fourdcb.dsl.expressions import Evaluator, Helper, Scope
from fourdcb.dsl.faults import POISON, Diagnostics, Poisoned, ScriptFault
from fourdcb.dsl.grammar import is_print
from fourdcb.dsl.library import Builtin, Module, builtins, math_module, numpy_module
from fourdcb.dsl.operators import OperandError, brief, is_key, is_number, truth, type_name
from fourdcb.dsl.origins import Argument, Origins
from fourdcb.dsl.rules import SURFACE_FIELDS


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


@dataclass(slots=True)
class Outcome:
    """What a script has made.

    Attributes:
        made: entities in the order of their construction.
        variables: the top-level variables at the end.
    """

    made: list[Entity]
    variables: dict[str, Any]


class Interpreter:
    """Walks the statements of one script."""

    def __init__(self, *, meter: Meter, diagnostics: Diagnostics, refused: frozenset[ast.AST]) -> None:
        self._meter, self._diagnostics, self._refused = meter, diagnostics, refused
        origins = Origins()
        self._workshop = Workshop(meter, origins, diagnostics)
        self._evaluator = Evaluator(
            meter=meter, workshop=self._workshop, origins=origins, refused=refused, caller=self
        )
        self._base = Scope(values=self._language())
        self._top = Scope(self._base)
        self._handlers: dict[type[ast.stmt], Callable[[Any, Scope], None]] = {
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Expr: self._expression,
            ast.If: self._if,
            ast.For: self._for,
            ast.FunctionDef: self._define,
            ast.Return: self._return,
            ast.Break: self._break,
            ast.Continue: self._continue,
            ast.Pass: lambda node, scope: None,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
        }

    def _language(self) -> dict[str, Any]:
        names: dict[str, Any] = {kind: Constructor(kind) for kind in KINDS}
        return names | builtins(self._meter) | {"dict": Builtin("dict", self._dict), "__name__": "__main__"}

    def run(self, tree: ast.Module) -> Outcome:
        """Run the whole script. Faults go to the diagnostics; never raises for a script's sake."""
        for statement in tree.body:
            try:
                self._guarded(statement)
            except BudgetExceeded as error:
                self._diagnostics.add(statement, f"{error.what}.", code="budget")
                break
            except RecursionError:
                self._diagnostics.add(statement, "the script is nested too deeply.", code="budget")
                break
            if self._diagnostics.full:
                break
        return Outcome(self._workshop.made, self._top.values)

    def _guarded(self, statement: ast.stmt) -> None:
        calls = self._meter.calls
        try:
            self._run(statement, self._top)
            return
        except ScriptFault as fault:
            self._diagnostics.fault(fault, statement)
        except Poisoned:
            pass
        except (_Return, _Break, _Continue):
            self._diagnostics.add(statement, "this statement is outside its function or loop.", code="syntax")
        self._meter.calls = calls
        self._meter.check_time()
        for name in _assigned_names(statement):
            self._top.values[name] = POISON

    def _run(self, statement: ast.stmt, scope: Scope) -> None:
        self._meter.step()
        if statement in self._refused:
            raise Poisoned
        self._handlers[type(statement)](statement, scope)

    def _block(self, statements: list[ast.stmt], scope: Scope) -> None:
        for statement in statements:
            self._run(statement, scope)

    def _expression(self, node: ast.Expr, scope: Scope) -> None:
        if not isinstance(node.value, ast.Constant) and not is_print(node):
            self._evaluator.evaluate(node.value, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self._evaluator.evaluate(node.value, scope)
        for target in node.targets:
            self._store(target, value, node.value, scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self._store(node.target, self._evaluator.evaluate(node.value, scope), node.value, scope)

    def _store(self, target: ast.expr, value: Any, source: ast.expr, scope: Scope) -> None:
        if isinstance(target, ast.Attribute):
            owner = self._evaluator.evaluate(target.value, scope)
            if not isinstance(owner, Entity):
                hint = f"Write thing.{target.attr} = …" if target.attr in SURFACE_FIELDS else None
                message = f"{type_name(owner)} has no fields to assign."
                raise ScriptFault(target, message, code="type", hint=hint)
            self._workshop.assign(owner, target.attr, Argument(value, source))
        elif isinstance(target, ast.Subscript):
            self._store_item(target, value, source, scope)
        elif isinstance(target, ast.Tuple | ast.List):
            self._store_each(target, value, source, scope)
        else:
            self._evaluator.bind(target, value, scope)
            if isinstance(target, ast.Name) and isinstance(value, Entity) and value.variable is None:
                value.variable = target.id

    def _store_each(self, targets: ast.Tuple | ast.List, value: Any, source: ast.expr, scope: Scope) -> None:
        values = self._evaluator.items(value, targets)
        if len(values) != len(targets.elts):
            raise ScriptFault(targets, f"{len(targets.elts)} names for {len(values)} values.", code="type")
        literal = isinstance(source, ast.Tuple | ast.List) and len(source.elts) == len(values)
        sources = source.elts if literal else [source] * len(values)  # type: ignore[attr-defined]
        for target, item, node in zip(targets.elts, values, sources, strict=True):
            self._store(target, item, node, scope)

    def _store_item(self, target: ast.Subscript, value: Any, source: ast.expr, scope: Scope) -> None:
        if isinstance(target.slice, ast.Slice):
            raise ScriptFault(target, "assigning to a slice is not allowed.", code="refused")
        if isinstance(target.value, ast.Attribute):
            owner = self._evaluator.evaluate(target.value.value, scope)
            if isinstance(owner, Entity):
                index = self._evaluator.evaluate(target.slice, scope)
                field_name = target.value.attr
                self._workshop.assign_component(owner, field_name, index, Argument(value, source), target)
                return
        container = self._evaluator.evaluate(target.value, scope)
        index = self._evaluator.evaluate(target.slice, scope)
        self._store_entry(container, index, value, target)

    def _store_entry(self, container: Any, index: Any, value: Any, target: ast.Subscript) -> None:
        if isinstance(container, dict) and is_key(index):
            self._meter.grow(len(container) + 1, 1)
            container[index] = value
            return
        if not isinstance(container, list | np.ndarray) or not isinstance(index, int):
            raise ScriptFault(target, f"{type_name(container)} has no entry to assign.", code="type")
        if isinstance(container, np.ndarray) and not (is_number(value) and container.ndim == 1):
            raise ScriptFault(target, "an entry of an array is a number.", code="type")
        try:
            container[index] = value
        except (IndexError, OverflowError):
            raise ScriptFault(target, f"index {brief(index)} is out of range.", code="index") from None

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        current = self._evaluator.evaluate(_as_read(node.target), scope)
        operand = self._evaluator.evaluate(node.value, scope)
        try:
            value = self._evaluator.operate(node.op, current, operand, node.value, scope)
        except OperandError as error:
            raise ScriptFault(node, f"{error}.", code="type") from error
        # The node is the whole target: an edit in place must not touch the operand.
        self._store(node.target, value, node.target, scope)

    def _if(self, node: ast.If, scope: Scope) -> None:
        self._block(node.body if self._truth(node.test, scope) else node.orelse, scope)

    def _truth(self, node: ast.expr, scope: Scope) -> bool:
        try:
            return truth(self._evaluator.evaluate(node, scope))
        except OperandError as error:
            raise ScriptFault(node, f"{error}.", code="type") from error

    def _for(self, node: ast.For, scope: Scope) -> None:
        for item in self._evaluator.loop_passes(node.iter, scope):
            self._meter.iterate()
            self._evaluator.bind(node.target, item, scope)
            try:
                self._block(node.body, scope)
            except _Break:
                break
            except _Continue:
                continue

    def _define(self, node: ast.FunctionDef, scope: Scope) -> None:
        scope.values[node.name] = self._evaluator.helper(node, scope)

    def call_helper(self, helper: Helper, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> Any:
        """Run a function of the script. Raises ScriptFault, Poisoned, BudgetExceeded."""
        scope = Scope(helper.scope, self._bound(helper, args, kwargs, node))
        self._meter.enter_call()
        try:
            if isinstance(helper.node, ast.Lambda):
                return self._evaluator.evaluate(helper.node.body, scope)
            self._block(helper.node.body, scope)
        except _Return as result:
            return result.value
        finally:
            self._meter.leave_call()
        return None

    def _bound(
        self, helper: Helper, args: list[Any], kwargs: dict[str, Any], node: ast.Call
    ) -> dict[str, Any]:
        spec, name = helper.node.args, helper.name
        positional = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
        if len(args) > len(positional):
            raise ScriptFault(node, f"{name}() takes {len(positional)} values, got {len(args)}.", code="type")
        given = dict(zip(positional, args, strict=False))
        known = {*(arg.arg for arg in spec.args), *(arg.arg for arg in spec.kwonlyargs)}
        for key in kwargs:
            if key not in known or key in given:
                raise ScriptFault(node, f"{name}() does not take '{key[:40]}' here.", code="type")
        values = {**helper.defaults, **given, **kwargs}
        missing = [arg for arg in (*positional, *(a.arg for a in spec.kwonlyargs)) if arg not in values]
        if missing:
            raise ScriptFault(node, f"{name}() misses '{missing[0]}'.", code="type")
        return values

    def _return(self, node: ast.Return, scope: Scope) -> None:
        raise _Return(None if node.value is None else self._evaluator.evaluate(node.value, scope))

    def _break(self, node: ast.Break, scope: Scope) -> None:
        raise _Break

    def _continue(self, node: ast.Continue, scope: Scope) -> None:
        raise _Continue

    def _import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            module = self._module(alias.name)
            if module is not None:
                scope.values[alias.asname or alias.name] = module

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = self._module(node.module or "")
        if module is None:  # the language's own names are known, type hints are not looked at
            return
        for alias in node.names:
            if alias.name == "*":
                scope.values.update(module.members)
            elif alias.name in module.members:
                scope.values[alias.asname or alias.name] = module.members[alias.name]
            else:
                message = f"{module.name}.{alias.name[:40]} is not allowed."
                raise ScriptFault(node, message, code="refused", hint=module.hint)

    def _dict(self, pairs: Any = (), /, **entries: Any) -> dict[Any, Any]:
        if not isinstance(pairs, dict | list | tuple) or (pairs and not isinstance(pairs, dict)):
            raise OperandError("dict takes name=value pairs or another dict")
        self._meter.length(len(pairs) + len(entries))
        return {**dict(pairs), **entries}

    def _module(self, name: str) -> Module | None:
        if name == "numpy":
            return numpy_module(self._meter)
        return math_module() if name == "math" else None


def _as_read(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    return target  # the evaluator does not look at the Load/Store context


def _assigned_names(statement: ast.stmt) -> list[str]:
    """Names that a statement would have given values to."""
    return [
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ] + ([statement.name] if isinstance(statement, ast.FunctionDef | ast.ClassDef) else [])

"""The static pass: which Python syntax a world script may use. Refuses before anything runs."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from fourdcb.dsl.budget import Budget, BudgetExceeded
from fourdcb.dsl.faults import Diagnostics
from fourdcb.dsl.source import SourceText

_TOKEN = re.compile(r"[\w.]+|[^\w\s.]")
# Python's parser recurses on these in C; on a thread with a small stack that ends the process.
_PREFIX_RUN = re.compile(r"(?:[-+~]|\bnot\b)(?:\s*(?:[-+~]|\bnot\b))*+")
_CHAINED = ("else", "**", "lambda")
MAX_PREFIX_RUN = 500
MAX_CHAINED = 1_000
IMPORTABLE = ("math", "numpy", "typing")
IMPORTABLE_FROM = ("math", "numpy", "typing", "__future__", "fourdcb.dsl")
_STATEMENTS = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.If,
    ast.For,
    ast.FunctionDef,
    ast.Return,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Import,
    ast.ImportFrom,
)
_EXPRESSIONS = (
    ast.Constant,
    ast.Name,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Lambda,
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Starred,
    ast.ListComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,
    ast.FormattedValue,
)
_OTHER = (
    ast.Module,
    ast.expr_context,
    ast.keyword,
    ast.arguments,
    ast.arg,
    ast.comprehension,
    ast.alias,
    ast.boolop,
    ast.cmpop,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.UAdd,
    ast.USub,
    ast.Not,
)
_ALLOWED = (*_STATEMENTS, *_EXPRESSIONS, *_OTHER)

_REFUSED: dict[type[ast.AST], str] = {
    ast.While: "'while' loops are not allowed; use 'for' over range(…) or a list",
    ast.ClassDef: "classes are not allowed",
    ast.Global: "'global' is not allowed",
    ast.Nonlocal: "'nonlocal' is not allowed",
    ast.Try: "'try' is not allowed",
    ast.With: "'with' is not allowed",
    ast.Raise: "'raise' is not allowed",
    ast.Assert: "'assert' is not allowed",
    ast.Delete: "'del' is not allowed",
    ast.Match: "'match' is not allowed; use 'if'",
    ast.Set: "sets are not allowed; use a list",
    ast.SetComp: "sets are not allowed; use a list",
    ast.NamedExpr: "':=' is not allowed; assign on a line of its own",
    ast.Yield: "'yield' is not allowed; return a list",
    ast.YieldFrom: "'yield' is not allowed; return a list",
    ast.Await: "'await' is not allowed",
    ast.AsyncFunctionDef: "'async' is not allowed",
    ast.AsyncFor: "'async' is not allowed",
    ast.AsyncWith: "'async' is not allowed",
    ast.LShift: "bit operations are not allowed",
    ast.RShift: "bit operations are not allowed",
    ast.BitAnd: "bit operations are not allowed",
    ast.BitOr: "bit operations are not allowed",
    ast.BitXor: "bit operations are not allowed",
    ast.Invert: "bit operations are not allowed",
    ast.MatMult: "'@' is not allowed",
}


def parse_tree(text: SourceText, diagnostics: Diagnostics, budget: Budget) -> ast.Module | None:
    """Syntax tree of the script, or None after recording why there is none."""
    too_large = why_too_large(text.code, budget)
    if too_large is not None:
        diagnostics.add(None, too_large, code="budget")
        return None
    if _is_json(text.code):
        place = ast.Pass(
            lineno=text.code[: len(text.code) - len(text.code.lstrip())].count("\n") + 1, col_offset=0
        )
        diagnostics.add(
            place,
            "this is JSON; a world script is Python text.",
            code="not-a-script",
            hint='Write world = World(…) and Object("cup", pos=[…], …).',
        )
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in an untrusted text is not our warning
            return ast.parse(text.code)
    except SyntaxError as error:
        _report_syntax_error(error, text, diagnostics)
    except (MemoryError, RecursionError):
        diagnostics.add(None, "the script is nested too deeply.", code="budget")
    except (ValueError, OverflowError, UnicodeError) as error:
        diagnostics.add(None, f"the script cannot be read: {error}.", code="syntax")
    return None


def why_too_large(code: str, budget: Budget) -> str | None:
    """Why a text must not reach Python's parser, or None."""
    # The parser is slow and hungry on huge inputs; these two counts are cheap.
    if len(code) > budget.source_bytes or len(code.encode("utf-8", "surrogatepass")) > budget.source_bytes:
        return f"the script has more than {budget.source_bytes} bytes."
    if next(islice(_TOKEN.finditer(code), budget.tokens, None), None) is not None:
        return f"the script has more than {budget.tokens} words and signs."
    longest = max((len(run.group()) for run in _PREFIX_RUN.finditer(code)), default=0)
    if longest > MAX_PREFIX_RUN or any(code.count(word) > MAX_CHAINED for word in _CHAINED):
        return "the script is nested too deeply."
    return None


def _is_json(code: str) -> bool:
    if not code.lstrip().startswith(("{", "[")):
        return False
    import json

    try:
        return isinstance(json.loads(code), dict | list)
    except (ValueError, RecursionError):
        return False


def _report_syntax_error(error: SyntaxError, text: SourceText, diagnostics: Diagnostics) -> None:
    place = ast.Pass(lineno=max(1, error.lineno or 1), col_offset=0)
    message = (error.msg or "invalid syntax")[:200]
    hint = None
    if text.code.lstrip().startswith(("```", "~~~")) or "\n```" in text.code:
        hint = "The code is wrapped in Markdown: use --extract."
    elif message.startswith("invalid character '"):
        hint = _plain_sign(message[len("invalid character '")])
    diagnostics.add(place, f"Python syntax error: {message}.", code="syntax", hint=hint)
    if error.offset and diagnostics.found:
        diagnostics.found[-1] = replace(diagnostics.found[-1], column=error.offset)


def _plain_sign(sign: str) -> str | None:
    """A hint for punctuation of another script or of a word processor."""
    plain = {
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "、": ",",
        "。": ".",
        "−": "-",
        "–": "-",
        "—": "-",
        "×": "*",
    }
    meant = plain.get(sign, unicodedata.normalize("NFKC", sign))
    return f"Write {meant} instead of {sign}." if meant.isascii() and meant != sign else None


def is_print(node: ast.AST) -> bool:
    """Whether a statement only prints: it says nothing about the world and is stepped over."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print"
    )


def check_grammar(tree: ast.Module, diagnostics: Diagnostics, budget: Budget) -> frozenset[ast.AST]:
    """Refuse what the language does not have.

    Returns:
        The refused nodes (already reported): the interpreter steps over the statements that hold them.

    Raises:
        BudgetExceeded: for too many or too deeply nested nodes.
    """
    refused: list[ast.AST] = []
    printed = False
    stack: list[tuple[ast.AST, ast.AST, int, bool]] = [(tree, tree, 0, False)]
    count = 0
    while stack:
        node, place, depth, in_function = stack.pop()
        count += 1
        if count > budget.nodes:
            raise BudgetExceeded(f"the script has more than {budget.nodes} syntax nodes")
        if depth > budget.depth:
            raise BudgetExceeded(f"the script is nested deeper than {budget.depth} levels")
        place = node if hasattr(node, "lineno") else place
        if is_print(node):
            if not printed:
                message = "print(…) is ignored: a script only describes its world."
                diagnostics.add(node, message, code="ignored", severity="warning")
            printed = True
            continue
        reason = _why_refused(node, in_function)
        if reason is not None:
            refused += [node, place]
            diagnostics.add(place, reason[0], code="refused", hint=reason[1])
            continue
        inside = in_function or isinstance(node, ast.FunctionDef)
        children = [(child, place, depth + 1, inside) for child in _evaluated_children(node)]
        stack.extend(reversed(children))
    return frozenset(refused)


def _evaluated_children(node: ast.AST) -> Iterator[ast.AST]:
    """Child nodes without type hints, which are never looked at."""
    hint = node.returns if isinstance(node, ast.FunctionDef) else getattr(node, "annotation", None)
    return (child for child in ast.iter_child_nodes(node) if child is not hint)


def _why_refused(node: ast.AST, in_function: bool) -> tuple[str, str | None] | None:
    """(message, hint) for a node that the language does not have, else None."""
    if type(node) in _REFUSED:
        return f"{_REFUSED[type(node)]}.", None
    if not isinstance(node, _ALLOWED):
        return f"'{type(node).__name__}' is not part of the world script.", None
    if isinstance(node, ast.Import | ast.ImportFrom):
        return _why_import_refused(node)
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return _why_function_refused(node, in_function)
    if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
        return f"attributes that begin with an underscore are not allowed: '.{node.attr[:40]}'.", None
    if isinstance(node, ast.Name) and node.id.startswith("__") and node.id != "__name__":
        return f"names that begin with two underscores are not allowed: '{node.id[:40]}'.", None
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | float | str | bool | None):
        return f"{type(node.value).__name__} literals are not allowed.", None
    if isinstance(node, ast.comprehension) and node.is_async:
        return "'async' is not allowed.", None
    if isinstance(node, ast.For) and node.orelse:
        return "'else' after a loop is not allowed.", None
    return None


def _why_import_refused(node: ast.Import | ast.ImportFrom) -> tuple[str, str | None] | None:
    hint = "A script may import math, numpy and fourdcb.dsl."
    if isinstance(node, ast.Import):
        other = next((alias.name for alias in node.names if alias.name not in IMPORTABLE), None)
        return None if other is None else (f"import of '{other[:60]}' is not allowed.", hint)
    renamed = node.module == "fourdcb.dsl" and any(alias.asname for alias in node.names)
    if node.module in IMPORTABLE_FROM and node.level == 0 and not renamed:
        return None
    return f"import from '{'.' * node.level}{(node.module or '')[:60]}' is not allowed.", hint


def _why_function_refused(
    node: ast.FunctionDef | ast.Lambda, in_function: bool
) -> tuple[str, str | None] | None:
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        return "decorators are not allowed.", None
    if isinstance(node, ast.FunctionDef) and in_function:
        return "a function inside a function is not allowed.", "Define it at the top level."
    if node.args.vararg or node.args.kwarg:
        return "'*args' and '**kwargs' parameters are not allowed.", "Name every parameter."
    return None

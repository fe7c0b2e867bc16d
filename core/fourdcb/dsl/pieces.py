"""Which code blocks of an answer make one script: the last complete one, with the blocks it needs."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fourdcb.dsl.budget import Budget, Meter
from fourdcb.dsl.construction import KINDS
from fourdcb.dsl.grammar import why_too_large
from fourdcb.dsl.library import builtins
from fourdcb.dsl.markdown import Block

_WORLD = re.compile(r"\bWorld\s*\(")
LANGUAGE = frozenset({*KINDS, *builtins(Meter(Budget())), "dict", "print", "__name__"})
MAX_SCRIPTS_TRIED = 24


def parsed(code: str) -> ast.Module | None:
    """Syntax tree of a code block, or None when it is no Python or larger than a script may be."""
    if why_too_large(code, Budget()) is not None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


@dataclass(frozen=True)
class Piece:
    """What one code block says, as far as its syntax tells."""

    block: Block

    @cached_property
    def tree(self) -> ast.Module | None:
        """Its syntax tree, None when it does not parse."""
        return parsed(self.block.code)

    @cached_property
    def makes_world(self) -> bool:
        """Whether it constructs a World (by its text, where it does not parse)."""
        return "World" in self.calls if self.tree else bool(_WORLD.search(self.block.code))

    @cached_property
    def calls(self) -> frozenset[str]:
        """Constructors that it calls."""
        called = (node.func for node in self._nodes if isinstance(node, ast.Call))
        return frozenset(f.id for f in called if isinstance(f, ast.Name) and f.id in KINDS)

    @cached_property
    def named(self) -> frozenset[str]:
        """Names that its things are given."""
        calls = [n for n in self._nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        found: set[str] = set()
        for call in (c for c in calls if isinstance(c.func, ast.Name) and c.func.id in KINDS):
            stated = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "name")]
            found |= {v.value for v in stated if isinstance(v, ast.Constant) and isinstance(v.value, str)}
        return frozenset(found)

    @cached_property
    def defines(self) -> frozenset[str]:
        """Names that it gives values to."""
        found: set[str] = set()
        for node in self._nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.alias):
                found.add((node.asname or node.name).partition(".")[0])
        return frozenset(found)

    @cached_property
    def needs(self) -> frozenset[str]:
        """Names that it uses and neither defines nor finds in the language."""
        used = {n.id for n in self._nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        return frozenset(used - self.defines - LANGUAGE)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether it holds a ``…`` to be filled in, as examples of a format do."""
        return any(isinstance(n, ast.Constant) and n.value is Ellipsis for n in self._nodes)

    @cached_property
    def _nodes(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(self.tree)) if self.tree else ()


@dataclass(frozen=True)
class Script:
    """Blocks that make one script, in order."""

    pieces: tuple[Piece, ...]
    changes: tuple[Piece, ...] = field(default=())

    @property
    def complete(self) -> bool:
        """Whether it parses, makes a world with an object, and leaves nothing to be filled in."""
        whole = all(p.tree is not None and not p.has_gaps for p in self.pieces)
        made = {call for piece in self.pieces for call in piece.calls}
        return whole and {"World", "Object"} <= made and not self.missing

    @property
    def missing(self) -> frozenset[str]:
        """Names that no block defines."""
        return frozenset().union(*(p.needs for p in self.pieces)) - self.defines

    @property
    def defines(self) -> frozenset[str]:
        """Names that its blocks define."""
        return frozenset().union(*(p.defines for p in self.pieces))


def choose(blocks: Sequence[Block]) -> Script | None:
    """The last complete script of an answer, else its last one; None when no block makes a World."""
    pieces = [Piece(block) for block in blocks]
    starts = [i for i, piece in enumerate(pieces) if piece.makes_world][::-1]
    scripts = [_joined(pieces, start) for start in starts[:MAX_SCRIPTS_TRIED]]
    return next((script for script in scripts if script.complete), scripts[0] if scripts else None)


def _joined(pieces: Sequence[Piece], start: int) -> Script:
    """The block at ``start``, those before it whose names it uses, and those after it that go on with it."""
    chosen = [pieces[start]]
    if pieces[start].tree is None:
        return Script(tuple(chosen))
    for piece in reversed(pieces[:start]):
        if not piece.makes_world and piece.defines & Script(tuple(chosen)).missing:
            chosen.insert(0, piece)
    changes: list[Piece] = []  # joined only when more of the script follows: the last ones may be advice
    for piece in pieces[start + 1 :]:
        script = Script((*chosen, *changes))
        if piece.makes_world or piece.tree is None or piece.has_gaps or not piece.needs <= script.defines:
            continue
        if piece.calls and not _repeats(piece, chosen):
            chosen += [*changes, piece]
            changes = []
        elif piece.needs:
            changes.append(piece)
    return Script(tuple(chosen), tuple(changes))


def _repeats(piece: Piece, chosen: Sequence[Piece]) -> bool:
    """Whether a block makes again what the script has: another version of a part, no further part."""
    named = frozenset().union(*(p.named for p in chosen))
    made = frozenset().union(*(p.calls for p in chosen))
    once_more = "Camera" in piece.calls and "Camera" in made
    return bool(piece.named & named or piece.defines & Script(tuple(chosen)).defines) or once_more

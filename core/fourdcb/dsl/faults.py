"""What can go wrong while a script runs, and the collector of its diagnostics."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from fourdcb.dsl.source import SourceText
from fourdcb.errors import Diagnostic, Severity


class ScriptFault(Exception):
    """One thing that is wrong at one place of the script.

    Args:
        node: where; None lets the statement that is running fill it in.
        code: stable identifier of the kind of fault.
    """

    def __init__(self, node: ast.AST | None, message: str, *, code: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.node, self.message, self.code, self.hint = node, message, code, hint


class Poisoned(Exception):
    """The value depends on something that was reported before; nothing new to say."""


class Poison:
    """Stands for a value that could not be computed; keeps one mistake from causing many messages."""


POISON = Poison()


@dataclass(slots=True)
class Diagnostics:
    """Collects diagnostics of one script and knows its file and lines."""

    text: SourceText
    limit: int = 100
    found: list[Diagnostic] = field(default_factory=list)

    def add(
        self,
        node: ast.AST | None,
        message: str,
        *,
        code: str,
        severity: Severity = "error",
        path: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Record one remark at ``node`` (None: about the whole script)."""
        if self.full:
            return
        if len(self.found) == self.limit:
            node, message, code, path, hint = None, "more errors are not shown.", "too-many", None, None
        location = self.text.location(node) if node is not None else None
        self.found.append(
            Diagnostic(
                severity=severity,
                code=code,
                message=message,
                path=path,
                file=self.text.filename,
                line=location.line if location else None,
                column=location.column if location else None,
                hint=hint,
            )
        )

    def fault(self, fault: ScriptFault, fallback: ast.AST) -> None:
        """Record a fault at its own place, or at ``fallback``."""
        self.add(fault.node or fallback, fault.message, code=fault.code, hint=fault.hint)

    @property
    def full(self) -> bool:
        """Whether further remarks are left out."""
        return len(self.found) > self.limit

    @property
    def has_errors(self) -> bool:
        """Whether any error was recorded."""
        return any(d.severity == "error" for d in self.found)

    def ordered(self) -> tuple[Diagnostic, ...]:
        """All, without repetitions, in source order; remarks about the whole script come last."""
        unique = dict.fromkeys(self.found)
        return tuple(sorted(unique, key=lambda d: (d.line or 1 << 30, d.column or 0)))

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.found)

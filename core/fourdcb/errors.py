"""The error tree and the diagnostics that every room reports with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


class FourDCBError(Exception):
    """Root of every error that this package raises on purpose."""


class UserError(FourDCBError):
    """Bad input, told so that the reader can mend it. Printed without a traceback; exit code 2.

    Args:
        what: one sentence that says what is wrong.
        where: ``file:line:col``, a path or a field name.
        got: what was found.
        expected: what would have been right.
        hint: what to do next.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        got: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.what, self.where, self.got, self.expected, self.hint = what, where, got, expected, hint
        super().__init__(str(self))

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        details = [
            f"  {label}: {text}"
            for label, text in (("got", self.got), ("expected", self.expected), ("hint", self.hint))
            if text
        ]
        return "\n".join([head, *details])

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders (the simulation worker); keyword-only arguments need this.
        return (_rebuild_user_error, (type(self), self.__dict__.copy()))


def _rebuild_user_error(cls: type[UserError], state: dict[str, object]) -> UserError:
    error = cls.__new__(cls)
    error.__dict__.update(state)
    Exception.__init__(error, str(error))
    return error


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One remark about a script or a world.

    Attributes:
        severity: errors stop a replay, warnings do not.
        code: stable kebab-case identifier, for tools.
        message: one sentence; names the thing, what was expected and what was found.
        path: dotted path into the world (``cup.mass``), or None.
        file, line, column: 1-based place in the source, or None when there is no source.
        hint: a suggestion.
    """

    severity: Severity
    code: str
    message: str
    path: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    hint: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        prefix = f"{place}: " if place else ""
        word = "" if self.severity == "error" else "warning: "
        return f"{prefix}{word}{self.message}" + (f" {self.hint}" if self.hint else "")


class DiagnosticsError(UserError):
    """Several diagnostics at once, shown together.

    Attributes:
        diagnostics: all of them, errors and warnings, in source order.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], *, what: str = "the script is not valid") -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(what)

    def __str__(self) -> str:
        return "\n".join(str(d) for d in self.diagnostics) if self.diagnostics else self.what


class SimulationDivergedError(UserError):
    """The rollout produced a non-finite or exploding state.

    Attributes:
        body: name of the body that diverged.
        time: simulated time [s].
    """

    def __init__(self, *, body: str, time: float, reason: str) -> None:
        self.body, self.time, self.reason = body, time, reason
        super().__init__(
            f"the simulation diverged at t = {time:.4f} s: object {body!r} {reason}",
            hint="check mass, size, velocity and overlapping start poses",
        )


class MissingDependencyError(UserError):
    """An optional extra is needed and not installed."""

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed",
            hint=f"pip install 'fourdcb[{extra}]'",
        )

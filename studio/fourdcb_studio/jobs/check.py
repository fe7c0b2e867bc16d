"""What is wrong with a text that is being typed, beside the window."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fourdcb.errors import Diagnostic
from fourdcb_studio.jobs.contract import JobKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """Read a text as the script of a file.

    Attributes:
        path: the file in whose place it stands.
        source: the text.
    """

    path: Path
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What reading it told.

    Attributes:
        request: what was read.
        diagnostics: errors and warnings, in source order.
    """

    request: CheckRequest
    diagnostics: tuple[Diagnostic, ...]


CHECK = JobKind(
    name="check", request=CheckRequest, place="pool", work="fourdcb_studio.workers.check:check_script"
)

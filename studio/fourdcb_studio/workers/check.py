"""Reads a text that is being typed; the window goes on meanwhile."""

from __future__ import annotations

from fourdcb.dsl import parse_script
from fourdcb.errors import Diagnostic, DiagnosticsError, UserError
from fourdcb.progress import Progress
from fourdcb_studio.jobs.check import CheckRequest, CheckResult


def check_script(request: CheckRequest, progress: Progress) -> CheckResult:
    """What is wrong with a script, as opening it would say."""
    progress.start("reading the script", 1)
    path = request.path
    try:
        found = parse_script(
            request.source, filename=str(path), base_dir=str(path.parent), extract=True
        ).diagnostics
    except DiagnosticsError as error:
        found = error.diagnostics
    except UserError as error:
        found = (Diagnostic(severity="error", code="unreadable", message=str(error)),)
    return CheckResult(request=request, diagnostics=found)

"""Looks whether the machine has what the library needs, in a process of its own."""

from __future__ import annotations

from fourdcb.progress import Progress

CheckRow = tuple[str, bool, bool, str, str]
"""Name, ok, required, detail, what mends it."""


def check_machine(request: None, progress: Progress) -> list[CheckRow]:
    """The checks of ``fourdcb doctor``."""
    from fourdcb.cli.environment_checks import environment_checks

    progress.start("checking", 1)
    return [(c.name, c.ok, c.required, c.detail, c.mend) for c in environment_checks()]

"""Progress reporting and cancellation, independent of who shows it (terminal, Qt, log)."""

from __future__ import annotations

from typing import Protocol

from fourdcb.errors import FourDCBError


class Cancelled(FourDCBError):
    """Raised out of a long computation by a Progress whose owner asked it to stop."""


class Progress(Protocol):
    """Receives the advance of a long computation; may raise :class:`Cancelled`."""

    def start(self, label: str, total: int) -> None:
        """A stage of ``total`` steps begins."""

    def advance(self, steps: int = 1) -> None:
        """``steps`` more are done. May raise Cancelled."""


class NullProgress:
    """Tells nobody and never cancels."""

    def start(self, label: str, total: int) -> None:
        return None

    def advance(self, steps: int = 1) -> None:
        return None

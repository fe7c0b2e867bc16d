"""Where jobs are shown that nobody waits for."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class NoDisplay(QObject):
    """Shows nothing, cancels nothing."""

    cancelled = Signal()

    def show_job(self, text: str, done: int = 0, total: int = 0) -> None:
        """Somebody else's business."""

    def clear(self) -> None:
        """There was nothing."""

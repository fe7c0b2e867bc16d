"""Refreshes panels that need not follow every frame: soon, once, one a turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

CALM_MS = 80
Shower = Callable[[], None]


class Calm:
    """Showers that wait for their turn; each waits once, however often it is asked for.

    Args:
        owner: ends the waiting with its own life.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: dict[Shower, None] = {}  # a set that keeps the order
        self._timer = QTimer(owner)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._show_next)

    def show(self, shower: Shower) -> None:
        """Call it soon: many changes within a few frames cost one refresh."""
        self._waiting[shower] = None
        if not self._timer.isActive():
            self._timer.start(CALM_MS)

    def flush(self) -> None:
        """Call everything that waits now."""
        self._timer.stop()
        waiting, self._waiting = self._waiting, {}
        for shower in waiting:
            shower()

    def stop(self) -> None:
        """Call nothing more."""
        self._timer.stop()

    def _show_next(self) -> None:
        """One panel a turn of the loop, so that a picture that arrives meanwhile waits for one only."""
        if self._waiting:
            shower = next(iter(self._waiting))
            del self._waiting[shower]
            shower()
        if self._waiting:
            self._timer.start(0)

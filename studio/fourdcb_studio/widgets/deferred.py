"""Refreshes panels that need not follow every frame: soon, once, one a turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

DELAY_MS = 80
Shower = Callable[[], None]


class Deferred:
    """Showers that wait for their turn; each waits once, however often it is asked for.

    Args:
        owner: ends the waiting with its own life.
        delay_ms: how long the first one waits; 0 is the next turn.
    """

    def __init__(self, owner: QObject, *, delay_ms: int = DELAY_MS) -> None:
        self._delay = delay_ms
        self._waiting: dict[Shower, None] = {}  # a set that keeps the order
        self._timer = QTimer(owner)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._show_next)

    def show(self, shower: Shower) -> None:
        """Call it soon: many changes within a few frames cost one refresh."""
        self._waiting[shower] = None
        if not self._timer.isActive():
            self._timer.start(self._delay)

    @property
    def is_waiting(self) -> bool:
        """Whether anything waits for its turn."""
        return bool(self._waiting)

    def forget(self, shower: Shower) -> None:
        """Call it no more, if it waits."""
        self._waiting.pop(shower, None)

    def flush(self) -> None:
        """Call everything that waits now."""
        self._timer.stop()
        waiting, self._waiting = self._waiting, {}
        for shower in waiting:
            shower()

    def stop(self) -> None:
        """Call nothing more."""
        self._timer.stop()
        self._waiting.clear()

    def _show_next(self) -> None:
        """One panel a turn of the loop, so that a picture that arrives meanwhile waits for one only."""
        if self._waiting:
            shower = next(iter(self._waiting))
            del self._waiting[shower]
            if self._waiting:  # before the call, so that one that fails does not keep the others waiting
                self._timer.start(0)
            shower()

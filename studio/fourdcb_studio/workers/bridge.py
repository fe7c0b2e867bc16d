"""Carries answers of workers onto the GUI thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal


class Bridge(QObject):
    """Calls ``deliver`` on the GUI thread soon after any thread called :meth:`wake`.

    Many wakes before the GUI gets round to it cost one event.

    Args:
        deliver: takes the answers in.
    """

    _woken = Signal()

    def __init__(self, deliver: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._deliver = deliver
        self._lock = threading.Lock()
        self._waiting = False
        self._closed = False
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)

    def wake(self) -> None:
        """Answers wait; thread-safe."""
        with self._lock:
            if self._waiting or self._closed:
                return
            self._waiting = True
        self._woken.emit()

    def close(self) -> None:
        """Deliver nothing more."""
        with self._lock:
            self._closed = True

    def _on_woken(self) -> None:
        with self._lock:
            self._waiting = False
            if self._closed:
                return
        self._deliver()

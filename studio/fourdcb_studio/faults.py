"""No exception is silent: what a slot, an event handler or a thread did not catch is logged and told."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal

_log = logging.getLogger(__name__)
Tell = Callable[[BaseException, str], None]


class FaultHook(QObject):
    """Catches what Python would only print, from :meth:`install` to :meth:`remove`.

    Args:
        tell: shows an exception and its traceback to the user; called on the GUI thread, soon.
        parent: ends the telling with its own life.
    """

    _raised = Signal(object, str)

    def __init__(self, tell: Tell, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tell = tell
        self._before = sys.excepthook, threading.excepthook
        # Through the loop: the exception may come from another thread, or from halfway through a refresh.
        self._raised.connect(self._on_raised, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Hear of every exception from now on."""
        self._before = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = self._on_exception, self._on_thread

    def remove(self) -> None:
        """Hear of none any more."""
        sys.excepthook, threading.excepthook = self._before

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not issubclass(kind, Exception):  # the user interrupts, or the program leaves
            self._before[0](kind, error, trace)
            return
        _log.error("not caught", exc_info=(kind, error, trace))
        self._raised.emit(error, "".join(traceback.format_exception(kind, error, trace)))

    def _on_thread(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self._on_exception(caught.exc_type, caught.exc_value, caught.exc_traceback)

    def _on_raised(self, error: BaseException, trace: str) -> None:
        try:
            self._tell(error, trace)
        except Exception:  # noqa: BLE001 - a fault while telling a fault must not be one more
            _log.exception("the message bar cannot show an exception")

"""What nothing catches is told in the message bar and in the log, and the window goes on."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QTimer

from fourdcb_studio.faults import FaultHook
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.widgets.deferred import Deferred

Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def hook(window: MainWindow) -> Iterator[FaultHook]:
    made = FaultHook(window.session.tell_fault, window)
    made.install()
    yield made
    made.remove()


def _raise() -> None:
    raise ZeroDivisionError("the moon is in the way")


def test_an_exception_in_a_slot_stands_in_the_bar_and_in_the_log(
    window: MainWindow, hook: FaultHook, until: Until, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="fourdcb_studio.faults"):
        QTimer.singleShot(0, window, _raise)
        until(lambda: window.session.message is not None)
    message = window.session.message
    assert message is not None
    assert message.severity == "error"
    assert "ZeroDivisionError: the moon is in the way" in message.text
    assert "in _raise" in message.details
    assert "ZeroDivisionError" in caplog.text
    assert window.parts.messages.isVisible()


def test_an_exception_of_a_thread_is_told_on_the_gui_thread(
    window: MainWindow, hook: FaultHook, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    window.session.changes.subscribe("message", lambda: told.append(threading.current_thread().name))
    thread = threading.Thread(target=_raise, name="elsewhere")
    thread.start()
    thread.join()
    until(lambda: bool(told))
    assert told == [threading.main_thread().name]


def test_an_interruption_and_the_end_of_the_hook_go_their_usual_way(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[type[BaseException]] = []
    usual = lambda kind, error, trace: seen.append(kind)  # noqa: E731
    monkeypatch.setattr(sys, "excepthook", usual)
    hook = FaultHook(window.session.tell_fault, window)
    hook.install()
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert seen == [KeyboardInterrupt]
    hook.remove()
    assert sys.excepthook is usual


def test_a_refresh_that_fails_does_not_keep_the_others_waiting(
    window: MainWindow, hook: FaultHook, until: Until
) -> None:
    shown: list[int] = []
    deferred = Deferred(window, delay_ms=0)
    deferred.show(_raise)
    deferred.show(lambda: shown.append(1))
    until(lambda: window.session.message is not None)
    until(lambda: bool(shown))
    assert shown == [1]

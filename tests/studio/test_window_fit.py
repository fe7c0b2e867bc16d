"""The Fit button of the real window: in its own process, cancelled, killed, applied, discarded."""

from __future__ import annotations

import os
import signal

import psutil
import pytest
from PySide6.QtWidgets import QPushButton

from fourdcb_studio.main_window import MainWindow

PATIENCE_MS = 180_000


@pytest.fixture
def window(window: MainWindow, scene_folder) -> MainWindow:
    window.open_paths([scene_folder.folder])
    return window


def _button(window: MainWindow, text: str) -> QPushButton:
    return next(b for b in window.fitting.card.findChildren(QPushButton) if b.text().startswith(text))


def test_the_blamed_parameter_is_found_and_taken_as_one_step(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.flush()
    window.actions_.run("solve")
    card = window.fitting.card
    assert card.isVisible()
    assert card.chosen() == ("ball.restitution",)  # the likely cause
    _button(window, "Fit 1 parameter").click()
    assert card.state() == "running"
    pid = window.fitting.jobs.pid
    assert pid is not None
    assert pid != window.process.pid
    until(lambda: card.state() == "result" or window.session.message is not None)
    assert card.state() == "result", window.session.message
    assert window.session.parameters is not None
    assert not window.session.unsaved  # nothing changes before it is taken
    _button(window, "Apply").click()
    assert set(window.session.parameters.values) == {"ball.restitution"}
    assert window.session.parameters.values["ball.restitution"] == pytest.approx(0.8, abs=0.02)
    window.session.undo()
    assert not window.session.unsaved


def test_edits_go_on_while_it_runs_and_it_is_cancelled(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.actions_.run("solve")
    window.fitting.start(("ball.restitution", "ball.friction"))
    pid = window.fitting.jobs.pid
    assert pid is not None
    if hasattr(os, "nice"):
        until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).nice() >= 10)  # it may be done
    window.session.commit("ball.mass", 0.7)
    until(lambda: window.session.settled)
    assert window.fitting.jobs.is_running or window.fitting.card.state() == "result"
    window.fitting.cancel()
    assert not window.fitting.card.isVisible()
    assert window.session.parameters is not None
    assert window.session.parameters.values == {"ball.mass": 0.7}


def test_a_killed_fit_is_a_message(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.fitting.start(("ball.restitution",))
    pid = window.fitting.jobs.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: window.session.message is not None)
    assert window.session.message is not None
    assert "The fit ended" in window.session.message.text
    assert "signal 9" in window.session.message.details
    assert not window.fitting.card.isVisible()
    assert not window.fitting.jobs.is_running


def test_several_objects_and_lights_are_fitted_together(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.flush()
    window.actions_.run("solve")
    card = window.fitting.card
    assert card.chosen() == ("ball.restitution",)
    card.pick_owners(("ball", "sun"))
    assert card.chosen() == ("ball.restitution",), "what was on stays on"
    assert "sun" in card.chip("sun.intensity").text()
    card.chip("sun.intensity").setChecked(True)
    assert card.chosen() == ("ball.restitution", "sun.intensity")
    window.session.commit("sun.intensity", 2.0)
    until(lambda: window.session.settled)
    window.fitting.start(card.chosen())
    until(lambda: card.state() == "result" or window.session.message is not None)
    assert card.state() == "result", window.session.message
    _button(window, "Apply").click()
    assert window.session.parameters is not None
    found = window.session.parameters.values
    assert found["ball.restitution"] == pytest.approx(0.8, abs=0.03)
    assert found.get("sun.intensity", 3.0) == pytest.approx(3.0, abs=0.1)

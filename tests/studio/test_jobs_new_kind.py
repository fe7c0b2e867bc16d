"""A new kind of job is one file and one row: it runs, is shown and is cancelled, wherever it runs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtWidgets import QApplication

from fourdcb.errors import UserError
from fourdcb_studio.jobs import registry
from fourdcb_studio.jobs.registry import Registry
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.session.messages import ReplayKey

PLACES = ("simulation", "process", "pool")
Until = Callable[[Callable[[], bool]], None]

# The whole of the new kind. It runs in all three places, where a real one would name its only one.
_FILE = """
import time
from dataclasses import dataclass
from typing import ClassVar

from fourdcb.errors import UserError
from fourdcb_studio.jobs.contract import JobKind
from fourdcb_studio.session.messages import WorkRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Noop(WorkRequest):
    kind: ClassVar[str] = "noop"
    work: ClassVar[str] = "noop_job_of_a_test:in_slices"
    steps: int


def in_slices(replays, request):
    for _ in range(request.steps):
        time.sleep(0.005)
        yield
    return _result(request)


def in_one_piece(request, progress):
    progress.start("resting", request.steps)
    for _ in range(request.steps):
        time.sleep(0.005)
        progress.advance()
    return _result(request)


def _result(request):
    if request.steps == 0:
        raise UserError("there is nothing to do nothing about")
    return f"rested {request.steps} times"


def row(place):
    work = "noop_job_of_a_test:in_one_piece"
    return JobKind(name="noop", request=Noop, place=place, work=work, words="doing nothing")
"""


@pytest.fixture
def noop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "noop_job_of_a_test.py").write_text(_FILE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.reload(importlib.import_module("noop_job_of_a_test"))


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, noop: ModuleType, monkeypatch: pytest.MonkeyPatch) -> str:
    """The row is added before the window is made."""
    monkeypatch.setattr(registry, "KINDS", (*registry.KINDS, noop.row(request.param)))
    place: str = request.param
    return place


@pytest.fixture
def ready(place: str, window: MainWindow, until: Until) -> MainWindow:
    until(lambda: window.session.scheduler.ready)
    return window


def test_it_runs_is_shown_and_is_cancelled(
    ready: MainWindow, place: str, noop: ModuleType, until: Until, application: QApplication
) -> None:
    chip = ready.parts.status.job_chip("noop")
    told: list[object] = []
    runner = ready.bench.jobs.runner(noop.row(place), chip, on_done=told.append, on_error=told.append)
    key = ReplayKey("nothing", "judging")

    runner.start(noop.Noop(key=key, steps=3))
    assert chip.text() == "doing nothing"
    assert not chip.isHidden()
    until(lambda: told == ["rested 3 times"])
    assert chip.isHidden()

    runner.start(noop.Noop(key=key, steps=100_000))
    application.processEvents()
    chip.cancelled.emit()
    assert not runner.is_running
    assert chip.isHidden()

    # Its place is free again, and nothing is heard of the cancelled one.
    runner.start(noop.Noop(key=key, steps=2))
    until(lambda: len(told) == 2)
    assert told[1] == "rested 2 times"

    runner.start(noop.Noop(key=key, steps=0))
    until(lambda: len(told) == 3)
    assert isinstance(told[2], UserError)
    assert told[2].what == "there is nothing to do nothing about"


def test_a_scene_is_replayed_while_it_runs_and_goes_first(
    ready: MainWindow, place: str, noop: ModuleType, scene_folder, until: Until
) -> None:
    told: list[object] = []
    chip = ready.parts.status.job_chip("noop")
    runner = ready.bench.jobs.runner(noop.row(place), chip, on_done=told.append, on_error=told.append)
    runner.start(noop.Noop(key=ReplayKey("nothing", "judging"), steps=40))
    ready.open_paths([scene_folder.folder])
    until(lambda: ready.session.shows_current_frame)  # the current frame waits for no other job
    until(lambda: bool(told) and ready.session.report_is_fresh)
    assert told == ["rested 40 times"]


def test_two_kinds_of_one_name_are_refused(noop: ModuleType) -> None:
    with pytest.raises(KeyError, match="share a name"):
        Registry((*registry.KINDS, noop.row("pool"), noop.row("pool")))

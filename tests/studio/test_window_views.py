"""Strips, the 3D view, the typed script, the command line's verb."""

from __future__ import annotations

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from fourdcb.cli.bench_studio import bench_studio
from fourdcb.cli.studio import studio
from fourdcb_studio.benchmark import percentiles
from fourdcb_studio.main_window import MainWindow

PATIENCE_MS = 120_000


@pytest.fixture
def window(window: MainWindow, scene_folder) -> MainWindow:
    window.open_paths([scene_folder.folder])
    return window


def _is_idle(window: MainWindow) -> bool:
    window.flush()
    return window.session.idle


def test_strips_point_at_the_reference_value_and_unobservable_ones_say_so(window: MainWindow, until) -> None:
    until(lambda: _is_idle(window))
    found = window.session.scheduler.strips.get("ball.restitution")
    assert found is not None
    strip, fresh = found
    assert fresh
    best = int(np.nanargmin(strip.errors))
    assert strip.values[best] == pytest.approx(0.8, abs=0.02)  # the reference's restitution
    mass = window.session.scheduler.strips.get("ball.mass")
    assert mass is not None
    assert not mass[0].is_observable
    window.session.commit("ball.restitution", 0.5)
    own = window.session.scheduler.strips.get("ball.restitution")
    other = window.session.scheduler.strips.get("ball.friction")
    assert own is not None
    assert own[1]  # its own value moves no strip
    assert 0.5 in own[0].values or window.session.scheduler.strips.next_path() is not None
    assert other is not None
    assert not other[1]


def test_the_middle_shows_space_and_script(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.actions_.run("view_space")
    window.session.clock.seek(9)
    window.flush()
    assert window.parts.middle.currentWidget() is window.parts.space
    window.actions_.run("view_script")
    window.session.commit("ball.restitution", 0.44)
    window.flush()
    assert "restitution=0.44" in window.parts.script.source()
    assert "# bouncy" in window.parts.script.source()


def test_a_typed_script_is_replayed_and_saved_and_a_wrong_one_changes_nothing(
    window: MainWindow, until, scene_folder
) -> None:
    session = window.session
    text = scene_folder.script.read_text()
    window.middle.script.apply(text.replace("mass=0.5", "mass=0.9"))
    assert session.parameters is not None
    assert session.parameters.base.object("ball").mass == 0.9
    assert session.unsaved
    assert scene_folder.script.read_text() == text
    window.middle.script.apply("world = ")
    assert session.parameters.base.object("ball").mass == 0.9
    session.save()
    assert "mass=0.9" in scene_folder.script.read_text()
    assert not session.unsaved


def test_the_verb_hands_everything_to_the_app(monkeypatch) -> None:
    import fourdcb_studio.app as app_module

    seen: list[list[str]] = []
    monkeypatch.setattr(app_module, "main", lambda arguments: seen.append(list(arguments)) or 2)
    app = typer.Typer()
    app.command()(studio)
    result = CliRunner().invoke(
        app, ["a.py", "v.mp4", "--frame", "3", "--set", "cup.mass=1", "--set", "cup.friction=0.2"]
    )
    assert result.exit_code == 2
    assert seen[0][:2] == ["a.py", "v.mp4"]
    assert seen[0][-6:] == ["--frame", "3", "--set", "cup.mass=1", "--set", "cup.friction=0.2"]


def test_the_verb_names_the_extra_when_qt_is_missing(monkeypatch) -> None:
    import importlib.util

    from fourdcb.errors import MissingDependencyError

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "PySide6" else find(name))
    with pytest.raises(MissingDependencyError, match=r"fourdcb\[studio\]"):
        studio()
    with pytest.raises(MissingDependencyError, match=r"fourdcb\[studio\]"):
        bench_studio()


def test_percentiles_are_ordered() -> None:
    figures = percentiles([float(k) for k in range(101)])
    assert figures == {"p50": 50.0, "p95": 95.0, "p99": 99.0}


def test_the_bundled_case_is_the_default() -> None:
    from fourdcb_studio.app import default_paths

    folder, script = default_paths()
    assert folder.name == "slide_cup"
    assert script.name == "wrong_restitution.py"

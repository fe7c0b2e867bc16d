"""Settings and layouts of the real window: in force at once, kept in a plain file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.session.preferences import Layout, Preferences
from fourdcb_studio.theme import tokens
from fourdcb_studio.widgets.edge_handle import EdgeHandle

PATIENCE_MS = 180_000


@pytest.fixture
def window(application: QApplication, qtbot, tmp_path: Path) -> Iterator[MainWindow]:
    made = _window(tmp_path)
    yield made
    made.end()
    made.deleteLater()
    application.processEvents()


def _window(folder: Path) -> MainWindow:
    made = MainWindow(journal_folder=folder / "journal", preferences=folder / "config" / "studio.json")
    made.resize(1600, 1000)
    made.show()
    return made


def test_settings_are_in_force_at_once_and_kept(window: MainWindow, scene_folder, tmp_path: Path) -> None:
    window.open_paths([scene_folder.folder])
    window.actions_.run("settings")
    card = window.preferences.card()
    assert card.isVisible()
    card.changed.emit("theme", "light")
    card.changed.emit("cache_mb", 64)
    assert tokens().name == "light"
    assert window.session.store.budget == 64 * 2**20
    kept = json.loads((tmp_path / "config" / "studio.json").read_text())
    assert kept["settings"]["theme"] == "light"
    assert Preferences(tmp_path / "config" / "studio.json").settings == window.preferences.kept.settings
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert not card.isVisible()


def test_the_size_of_everything_changes_with_a_restart_only(window: MainWindow) -> None:
    window.actions_.run("settings")
    card = window.preferences.card()
    assert card._restart.isHidden()
    card.changed.emit("ui_scale", 150)
    assert not card._restart.isHidden()
    card._restart.click()
    assert window.preferences.restart_wanted
    assert window.process.pid is None  # closed in order


def test_without_recovery_no_journal_is_written(window: MainWindow, scene_folder, tmp_path: Path) -> None:
    window.open_paths([scene_folder.folder])
    window.session.commit("ball.mass", 0.7)
    assert list((tmp_path / "journal").glob("*.jsonl"))
    window.preferences.change(recovery=False)
    assert not list((tmp_path / "journal").glob("*.jsonl"))
    window.session.commit("ball.mass", 0.8)
    assert not list((tmp_path / "journal").glob("*.jsonl"))
    window.preferences.change(recovery=True)
    assert list((tmp_path / "journal").glob("*.jsonl"))


def test_edits_are_saved_by_themselves_where_that_is_wanted(window: MainWindow, scene_folder, until) -> None:
    window.preferences.change(autosave=True)
    window.open_paths([scene_folder.folder])
    window.session.change("ball.mass", 0.6)
    window.session.commit("ball.mass", 0.7)
    assert "mass=0.7" not in scene_folder.script.read_text()
    until(lambda: "mass=0.7" in scene_folder.script.read_text())
    assert not window.session.unsaved


def test_the_preview_gets_the_quality_that_was_chosen(window: MainWindow, scene_folder, until) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    pictures = []
    for quality in ("fast", "full"):
        window.preferences.change(preview=quality)
        window.session.change("ball.restitution", 0.41 if quality == "fast" else 0.42)
        until(lambda: window.presenter.view.images().replay.fresh)
        window.session.change("ball.restitution", 0.5)
        until(lambda: window.presenter.view.images().replay.fresh)
        pictures.append(window.presenter.view.images().replay.image)
        window.session.undo()
        window.session.store.clear()
    assert (pictures[0] != pictures[1]).any()  # edges are smooth in one of them


def test_a_layout_is_saved_restored_deleted_and_begun_with(
    application: QApplication, window: MainWindow, scene_folder, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    usual = window.parts.layout_state()
    edge = next(e for e in window.parts.findChildren(EdgeHandle) if e._side == "left")
    edge.dragged.emit(60)
    window.parts.right.toggle()
    window.parts._split.setSizes([500, 400])
    window.parts._keep_time_height()
    wide = window.parts.layout_state()
    assert wide.left_width == usual.left_width + 60
    assert wide.right_folded
    window.preferences.open()
    window.preferences.save_layout("wide 宽")
    window.actions_.run("reset_layout")
    assert window.parts.layout_state().left_width == usual.left_width
    assert not window.parts.right.is_folded()
    window.preferences.restore_layout("wide 宽")
    restored = window.parts.layout_state()
    assert (restored.left_width, restored.right_folded) == (wide.left_width, True)
    assert restored.time_height == wide.time_height
    window.close()
    again = _window(tmp_path)
    assert again.parts.layout_state().left_width == wide.left_width
    assert again.parts.right.is_folded()
    assert tuple(again.preferences.kept.layouts) == ("wide 宽",)
    again.preferences.card().layout_deleted.emit("wide 宽")
    assert not again.preferences.kept.layouts
    again.close()
    again.deleteLater()


def test_plots_that_lie_under_the_images_lie_there_next_time(
    application: QApplication, window: MainWindow, scene_folder, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    parts = window.parts
    window.actions_.run("dock_plots")
    stage = parts._stage
    stage.setSizes([stage.height() - 240, 240])
    stage.splitterMoved.emit(stage.height() - 240, 1)
    kept = stage.sizes()[1]
    assert abs(kept - 240) < 20
    window.actions_.run("view_script")  # where they do not lie
    window.preferences.open()
    window.preferences.save_layout("plots")
    window.actions_.run("reset_layout")
    assert not parts.plots_are_docked()
    window.preferences.restore_layout("plots")
    window.actions_.run("view_images")
    application.processEvents()
    assert parts.plots.isVisible()
    assert abs(stage.sizes()[1] - kept) <= 2
    window.close()
    again = _window(tmp_path)
    again.open_paths([scene_folder.folder])
    application.processEvents()
    assert again.parts.plots_are_docked()
    assert abs(again.parts._stage.sizes()[1] - kept) <= 2
    again.close()
    again.deleteLater()


def test_the_edge_is_dragged_with_the_mouse(window: MainWindow) -> None:
    edge = next(e for e in window.parts.findChildren(EdgeHandle) if e._side == "right")
    before = window.parts.right.width()
    middle = QPointF(2, edge.height() / 2).toPoint()
    QTest.mousePress(edge, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(edge, middle - QPointF(40, 0).toPoint())
    QTest.mouseRelease(edge, Qt.MouseButton.LeftButton)
    assert window.parts.right.width() > before


def test_single_odd_values_are_left_at_their_default(tmp_path: Path) -> None:
    path = tmp_path / "studio.json"
    odd = {"left_width": 10**40, "right_width": -5, "left_folded": 300, "left_sizes": [10**40, "x"], "new": 1}
    settings = {"theme": "pink", "ui_scale": 3, "key_hints": False}
    value = {"format": "fourdcb.studio", "version": 1, "settings": settings, "layouts": {"a": odd}}
    path.write_text(json.dumps(value))
    kept = Preferences(path)
    assert (kept.settings.theme, kept.settings.ui_scale, kept.settings.key_hints) == ("dark", 100, False)
    assert kept.layouts["a"] == Layout(left_width=20_000, right_width=0, left_sizes=(20_000,))


_FOREIGN = {
    "torn": '{"format": "fourdcb.stu',
    "list": "[]",
    "deep": "[" * 200_000,
    "newer": '{"format": "fourdcb.studio", "version": 9, "layouts": {"mine": {}}}',
}


@pytest.mark.parametrize("kind", _FOREIGN)
def test_a_file_that_means_nothing_gives_the_defaults_and_is_not_lost(tmp_path: Path, kind: str) -> None:
    path, text = tmp_path / "studio.json", _FOREIGN[kind]
    for beside in ("studio.json.kept", "studio.json.kept2"):
        path.write_text(text)
        kept = Preferences(path)
        assert kept.settings == Preferences(None).settings
        assert str(path) in kept.problem
        kept.save_layout("a", Layout(left_width=300))
        assert not kept.problem
        assert Preferences(path).layouts["a"].left_width == 300
        assert (tmp_path / beside).read_text() == text


def test_what_is_wrong_with_the_file_is_told(
    application: QApplication, tmp_path: Path, until: Callable[[Callable[[], bool]], None]
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "studio.json").write_text("torn")
    window = _window(tmp_path)
    until(lambda: window.session.message is not None)
    assert "are not used" in window.session.message.text
    (tmp_path / "config").rename(tmp_path / "away")
    (tmp_path / "config").write_text("a file where the folder was")
    window.preferences.change(key_hints=False)
    assert not window.preferences.kept.settings.key_hints
    assert "cannot be kept" in window.session.message.text
    window.close()
    window.deleteLater()


def test_at_scale_two_the_picture_has_twice_the_pixels(scene_folder, tmp_path: Path) -> None:
    picture = tmp_path / "4k.png"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": "2"}
    command = [sys.executable, "-m", "fourdcb_studio", str(scene_folder.folder), "--size", "1920x1080"]
    done = subprocess.run(
        [*command, "--screenshot", str(picture)],
        env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (3840, 2160)

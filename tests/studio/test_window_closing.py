"""Closing with unsaved edits, and where the window stands next time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.widgets.place import first_size

Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def window(window: MainWindow, scene_folder) -> MainWindow:
    window.open_paths([scene_folder.folder])
    return window


def choose(window: MainWindow, name: str) -> None:
    card = window.closing.card
    assert card is not None
    assert card.isVisible()
    QTest.mouseClick(card.button(name), Qt.MouseButton.LeftButton)


def next_window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """The window of another start: journals of this process are as if it had ended."""
    folder = tmp_path / "state" / "journal"
    for path in folder.glob(f"*.{os.getpid()}.jsonl"):
        path.rename(path.with_name(path.name.replace(f".{os.getpid()}.", ".999999999.")))
    made = MainWindow(journal_folder=folder)
    made.show()
    return made


def test_closing_without_edits_asks_nothing(window: MainWindow) -> None:
    assert window.close()
    assert window.closing.card is None


def test_closing_with_edits_asks_and_cancel_stays(window: MainWindow, scene_folder) -> None:
    window.session.commit("ball.friction", 0.55)
    assert not window.close()
    assert window.isVisible()
    choose(window, "stay")
    assert window.isVisible()
    assert window.session.unsaved
    assert not window.close(), "it asks again"
    QTest.keyClick(window.closing.card, Qt.Key.Key_Escape)
    assert window.isVisible()
    assert "friction=0.4" in scene_folder.script.read_text()


def test_edits_that_are_saved_are_in_the_files_also_of_scripts_put_aside(
    window: MainWindow, scene_folder, tmp_path: Path
) -> None:
    other = scene_folder.script.with_name("other.py")
    other.write_text(scene_folder.script.read_text())
    window.session.commit("ball.friction", 0.55)
    window.session.set_draft(window.session.document.source.replace("mass=0.5", "mass=0.9"))
    window.session.open_candidate(other.resolve())
    window.session.commit("ball.friction", 0.66)
    assert not window.close()
    choose(window, "save")
    assert not window.isVisible()
    first = scene_folder.script.read_text()
    assert "mass=0.9" in first
    assert "friction=0.66" in other.read_text()
    assert not list((tmp_path / "state" / "journal").glob("*.jsonl"))


def test_edits_that_are_kept_come_back_and_nobody_speaks_of_a_crash(
    window: MainWindow, scene_folder, tmp_path: Path, qtbot: QtBot
) -> None:
    window.session.commit("ball.friction", 0.55)
    typed = window.session.document.source.replace("mass=0.5", "mass=")
    window.session.set_draft(typed)
    assert not window.close()
    choose(window, "keep")
    assert not window.isVisible()
    assert "friction=0.4" in scene_folder.script.read_text()
    again = next_window(qtbot, tmp_path)
    try:
        again.open_paths([scene_folder.folder])
        assert again.session.parameters is not None
        assert again.session.parameters.values == {"ball.friction": 0.55}
        assert again.session.draft is not None
        assert again.session.draft.text == typed
        assert again.session.message is not None
        assert again.session.message.kind == "took_up"
        assert again.session.message.action is None
        assert again.session.can_undo
    finally:
        again.end()


def test_edits_that_are_discarded_are_gone(
    window: MainWindow, scene_folder, tmp_path: Path, qtbot: QtBot
) -> None:
    window.session.commit("ball.friction", 0.55)
    assert not window.close()
    choose(window, "discard")
    assert not window.isVisible()
    assert not list((tmp_path / "state" / "journal").glob("*.jsonl"))
    again = next_window(qtbot, tmp_path)
    try:
        again.open_paths([scene_folder.folder])
        assert not again.session.unsaved
        assert again.session.message is None
    finally:
        again.end()


def test_what_cannot_be_saved_holds_the_window(window: MainWindow, scene_folder) -> None:
    window.session.commit("ball.friction", 0.55)
    scene_folder.script.write_text(scene_folder.script.read_text() + "# other hands\n")
    assert not window.close()
    choose(window, "save")
    assert window.isVisible()
    assert window.session.message is not None
    assert window.session.message.severity == "error"
    assert "friction=0.4" in scene_folder.script.read_text()


def test_an_end_that_the_system_asks_for_keeps_edits_unasked(
    window: MainWindow, scene_folder, tmp_path: Path
) -> None:
    window.session.commit("ball.friction", 0.55)
    window.end()
    assert not window.isVisible()
    kept = list((tmp_path / "state" / "journal").glob("*.jsonl"))
    assert len(kept) == 1
    assert '"kept": true' in kept[0].read_text().splitlines()[-1]


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        ((1280, 720), (1280, 720)),
        ((1366, 740), (1366, 740)),
        ((1920, 1080), (1632, 1000)),
        ((2560, 1440), (2176, 1224)),
        ((3840, 2160), (2400, 1500)),
    ],
)  # fmt: skip
def test_the_first_window_fits_the_screen(room, expected) -> None:
    assert first_size(QSize(*room)) == QSize(*expected)


@pytest.mark.parametrize("maximised", [False, True])
def test_the_window_opens_where_it_was_left(
    application: QApplication, tmp_path: Path, *, maximised: bool
) -> None:
    file = tmp_path / "studio.json"
    first = MainWindow(preferences=file)
    first.setGeometry(30, 40, 960, 610)
    if maximised:
        first.setWindowState(Qt.WindowState.WindowMaximized)
    first.show()
    application.processEvents()
    first.end()
    second = MainWindow(preferences=file)
    second.preferences.put_place(second)
    second.show()
    application.processEvents()
    try:
        assert second.isMaximized() is maximised
        if not maximised:
            assert second.height() == 610
            assert second.geometry().y() == 40
    finally:
        second.end()


def test_a_place_that_means_nothing_fits_the_screen(application: QApplication, tmp_path: Path) -> None:
    file = tmp_path / "studio.json"
    file.write_text('{"format": "fourdcb.studio", "version": 1, "place": "no base 64 !"}')
    made = MainWindow(preferences=file)
    try:
        made.preferences.put_place(made)
        room = made.screen().availableGeometry()
        assert room.contains(made.geometry())
        assert made.size() == first_size(room.size())
    finally:
        made.end()

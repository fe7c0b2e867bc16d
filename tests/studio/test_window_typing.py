"""Typing a script: nothing that was typed is lost, and what it means is said while it is typed."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.views.script.code_edit import CodeEdit
from fourdcb_studio.views.script.diagnostic_list import DiagnosticList

PATIENCE_MS = 60_000
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def window(window: MainWindow, scene_folder) -> MainWindow:
    window.open_paths([scene_folder.folder])
    window.actions_.run("view_script")
    window.flush()
    return window


def editor(window: MainWindow) -> CodeEdit:
    return window.parts.script.editor()


def type_over(window: MainWindow, old: str, new: str) -> None:
    """Select a text in the editor and type another in its place, key by key."""
    edit = editor(window)
    cursor = edit.document().find(old)
    assert not cursor.isNull()
    edit.setTextCursor(cursor)
    edit.setFocus()
    QTest.keyClicks(edit, new)


def mass(window: MainWindow) -> float | None:
    world = window.session.candidate_world
    return None if world is None else world.object("ball").mass


def rows(window: MainWindow) -> DiagnosticList:
    found = window.parts.script.findChild(DiagnosticList)
    assert found is not None
    return found


def test_what_was_typed_survives_leaving_the_tab_and_looking_at_another_case(
    window: MainWindow, scene_folder
) -> None:
    other = scene_folder.script.with_name("other.py")
    other.write_text(scene_folder.script.read_text())
    type_over(window, "mass=0.5", "mass=0.")
    window.actions_.run("view_images")
    window.session.commit("ball.friction", 0.55)
    window.flush()
    window.actions_.run("view_script")
    window.flush()
    assert "mass=0.," in window.parts.script.source()
    assert window.parts.script._apply.isEnabled()
    window.session.open_candidate(other.resolve())
    window.flush()
    assert "mass=0.5" in window.parts.script.source()
    assert scene_folder.script.resolve() in window.session.unsaved_scripts
    window.session.open_candidate(scene_folder.script.resolve())
    window.flush()
    assert "mass=0.," in window.parts.script.source()
    assert window.session.unsaved


def test_what_was_typed_survives_a_crash(window: MainWindow, until: Until, scene_folder, tmp_path) -> None:
    type_over(window, "mass=0.5", "mass=")
    folder = tmp_path / "state" / "journal"
    until(lambda: any("draft" in path.read_text() for path in folder.glob("*.jsonl")))
    journal = next(folder.glob("*.jsonl"))
    left = journal.read_text()
    window.session.set_draft(None)
    dead = journal.with_name(journal.name.replace(f".{os.getpid()}.", ".999999999."))
    journal.unlink()
    dead.write_text(left)
    window.open_paths([scene_folder.folder])
    assert window.session.message is not None
    assert window.session.message.action == "recover"
    window.actions_.run("recover")
    window.actions_.run("view_script")
    window.flush()
    assert "mass=," in window.parts.script.source()
    assert window.session.message is not None
    assert window.session.message.kind == "recovered", "the notice of what is left leaves"


def test_an_answer_that_comes_while_somebody_types_does_not_keep_the_text_off_the_disk(
    window: MainWindow, until: Until, tmp_path
) -> None:
    type_over(window, "mass=0.5", "mass=")
    window.middle.show()  # as every picture and verdict does that arrives before the pause is over
    folder = tmp_path / "state" / "journal"
    until(lambda: any('"draft"' in path.read_text() for path in folder.glob("*.jsonl")))
    assert "mass=," in next(folder.glob("*.jsonl")).read_text()


def test_control_return_replays_what_was_typed(window: MainWindow) -> None:
    window.activateWindow()
    type_over(window, "mass=0.5", "mass=0.9")
    shortcut = window.actions_.action("apply_cause").shortcuts()[0]
    assert shortcut == QKeySequence("Ctrl+Return"), "the window has the same key"
    QTest.keyClick(editor(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert mass(window) == 0.9
    assert window.session.draft is None
    assert "mass=0.9" in window.parts.script.source()
    assert "\n\n\n" not in window.parts.script.source(), "no line was broken"


def test_undo_leads_back_across_texts_that_were_replayed(window: MainWindow) -> None:
    session = window.session
    session.commit("ball.friction", 0.55)
    window.flush()
    for value in ("0.7", "0.9"):
        type_over(window, f"mass={mass(window):g}", f"mass={value}")
        QTest.keyClick(editor(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    session.commit("ball.friction", 0.66)
    assert (mass(window), session.candidate_world.object("ball").friction) == (0.9, 0.66)
    seen = []
    while session.can_undo:
        window.actions_.run("undo")
        ball = session.candidate_world.object("ball")
        seen.append((ball.mass, ball.friction))
    assert seen == [(0.9, 0.55), (0.7, 0.55), (0.5, 0.55), (0.5, 0.4)]
    assert not session.unsaved
    while session.can_redo:
        window.actions_.run("redo")
    assert (mass(window), session.candidate_world.object("ball").friction) == (0.9, 0.66)
    window.flush()
    assert "mass=0.9" in window.parts.script.source()
    window.actions_.run("undo")
    window.actions_.run("undo")
    session.commit("ball.friction", 0.11)
    assert not session.can_redo, "what was left behind by another edit does not come back"


def test_the_editors_own_undo_goes_back_across_a_replay(window: MainWindow) -> None:
    type_over(window, "mass=0.5", "mass=0.9")
    QTest.keyClick(editor(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    window.flush()
    while editor(window).document().isUndoAvailable():
        editor(window).undo()
    assert "mass=0.5" in window.parts.script.source()
    assert window.session.draft is not None
    assert mass(window) == 0.9, "until it is replayed"
    QTest.keyClick(editor(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert mass(window) == 0.5


def test_a_slider_that_moved_while_somebody_typed_stays_where_it_is(window: MainWindow) -> None:
    type_over(window, "mass=0.5", "mass=0.9")
    window.session.commit("ball.friction", 0.55)
    window.middle.script.apply(window.parts.script.source())
    assert mass(window) == 0.9
    assert window.session.candidate_world is not None
    assert window.session.candidate_world.object("ball").friction == 0.55


def test_diagnostics_come_while_typing_and_old_ones_are_grey(window: MainWindow, until: Until) -> None:
    type_over(window, "mass=0.5", "mass=-1")
    until(lambda: rows(window).count() == 1)
    assert "mass" in rows(window).item(0).text()
    assert not rows(window).is_stale()
    assert window.session.parameters is not None, "what is replayed stays"
    type_over(window, "mass=-1", "mass=0.8")
    assert rows(window).is_stale()
    assert rows(window).count() == 1, "nothing jumps while typing goes on"
    until(lambda: rows(window).count() == 0)


def test_saving_replays_what_was_typed_and_refuses_what_is_not_valid(
    window: MainWindow, scene_folder, until: Until
) -> None:
    type_over(window, "mass=0.5", "mass=0.9")
    window.actions_.run("save")
    assert "mass=0.9" in scene_folder.script.read_text()
    assert not window.session.unsaved
    window.flush()
    type_over(window, "mass=0.9", "mass=-1")
    window.actions_.run("save")
    assert "mass=0.9" in scene_folder.script.read_text()
    assert window.session.message is not None
    assert window.session.message.severity == "error"
    assert "mass=-1" in window.parts.script.source(), "and the text stays"


def test_a_word_that_was_begun_is_gone_on_with(window: MainWindow, qtbot: QtBot) -> None:
    type_over(window, "mass=0.5", "mas")
    shown = editor(window).completions()
    assert shown.isVisible()
    assert [shown.item(k).text().split()[0] for k in range(shown.count())] == ["mass"]
    QTest.keyClick(editor(window), Qt.Key.Key_Return)
    assert not shown.isVisible()
    QTest.keyClicks(editor(window), "0.6")
    assert "    mass=0.6,\n" in window.parts.script.source()
    QTest.keyClicks(editor(window), ", ro")
    assert shown.isVisible()
    QTest.keyClick(editor(window), Qt.Key.Key_Escape)
    assert not shown.isVisible()
    assert ", ro" in window.parts.script.source()


def test_the_script_is_compared_with_truth_file_and_snapshots(window: MainWindow) -> None:
    view, presenter = window.parts.script, window.middle.script
    presenter.compare("truth")
    assert "restitution=0.8" in view.other().toPlainText()
    assert view._count.text() == "1 line differs"
    window.session.take_snapshot()
    window.session.commit("ball.mass", 0.7)
    window.flush()
    assert view._count.text() == "2 lines differ"
    presenter.compare("snapshot:snapshot 1")
    assert "mass=0.5" in view.other().toPlainText()
    assert view._count.text() == "1 line differs"
    presenter.compare("file")
    assert view._count.text() == "1 line differs"
    window.session.undo()
    window.flush()
    assert view._count.text() == "no line differs"
    presenter.compare("")
    assert not view.other().isVisible()


def test_texts_beyond_the_basic_plane_are_exchanged_whole(window: MainWindow) -> None:
    edit = editor(window)
    for text in ("a 𝄞 b\nc", "a 𝄞 x b\nd", "", "𝄞𝄞", "𝄞"):
        edit.exchange_text(text)
        assert edit.toPlainText() == text
    edit.undo()
    assert edit.toPlainText() == "𝄞𝄞"


def test_a_script_that_is_not_valid_keeps_what_was_typed(window: MainWindow, scene_folder) -> None:
    broken = scene_folder.script.with_name("broken.py")
    broken.write_text("world = World(duration=1,\n")
    window.open_paths([broken, scene_folder.folder])
    window.actions_.run("view_script")
    window.flush()
    type_over(window, "duration=1", "duration=2")
    window.actions_.run("view_images")
    window.actions_.run("view_script")
    window.flush()
    assert "duration=2" in window.parts.script.source()

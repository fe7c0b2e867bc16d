"""The command palette of the real window: what can be done now, why the rest cannot, what belongs to what."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QListWidget

from fourdcb_studio.actions.rules import rules, why_not
from fourdcb_studio.actions.table import ACTIONS
from fourdcb_studio.main_window import MainWindow


def _reasons(window: MainWindow) -> dict[str, str]:
    """What the palette says of each command that it lists."""
    window.actions_.run("palette")
    return {key: window.palette_.reason(key) for key in window.palette_.shown_ids()}


def _enter(window: MainWindow, words: str) -> None:
    QTest.keyClicks(window.palette_.edit(), words)
    QTest.keyClick(window.palette_.edit(), Qt.Key.Key_Return)


def test_rules_name_actions_that_there_are() -> None:
    named = {key for rule in rules() for key in rule.ids}
    assert named <= {spec.id for spec in ACTIONS}


def test_an_empty_window_offers_what_opens_something(window: MainWindow) -> None:
    found = _reasons(window)
    assert found["open_scene"] == found["settings"] == ""
    assert found["play"] == found["export_view"] == found["mode_wipe"] == "nothing is open"
    assert found["search_cases"] == "no library is open"
    assert not {"keep_mine", "load_theirs", "show_disk_difference", "recover", "dismiss"} & set(found)
    _enter(window, "play or pause")
    assert window.palette_.isVisible()  # a grey line does nothing
    assert not window.session.clock.playing


def test_what_can_be_done_follows_the_state(window: MainWindow, scene_folder) -> None:
    window.open_paths([scene_folder.folder])
    found = _reasons(window)
    assert found["play"] == found["snapshot"] == found["solve"] == ""
    assert found["undo"] == "no edit to undo"
    assert found["save"] == "no unsaved edits"
    assert found["next_case"] == "no other case"
    assert found["undo_seek"] == "no jump yet"
    window.session.commit("ball.mass", 0.9)
    window.session.clock.seek(7)
    found = _reasons(window)
    assert found["undo"] == found["save"] == found["reset_all"] == found["undo_seek"] == ""
    assert found["redo"] == "no edit to redo"
    _enter(window, "undo edit")
    assert not window.palette_.isVisible()
    assert not window.session.unsaved
    assert why_not(window.bench, "redo") == ""


def test_arrows_pass_over_what_cannot_be_done_and_letters_find_the_possible_first(
    window: MainWindow, scene_folder
) -> None:
    window.open_paths([scene_folder.folder])
    found = _reasons(window)
    rows = window.palette_.findChildren(QListWidget)[0]
    for _ in range(2 * rows.count()):
        QTest.keyClick(window.palette_.edit(), Qt.Key.Key_Down)
        assert found[rows.currentItem().data(Qt.ItemDataRole.UserRole + 1)] == ""
    QTest.keyClicks(window.palette_.edit(), "s")
    lacking = [bool(found[key]) for key in window.palette_.shown_ids()]
    assert lacking == sorted(lacking)
    assert True in lacking


def test_answers_to_a_change_on_disk_say_what_they_answer_and_mean_nothing_without_it(
    window: MainWindow, scene_folder
) -> None:
    window.open_paths([scene_folder.folder])
    window.session.commit("ball.mass", 0.9)
    for answer in ("keep_mine", "load_theirs", "show_disk_difference"):  # such as from a menu
        window.actions_.run(answer)
        assert window.session.message is None
        assert window.session.unsaved
    script = scene_folder.script
    script.write_text(script.read_text().replace("friction=0.4", "friction=0.45"))
    window.disk.check()
    assert _reasons(window)["keep_mine"] == ""
    rows = window.palette_.findChildren(QListWidget)[0]
    listed = {rows.item(i).text() for i in range(rows.count())}
    assert {
        "Script changed on disk: keep mine",
        "Script changed on disk: load theirs",
        "Script changed on disk: show difference",
    } <= listed
    _enter(window, "changed load theirs")
    assert not window.session.unsaved
    assert "load_theirs" not in _reasons(window)


def test_the_bench_is_out_of_reach_while_the_library_covers_it(
    window: MainWindow, scene_folder, tmp_path
) -> None:
    window.open_paths([scene_folder.folder])
    window.open_library(tmp_path)
    window.flush()
    found = _reasons(window)
    assert found["play"] == found["undo"] == "not while the library is shown"
    assert found["show_library"] == found["reload"] == ""


def test_letters_that_match_nothing_are_answered(window: MainWindow) -> None:
    window.actions_.run("palette")
    palette = window.palette_
    palette.edit().setText("zzq")
    assert palette.shown_ids() == ()
    words = [label.text() for label in palette.findChildren(QLabel) if label.isVisible()]
    assert words == ["No command matches"]
    palette.edit().setText("save")
    assert palette.shown_ids()
    assert not [label for label in palette.findChildren(QLabel) if label.isVisible()]

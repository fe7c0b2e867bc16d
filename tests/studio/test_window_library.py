"""The library of cases in the real window, offscreen: opened, narrowed down, written on, gone through."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from fourdcb.library import CaseLibrary, add_case
from fourdcb_studio.library_benchmark import make_cases
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.presenters.library import LibraryPresenter
from fourdcb_studio.views.library.facets import FacetList
from fourdcb_studio.views.library.grid import CaseGrid
from fourdcb_studio.views.library.page import LibraryPage
from fourdcb_studio.workers.library_loader import LibraryLoader

PATIENCE_MS = 120_000
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made_up") / "library"
    make_cases(root, 60)
    broken = root / "run_0" / "case_broken"
    broken.mkdir()
    (broken / "report.json").write_text('{"format": "fourdcb.report", ')
    return root


@pytest.fixture
def library(made_up: Path, tmp_path: Path) -> Path:
    root = tmp_path / "library"
    shutil.copytree(made_up, root)
    return root


@pytest.fixture
def playable(scene_folder, made_up: Path, tmp_path: Path) -> Path:
    """Three cases of one scene whose scripts and video are there."""
    report = json.loads(next(made_up.rglob("report.json")).read_text())
    for frame in (3, 9, 15):
        finding = {
            "frame": frame, "time": frame / 30, "axis": "physics", "objects": ["ball"], "severity": "error",
            "message": f"frame {frame}: ball bounces too low", "kind": "bounce_height", "measured": 1.0,
            "expected": 2.0, "unit": "m", "likely_cause": None,
        }  # fmt: skip
        report |= {"findings": [finding]}
        report["inputs"]["code"]["sha256"] = "of another script"
        add_case(
            tmp_path / "playable", report=json.dumps(report, indent=1), script=scene_folder.script,
            video=scene_folder.video, reference=scene_folder.script.parent.parent / "world.py",
        )  # fmt: skip
    return tmp_path / "playable"


def opened(window: MainWindow, folder: Path, until: Until) -> LibraryPresenter:
    window.open_paths([folder])
    until(lambda: window.library.browser.loading is None)
    assert window.library.is_shown
    return window.library


def press(widget: QWidget, key: Qt.Key, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, key, modifiers)


def test_a_folder_of_cases_opens_with_tiles_facets_and_pictures(
    window: MainWindow, library: Path, until: Until
) -> None:
    page = opened(window, library, until).page
    assert page.grid.count() == 61
    assert page.words() == ""
    until(lambda: window.library.idle)
    first = page.grid.current_id()
    assert page.grid.picture(first) is not None
    counted = CaseLibrary.open(library).facets()
    shown = {(facet, value): count for facet, value, count, _ in page.facets.rows()}
    assert shown["verdict", "unreadable"] == 1
    for (facet, value), count in shown.items():
        assert counted[facet][value] == count
    assert page.grid.hasFocus()


def test_opening_is_spread_over_turns_of_the_event_loop(
    window: MainWindow, library: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def logged(kind: type, name: str) -> None:
        inner = getattr(kind, name)

        def run(self: object, *arguments: object) -> object:
            result = inner(self, *arguments)
            done.append(name)
            return result

        monkeypatch.setattr(kind, name, run)

    for kind, name in (
        (LibraryPage, "__init__"), (LibraryPage, "showEvent"), (LibraryLoader, "open"),
        (CaseGrid, "set_entries"), (FacetList, "set_counts"),
    ):  # fmt: skip
        logged(kind, name)
    turns = QTimer(window, interval=0)  # fires once a turn
    turns.timeout.connect(lambda: done.append("turn"))
    window.open_library(library)
    assert done == []  # the call itself only says what is to be read
    assert window.library.browser.loading == library
    turns.start()
    until(lambda: window.library.idle)
    turns.stop()
    last = {name: len(done) - 1 - done[::-1].index(name) for name in set(done)}
    steps = ["__init__", "showEvent", "open", "set_entries", "set_counts"]
    for step, following in pairwise(steps):
        assert "turn" in done[last[step] : last[following]], (step, following)


def test_a_second_folder_leaves_nothing_of_the_first(
    window: MainWindow, library: Path, tmp_path: Path, until: Until
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    window.open_library(library)
    window.library.flush()  # it is being read
    window.open_library(empty)
    until(lambda: window.library.browser.loading is None)
    assert window.library.browser.library is not None
    assert window.library.browser.library.root == empty
    assert window.library.page.grid.count() == 0


def test_what_is_opened_at_once_after_a_library_is_not_covered_by_it(
    window: MainWindow, library: Path, scene_folder, until: Until
) -> None:
    window.open_library(library)
    window.open_paths([scene_folder.folder])
    until(lambda: window.library.browser.loading is None)
    assert not window.library.is_shown
    assert window.session.sources.title == "drop"
    window.actions_.run("show_library")
    assert window.library.page.grid.count() == 61


def test_filters_words_and_orders_change_what_is_shown(
    window: MainWindow, library: Path, until: Until
) -> None:
    presenter = opened(window, library, until)
    page, browser = presenter.page, presenter.browser
    page.facets.toggled.emit("axis", "physics")
    assert 0 < page.grid.count() < 61
    assert all("physics" in entry.failed_axes for entry in browser.shown)
    page.bar.focus_search()
    QTest.keyClicks(page.bar.focusWidget(), "friction")
    narrow = page.grid.count()
    assert all("friction" in entry.haystack for entry in browser.shown)
    QTest.keyClicks(page.bar.focusWidget(), " xyzzy")
    assert page.grid.count() == 0
    assert "No case matches" in page.words()
    assert not [t for t in ("play", "step_forward") if window.actions_.action(t).isEnabled()]
    press(page.bar.focusWidget(), Qt.Key.Key_Escape)
    assert narrow <= page.grid.count()
    press(page.bar.focusWidget(), Qt.Key.Key_Escape)
    assert page.grid.hasFocus()
    press(page.grid, Qt.Key.Key_Escape)
    assert page.grid.count() == 61
    page.bar.sort_chosen.emit("title")
    assert [e.title for e in browser.shown] == sorted(e.title for e in browser.shown)


def test_the_keyboard_alone_chooses_tags_notes_and_saves_a_filter(
    window: MainWindow, library: Path, until: Until
) -> None:
    presenter = opened(window, library, until)
    page, browser = presenter.page, presenter.browser
    press(page.grid, Qt.Key.Key_Home)
    press(page.grid, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert len(browser.chosen) == 2
    chosen = browser.chosen
    press(page.grid, Qt.Key.Key_T)
    QTest.keyClicks(page.focusWidget(), "rim bug")
    press(page.focusWidget(), Qt.Key.Key_Return)
    assert [e.annotation.tags for e in browser.chosen_entries()] == [("rim bug",)] * 2
    assert browser.chosen == chosen
    press(page.focusWidget(), Qt.Key.Key_Escape)
    press(page.grid, Qt.Key.Key_End)
    press(page.grid, Qt.Key.Key_M)
    QTest.keyClicks(page.focusWidget(), "look again")
    press(page.focusWidget(), Qt.Key.Key_Escape)
    last = browser.shown[-1].id
    page.facets.toggled.emit("tag", "rim bug")
    page.bar.filter_saved.emit("rims")
    stored = CaseLibrary.open(library)
    assert stored.by_id[last].annotation.note == "look again"
    assert [e.id for e in stored.select(stored.notes.filters["rims"])] == list(chosen)
    page.details.tag_removed.emit("rim bug")
    page.grid.selectAll()
    page.details.tag_removed.emit("rim bug")
    assert CaseLibrary.open(library).tags == ()


def test_facets_are_reached_and_switched_by_keys(window: MainWindow, library: Path, until: Until) -> None:
    presenter = opened(window, library, until)
    facets = presenter.page.facets
    facets.setFocus()
    press(facets, Qt.Key.Key_Home)
    press(facets, Qt.Key.Key_Space)
    presenter.flush()
    first = facets.rows()[0]
    assert presenter.browser.wanted.chosen == {first[0]: {first[1]}}
    assert first[3]
    press(facets, Qt.Key.Key_Space)
    assert not presenter.browser.wanted


def test_cases_open_at_their_frame_and_view_mode_and_place_stay(
    window: MainWindow, playable: Path, until: Until
) -> None:
    presenter = opened(window, playable, until)
    grid = presenter.page.grid
    until(lambda: presenter.idle)
    window.session.comparison.update(mode="difference")
    press(grid, Qt.Key.Key_Home)
    press(grid, Qt.Key.Key_Return)
    assert not presenter.is_shown
    assert window.session.sources.title.startswith("drop · wrong_restitution")
    until(lambda: window.session.videos.info("video") is not None)
    assert window.session.clock.frame == presenter.browser.shown[0].frame
    window.parts.images.zoom_by(2.0)
    view = window.parts.images.view()
    window.actions_.run("next_in_library")
    assert presenter.browser.position == (2, 3)
    until(lambda: window.session.videos.info("video") is not None)
    assert window.session.clock.frame == presenter.browser.shown[1].frame
    assert window.session.comparison.state.mode == "difference"
    assert window.parts.images.view() == view
    assert window.session.parameters is not None
    window.actions_.run("show_library")
    assert presenter.is_shown
    assert grid.chosen_ids() == (presenter.browser.shown[1].id,)
    press(grid, Qt.Key.Key_Escape)  # the message first: its script is another than the one that was judged
    assert window.session.message is None
    press(grid, Qt.Key.Key_Escape)
    assert not presenter.is_shown
    assert window.actions_.action("play").isEnabled()
    window.actions_.run("previous_in_library")
    window.actions_.run("previous_in_library")
    assert presenter.browser.position == (1, 3)
    assert window.session.message is not None
    assert "first case" in window.session.message.text


def test_a_case_stands_at_its_failing_frame_however_it_is_opened(
    window: MainWindow, playable: Path, scene_folder, until: Until
) -> None:
    presenter = opened(window, playable, until)
    frames = {entry.id: entry.frame for entry in presenter.browser.shown}
    assert sorted(frames.values()) == [3, 9, 15]  # type: ignore[type-var]
    for case, frame in frames.items():
        window.open_paths([scene_folder.folder])
        window.session.clock.seek(1)
        window.open_paths([playable / case])
        until(lambda: window.session.videos.info("video") is not None)
        assert window.session.clock.frame == frame
        assert f"--frame {frame}" in window.presenter.view.command_line()
    window.open_paths([scene_folder.folder])
    assert window.session.clock.frame == frame  # no case: the clock stays where it is


def test_a_case_whose_report_cannot_be_read_begins_at_its_beginning(
    window: MainWindow, playable: Path
) -> None:
    case = next(path.parent for path in playable.rglob("report.json"))
    (case / "report.json").write_text('{"format": "fourdcb.report", ')
    window.session.clock.seek(5)
    window.open_paths([case])
    assert window.session.sources.script is not None
    assert window.session.clock.frame == 0


def test_the_list_beside_the_images_holds_the_neighbours(
    window: MainWindow, playable: Path, until: Until
) -> None:
    presenter = opened(window, playable, until)
    presenter.open_case(presenter.browser.shown[0].id)
    window.parts.cases.activated.emit(presenter.browser.shown[2].id)
    assert presenter.browser.position == (3, 3)
    window.open_paths([playable.parent / "drop"])
    assert presenter.browser.opened is None
    assert window.session.sources.title == "drop"


def test_a_changed_script_and_missing_files_are_said(
    window: MainWindow, playable: Path, library: Path, until: Until
) -> None:
    presenter = opened(window, playable, until)
    presenter.open_case(presenter.browser.shown[0].id)
    assert window.session.message is not None
    assert "another than the one that was judged" in window.session.message.text
    presenter = opened(window, library, until)
    broken = next(e.id for e in presenter.browser.shown if e.verdict == "unreadable")
    presenter.open_case(broken)
    assert presenter.is_shown
    assert "is there" in window.session.message.text


def test_states_without_cases_say_what_to_do(window: MainWindow, tmp_path: Path, until: Until) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    window.open_library(empty)
    assert "Reading" in window.library.page.words()
    until(lambda: window.library.browser.loading is None)
    assert "No reports in this folder" in window.library.page.words()
    assert "--save-case" in window.library.page.words()
    window.open_library(tmp_path / "gone")
    until(lambda: window.library.browser.loading is None)
    assert "cannot be opened" in window.library.page.words()


def test_a_dropped_folder_opens_and_reading_can_be_left(
    window: MainWindow, library: Path, until: Until
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(library))])
    copy, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(400, 300), copy, data, buttons, keys))
    QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), copy, data, buttons, keys))
    assert window.library.browser.loading == library
    window.open_library(library / "run_0")
    until(lambda: window.library.browser.loading is None)
    assert window.library.page.grid.count() == 16
    assert library / "run_0" in {paths[0] for paths in window.recent.entries()}


def test_notes_that_cannot_be_saved_are_told(window: MainWindow, library: Path, until: Until) -> None:
    presenter = opened(window, library, until)
    (library / "library.json").write_text("{")
    presenter.page.details.tag_added.emit("x")
    assert window.session.message is not None
    assert "cannot be read" in window.session.message.text
    assert (library / "library.json").read_text() == "{"


def test_grid_paints_alike_twice_and_differs_by_theme(
    window: MainWindow, application: QApplication, library: Path, until: Until
) -> None:
    grid = opened(window, library, until).page.grid
    until(lambda: window.library.idle)

    def shot() -> np.ndarray:
        image = grid.grab().toImage()
        return np.frombuffer(image.constBits(), np.uint8).copy()

    first = shot()
    assert np.array_equal(first, shot())
    window.actions_.run("theme")
    assert not np.array_equal(first, shot())
    window.actions_.run("theme")
    application.processEvents()
    assert np.array_equal(first, shot())


def test_keys_of_the_bench_reach_the_grid_instead(window: MainWindow, library: Path, until: Until) -> None:
    grid = opened(window, library, until).page.grid
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_Escape):
        event = QKeyEvent(QKeyEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
        event.ignore()
        QApplication.sendEvent(grid, event)
        assert event.isAccepted()

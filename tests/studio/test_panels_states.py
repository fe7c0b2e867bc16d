"""States of the real window: two videos, broken scripts, cases without a verdict, welcome, exports, facts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from fourdcb.errors import UserError
from fourdcb.identity import file_sha256
from fourdcb_studio.actions.handlers import FileHandlers
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.session.recent import RecentFiles
from fourdcb_studio.session.sources import find_sources, named_script
from fourdcb_studio.views.compare.outline import outline_path
from fourdcb_studio.views.time.data import ErrorTracks, TimelineData
from fourdcb_studio.workspace import Workspace

PATIENCE_MS = 120_000
Until = Callable[[Callable[[], bool]], None]


def test_two_videos_go_by_their_names_and_are_compared_by_their_pictures(
    window: MainWindow, scene_folder, until: Until, tmp_path: Path
) -> None:
    from fourdcb.video import write_video

    other = tmp_path / "model.mp4"
    write_video(other, iter(np.full((20, 64, 64, 3), 200, np.uint8)), fps=30)
    window.open_paths([scene_folder.video, other])
    until(lambda: window.session.settled and window.session.report is not None)
    window.flush()
    images = window.presenter.view.images()
    assert (images.original.label, images.replay.label) == ("video.mp4", "model.mp4")
    assert window.session.sources.title == "video.mp4 ↔ model.mp4"
    kinds = {f.kind for f in window.session.findings}
    assert {"length_mismatch", "image_difference"} <= kinds
    curve = window.parts.time.data().curve
    assert curve is not None
    assert (curve.label, curve.unit) == ("PSNR", "dB")
    assert np.isnan(curve.candidate[-1]), "the last frames have no partner"
    assert window.presenter.view.status().freshness == "fresh"


def test_a_video_of_another_rate_is_decoded_where_it_is_looked_at(
    window: MainWindow, scene_folder, until: Until, tmp_path: Path
) -> None:
    from fourdcb.video import write_video

    fast = tmp_path / "fast.mp4"
    write_video(fast, iter(np.full((96, 64, 64, 3), 90, np.uint8)), fps=120)
    window.open_paths([scene_folder.video, fast])
    until(lambda: len(window.session.videos.ready("second")) == window.session.clock.n_frames)
    decoded = window.session.store.frames(window.session.videos.key("second"))
    assert decoded == frozenset(range(0, 96, 4))


def test_videos_of_one_name_are_told_apart_by_their_folders(scene_folder, tmp_path: Path) -> None:
    other = tmp_path / "model" / "video.mp4"
    other.parent.mkdir()
    other.write_bytes(scene_folder.video.read_bytes())
    assert find_sources([scene_folder.video, other]).names == ("drop/video.mp4", "model/video.mp4")


def test_a_broken_script_is_shown_where_it_is_wrong_and_mended_in_place(
    window: MainWindow, scene_folder, until: Until
) -> None:
    good = scene_folder.script.read_text()
    scene_folder.script.write_text(good.replace("mass=0.5", "mass=-1"))
    window.open_paths([scene_folder.folder])
    assert window.session.message is not None
    assert window.session.message.text.startswith("wrong_restitution.py:"), "no long path in the sentence"
    assert window.session.message.action == "view_script"
    window.actions_.run("view_script")
    assert window.session.message is None, "what it asked for was done"
    assert "mass=-1" in window.parts.script.source()
    window.middle.script.apply(good)
    assert window.session.broken is None
    assert window.session.unsaved
    until(lambda: window.session.motion("candidate") is not None)


def test_cases_are_judged_when_nothing_else_is_to_do(window: MainWindow, scene_folder, until: Until) -> None:
    candidates = scene_folder.folder / "candidates"
    (candidates / "as_it_was.py").write_text((scene_folder.folder / "world.py").read_text())
    (candidates / "broken.py").write_text("world = 1 +\n")
    window.open_paths([scene_folder.folder, scene_folder.script])
    cases = window.session.scheduler.cases
    until(lambda: cases.next_path() is None)
    broken, same = cases.get(candidates / "broken.py"), cases.get(candidates / "as_it_was.py")
    assert broken is not None
    assert broken.verdict is None
    assert broken.image is None
    assert same is not None
    assert same.verdict is not None
    assert same.image is not None
    assert same.image.shape == (64, 64, 3)


def test_an_exported_report_names_its_inputs_and_holds_pictures(
    window: MainWindow, scene_folder, until: Until, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    window.session.set_values({"ball.restitution": 0.4}, label="test")
    until(lambda: window.session.settled and window.session.report_is_fresh)
    FileHandlers(window.bench).write_report(tmp_path / "out.html")
    until(lambda: window.session.scheduler.exports.waiting is None)
    inputs = json.loads((tmp_path / "out.json").read_text())["inputs"]
    assert inputs["code"] == {"path": str(scene_folder.script), "sha256": file_sha256(scene_folder.script)}
    assert inputs["video"]["sha256"] == file_sha256(scene_folder.video)
    assert inputs["edits"] == {"ball.restitution": 0.4}
    assert "data:image/png" in (tmp_path / "out.html").read_text()


def test_going_back_to_a_judged_world_brings_its_verdict_and_motion_back_at_once(
    window: MainWindow, scene_folder, until: Until
) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled and window.session.report_is_fresh)
    first = window.session.report
    window.session.set_values({"ball.restitution": 0.8}, label="test")
    until(lambda: window.session.settled and window.session.report_is_fresh)
    assert window.session.report is not first
    window.session.undo()
    assert window.session.report is first
    assert window.session.report_is_fresh
    window.flush()
    errors = window.parts.time.data().errors["ball"].xyz
    assert np.abs(errors).max() > 10, "the strips are of the world that is shown"


def test_a_pixel_tells_its_depth_and_object_and_outlines_follow_the_bodies(
    window: MainWindow, scene_folder, until: Until
) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    window.parts.images.hovered.emit(32, 32)
    until(lambda: window.session.probe("candidate") is not None)
    probed = window.session.probe("candidate")
    assert probed is not None
    probe = probed.answer
    y, x = np.argwhere(probe.instance == 0)[0].tolist()
    window.parts.images.hovered.emit(x, y)
    assert "object ball" in window.parts.pixels.text()
    assert f"depth {probe.depth[y, x]:.3f} m" in window.parts.pixels.text()
    window.actions_.run("outlines")
    until(lambda: window.session.probe("reference") is not None)


def test_outlines_run_along_the_borders_of_bodies() -> None:
    instances = np.full((6, 8), -1, np.int16)
    instances[1:4, 2:7] = 0
    box = outline_path(instances).boundingRect()
    assert (box.left(), box.top(), box.right(), box.bottom()) == (2, 1, 7, 4)
    assert outline_path(np.zeros((4, 4), np.int16)).isEmpty()


def test_noise_stays_dark() -> None:
    noise = ErrorTracks(np.full((4, 3), 1e-6), np.full(4, 1e-4), np.full(4, 1e-9))
    limits = TimelineData(n_frames=4, errors={"cup": noise}, selected="cup").limits()
    assert (limits.position, limits.rotation, limits.energy) == (5.0, 1.0, 0.01)


def test_the_command_of_a_view_is_short_and_opens_it_again(
    window: MainWindow, scene_folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(scene_folder.folder.parent)
    window.open_paths([Path("slide_cup")])
    words = window.presenter.view.command_line().split()
    assert words[:3] == ["fourdcb", "studio", "slide_cup"]
    window.session.open_candidate(named_script("wrong_friction", [Path("slide_cup")]))
    assert "slide_cup --code wrong_friction.py" in window.presenter.view.command_line()
    window.open_paths([scene_folder.folder])
    assert window.presenter.view.command_line().split()[2] == "drop"


def test_a_name_that_is_nothing_says_what_there_is() -> None:
    with pytest.raises(UserError, match=r"bundled scenes: .*slide_cup"):
        find_sources([Path("slide_cap")])
    with pytest.raises(UserError, match="wrong_friction"):
        named_script("nonsense", [Path("slide_cup")])


def test_the_welcome_page_opens_bundled_scenes_and_what_was_open_lately(
    window: MainWindow, scene_folder, qtbot: QtBot
) -> None:
    window.open_paths([Path("/no/such/thing")])
    assert window.parts.middle.currentWidget() is window.parts.welcome
    assert window.session.message is not None
    window.open_paths([scene_folder.folder])
    assert window.parts.middle.currentWidget() is window.parts.images
    window.actions_.run("welcome")
    rows = {b.accessibleName(): b for b in window.parts.welcome.findChildren(QPushButton)}
    assert {"Open slide_cup", "Open drop"} <= set(rows)
    qtbot.mouseClick(rows["Open slide_cup"], Qt.MouseButton.LeftButton)
    assert window.session.sources.title == "slide_cup"


def test_what_was_opened_is_kept_newest_first_and_only_while_it_exists(tmp_path: Path) -> None:
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    for path in (first, second):
        path.write_text("")
    recent = RecentFiles(tmp_path / "recent.json")
    for path in (first, second, first):
        recent.add([path])
    assert recent.entries() == ((first,), (second,))
    first.unlink()
    assert RecentFiles(tmp_path / "recent.json").entries() == ((second,),)
    (tmp_path / "recent.json").write_text("{broken")
    assert recent.entries() == ()


def test_news_moves_nothing_and_a_drawer_leaves_the_modes_in_reach(
    application: QApplication, qtbot: QtBot
) -> None:
    space = Workspace()
    qtbot.addWidget(space)
    space.resize(1280, 720)
    space.show()
    before = space.images.geometry(), space.time.geometry()
    space.messages.show_message("The script changed on disk.", severity="warning")
    space.left.toggle()
    QApplication.processEvents()
    assert (space.images.geometry(), space.time.geometry()) == before
    assert space.messages.isVisible()
    assert space.left.is_over()
    top = space.findings.mapTo(space, space.findings.rect().topLeft()).y()
    modes = space.view_bar.mapTo(space, space.view_bar.rect().bottomLeft()).y()
    assert top > modes
    space.resize(1600, 1000)
    QApplication.processEvents()
    assert not space.left.is_over()
    assert not space.left.is_folded()


def test_the_keyboard_reaches_the_sliders_after_the_chips_of_their_things(
    window: MainWindow, scene_folder
) -> None:
    window.open_paths([scene_folder.folder])
    window.flush()
    panel = window.parts.parameters
    row = panel.row(panel.visible_paths()[0])
    assert row.edit().nextInFocusChain() is not None
    before, following = row.edit(), []
    for _ in range(12):
        before = before.nextInFocusChain()
        following.append(before)
    assert row.slider() in following
    assert panel.row(panel.visible_paths()[1]).edit() in following
    backwards, seen = row.edit(), []
    for _ in range(12):
        backwards = backwards.previousInFocusChain()
        seen.append(backwards)
    assert any(isinstance(w, QPushButton) and w.property("owner") for w in seen)

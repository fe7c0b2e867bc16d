"""Files under the real window: dropped, changed by others, read-only, of every name; the doctor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QPushButton

from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.session import script_document
from fourdcb_studio.session.sources import bundled_scene

PATIENCE_MS = 180_000


def _drop(window: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(p)) for p in paths])
    copy, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(400, 300), copy, data, buttons, keys))
    QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), copy, data, buttons, keys))


def _says(window: MainWindow, words: str) -> bool:
    return window.session.message is not None and words in window.session.message.text


def test_folders_scripts_videos_and_reports_are_dropped(
    window: MainWindow, scene_folder, until, tmp_path: Path
) -> None:
    _drop(window, scene_folder.folder)
    assert window.session.sources.title == "drop"
    _drop(window, scene_folder.script)
    assert window.session.sources.script == scene_folder.script.resolve()
    _drop(window, scene_folder.video, scene_folder.video)
    assert window.session.sources.pair is not None
    report = tmp_path / "out" / "report.json"
    report.parent.mkdir()
    inputs = {"code": {"path": str(scene_folder.script)}, "video": {"path": str(scene_folder.video)}}
    report.write_text(json.dumps({"format": "fourdcb.report", "inputs": inputs}))
    _drop(window, report)
    assert window.session.sources.pair is None
    assert window.session.sources.script == scene_folder.script.resolve()
    assert window.session.sources.video == scene_folder.video.resolve()
    recent = [paths for paths in window.recent.entries()]
    assert recent[0] == (report.resolve(),)
    assert (scene_folder.folder.resolve(),) in recent


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot read the report"),
        ('{"a": 1}', "is no report"),
        ('{"format": "fourdcb.report", "inputs": {"code": {"path": "gone.py"}}}', "are not there"),
    ],
)
def test_a_report_that_opens_nothing_is_a_message(
    window: MainWindow, tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    _drop(window, path)
    assert _says(window, words)


def test_names_with_spaces_and_chinese_letters_work(
    window: MainWindow, scene_folder, until, tmp_path: Path
) -> None:
    folder = tmp_path / "我的 场景 (1)"
    scene_folder.folder.rename(folder)
    _drop(window, folder)
    until(lambda: window.session.settled)
    assert window.session.report is not None
    window.session.commit("ball.mass", 0.7)
    window.actions_.run("save")
    assert "mass=0.7" in (folder / "candidates" / "wrong_restitution.py").read_text()
    assert "我的 场景 (1)" in window.presenter.view.command_line()
    window.actions_.run("welcome")
    assert window.parts.welcome.isVisible()


def test_a_change_by_another_program_asks_once_and_each_answer_works(
    window: MainWindow, scene_folder, until
) -> None:
    window.open_paths([scene_folder.folder])
    script = scene_folder.script
    window.session.commit("ball.mass", 0.9)
    script.write_text(script.read_text().replace("friction=0.4", "friction=0.45"))
    window.disk.check()
    assert _says(window, "changed on disk")
    shown = [b.text() for b in window.parts.messages.findChildren(QPushButton) if not b.isHidden()]
    assert {"Keep mine", "Load theirs", "Show difference"} <= set(shown)
    window.actions_.run("show_disk_difference")
    assert window.session.message is not None
    assert "friction=0.45" in window.session.message.details
    assert "mass=0.9" in window.session.message.details
    window.session.tell(None)
    window.disk.check()
    assert window.session.message is None  # the same change is not asked about again
    window.actions_.run("keep_mine")
    window.actions_.run("save")
    text = script.read_text()
    assert "mass=0.9" in text
    assert "friction=0.4," in text
    window.session.commit("ball.mass", 0.8)
    script.write_text(text.replace("friction=0.4,", "friction=0.6,"))
    window.disk.check()
    assert _says(window, "changed on disk")
    window.actions_.run("load_theirs")
    assert not window.session.unsaved
    assert window.session.parameters is not None
    ball = window.session.parameters.world.object("ball")
    assert ball.mass == 0.9
    assert window.session.parameters.file_values["ball.friction"] == 0.6


def test_bundled_examples_stay_as_they_are_and_are_saved_elsewhere(
    window: MainWindow, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = bundled_scene("bounce_ball") / "candidates" / "wrong_restitution.py"
    before = script.read_bytes()
    window.open_paths([script])
    window.session.commit("ball.restitution", 0.8)
    window.actions_.run("save")
    assert _says(window, "the bundled examples stay as they are")
    assert window.session.message is not None
    assert window.session.message.action == "save_as"
    assert script.read_bytes() == before
    assert window.session.document is not None
    target = window.session.document.proposed_path
    assert target == tmp_path / "wrong_restitution.py"
    window.files.save_to(target)
    assert window.session.sources.script == target.resolve()
    assert script.read_bytes() == before
    assert window.session.sources.video == script.parent.parent / "video.mp4"


def test_a_folder_that_cannot_be_written_offers_to_save_elsewhere(
    window: MainWindow, scene_folder, monkeypatch, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    window.session.commit("ball.mass", 0.9)
    real = script_document.write_atomic

    def refuse(path: Path, text: str) -> None:
        if Path(path).is_relative_to(scene_folder.folder):
            raise PermissionError(13, "Permission denied")
        real(path, text)

    monkeypatch.setattr(script_document, "write_atomic", refuse)
    window.actions_.run("save")
    assert _says(window, "cannot write the script")
    assert window.session.message is not None
    assert window.session.message.action == "save_as"
    target = tmp_path / "mine.py"
    window.files.save_to(target)
    assert "mass=0.9" in target.read_text()
    assert window.session.sources.script == target.resolve()
    assert not window.session.unsaved
    assert "mass=0.5" in scene_folder.script.read_text()
    assert target.resolve() in window.session.sources.cases


def test_the_doctor_tells_what_is_there(window: MainWindow, until) -> None:
    window.actions_.run("doctor")
    card = window.doctoring.card
    assert card is not None
    assert card.isVisible()
    until(lambda: card.text() != "")
    assert "Python" in card.text() or "python" in card.text()
    assert "numpy" in card.text()


@pytest.fixture
def loose(scene_folder, tmp_path: Path) -> tuple[Path, Path]:
    """A script and the video that it describes, in folders that hold nothing else."""
    script, video = tmp_path / "model" / "answer.py", tmp_path / "clips" / "seen.mp4"
    for path, source in ((script, scene_folder.script), (video, scene_folder.video)):
        path.parent.mkdir()
        path.write_bytes(source.read_bytes())
    return script, video


@pytest.mark.parametrize("first", ["script", "video"])
def test_script_and_video_join_whichever_comes_first_and_are_judged(
    window: MainWindow, loose: tuple[Path, Path], until, first: str
) -> None:
    script, video = loose
    order = (script, video) if first == "script" else (video, script)
    _drop(window, order[0])
    if first == "script":
        window.session.commit("ball.mass", 0.8)
        window.flush()
        assert "joins the script" in window.parts.findings.empty_words()[1]
    _drop(window, order[1])
    assert _says(window, "Added the")
    assert (window.session.sources.script, window.session.sources.video) == loose
    until(lambda: window.session.settled and window.session.report is not None)
    assert window.presenter.view.images().original.kind == "decoded"
    if first == "script":  # edits and their undo outlive the joining
        assert window.session.parameters is not None
        assert window.session.parameters.values == {"ball.mass": 0.8}
        assert window.session.parameters.undo_label is not None


def test_a_file_of_a_kind_that_is_there_replaces_it_and_says_so(
    window: MainWindow, loose: tuple[Path, Path], tmp_path: Path, until
) -> None:
    script, video = loose
    _drop(window, script, video)
    other_script, other_video = tmp_path / "other.py", tmp_path / "other.mp4"
    other_script.write_bytes(script.read_bytes())
    other_video.write_bytes(video.read_bytes())
    window.session.commit("ball.mass", 0.8)
    _drop(window, other_script)
    assert _says(window, "other.py stands in the place of answer.py")
    assert window.session.sources.video == video
    assert script in window.session.unsaved_scripts, "its edits wait"
    _drop(window, other_video)
    assert _says(window, "other.mp4 stands in the place of seen.mp4")
    assert window.session.sources.script == other_script
    assert window.session.sources.video == other_video


def test_a_script_that_brings_a_whole_scene_to_a_whole_scene_opens_that(
    window: MainWindow, scene_folder, loose: tuple[Path, Path]
) -> None:
    _drop(window, *loose)
    _drop(window, scene_folder.script)
    assert window.session.sources.title == "drop"
    assert window.session.sources.video == scene_folder.video.resolve()

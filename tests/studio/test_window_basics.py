"""The real window offscreen: states, wiring, robot, lifetime."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fourdcb_studio.actions.table import ACTIONS, command_list
from fourdcb_studio.main_window import MainWindow

PATIENCE_MS = 120_000  # a cold machine compiles kernels first


def test_ids_and_keys_are_unique() -> None:
    ids = [spec.id for spec in ACTIONS]
    keys = [key for spec in ACTIONS for key in spec.keys]
    assert len(set(ids)) == len(ids)
    assert len(set(keys)) == len(keys)
    assert {row[0] for row in command_list()} == set(ids)


def test_the_gui_process_imports_nothing_heavy() -> None:
    code = (
        "import os, sys; os.environ['QT_QPA_PLATFORM'] = 'offscreen'\n"
        "from fourdcb_studio.application import make_application; make_application('dark')\n"
        "from fourdcb_studio.main_window import MainWindow\n"
        "print(sorted({'numba', 'scipy', 'cv2', 'pybullet', 'trimesh', 'torch'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_scene_becomes_fresh_with_pictures_verdict_and_findings(
    window: MainWindow, scene_folder, until
) -> None:
    window.open_paths([scene_folder.folder])
    window.session.clock.seek(11)
    until(lambda: window.session.settled)
    window.flush()
    shown = window.presenter.view.images()
    assert shown.original.fresh
    assert shown.replay.fresh
    assert shown.replay.note == "full · fresh"
    assert window.session.report_is_fresh
    assert window.session.report is not None
    assert window.session.report.verdict == "DEPLOYMENT_NOT_RECOMMENDED"
    assert window.presenter.view.status().freshness == "fresh"
    assert window.session.motion("candidate") is not None
    assert window.session.errors_of("ball") is not None
    assert "--frame 11" in window.presenter.view.command_line()


def test_editing_previews_then_settles_at_the_judging_rate_and_undo_is_instant(
    window: MainWindow, scene_folder, until
) -> None:
    window.open_paths([scene_folder.folder])
    window.session.clock.seek(18)
    until(lambda: window.session.settled)
    before = window.presenter.view.images().replay.image
    for value in (0.4, 0.5, 0.6):
        window.session.change("ball.restitution", value)
    until(lambda: window.presenter.view.images().replay.fresh)
    assert window.presenter.view.status().freshness == "preview"
    window.session.commit("ball.restitution", 0.8)
    until(lambda: window.session.settled)
    after = window.presenter.view.images().replay
    assert after.note == "full · fresh"
    assert before is not None
    assert after.image is not None
    assert not np.array_equal(before, after.image)
    assert window.session.unsaved
    window.session.undo()
    assert window.session.settled
    assert window.presenter.view.images().replay.image is before


def test_saving_keeps_comments_and_journal_recovers_after_a_crash(
    window: MainWindow, scene_folder, until, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    window.session.commit("ball.friction", 0.55)
    journals = list((tmp_path / "state" / "journal").glob("*.jsonl"))
    assert len(journals) == 1
    dead = journals[0].with_name(journals[0].name.replace(f".{os.getpid()}.", ".999999999."))
    journals[0].rename(dead)  # as if this process had died
    window.open_paths([scene_folder.folder])
    assert window.session.recoverable == {"ball.friction": 0.55}
    window.actions_.run("recover")
    assert window.session.parameters is not None
    assert window.session.parameters.values == {"ball.friction": 0.55}
    window.actions_.run("save")
    text = scene_folder.script.read_text()
    assert "friction=0.55" in text
    assert "# bouncy" in text
    assert not window.session.unsaved
    assert not list((tmp_path / "state" / "journal").glob("*.jsonl"))


def test_a_broken_script_is_a_message_and_the_video_still_plays(
    window: MainWindow, scene_folder, until
) -> None:
    scene_folder.script.write_text("world = 1 +\n")
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.videos.settled)
    assert window.session.message is not None
    assert window.session.message.severity == "error"
    assert window.presenter.view.images().original.fresh
    assert window.presenter.view.status().freshness == "error"
    assert window.presenter.view.images().replay.note == "the script has 1 error; see Script"
    window.session.clock.step(1)
    until(lambda: window.presenter.view.images().original.frame == 1)


def test_one_video_and_two_videos_open_without_a_script(window: MainWindow, scene_folder, until) -> None:
    window.open_paths([scene_folder.video, scene_folder.video])
    until(lambda: window.session.settled)
    images = window.presenter.view.images()
    assert images.original.image is not None
    assert images.replay.image is not None
    assert window.session.clock.n_frames == 24


def test_what_cannot_be_opened_is_a_message(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hello")
    window.open_paths([tmp_path / "text.txt"])
    assert window.session.message is not None
    assert "neither a script nor a video" in window.session.message.text
    window.open_paths([tmp_path / "nowhere"])
    assert window.session.message is not None


def test_a_script_that_changes_on_disk_is_read_again(window: MainWindow, scene_folder, until) -> None:
    window.open_paths([scene_folder.folder])
    scene_folder.script.write_text(scene_folder.script.read_text().replace("mass=0.5", "mass=0.7"))
    until(lambda: window.session.parameters.base.object("ball").mass == 0.7)  # type: ignore[union-attr]
    window.session.commit("ball.mass", 0.9)
    scene_folder.script.write_text(scene_folder.script.read_text().replace("mass=0.7", "mass=0.8"))
    until(lambda: window.session.message is not None)
    assert window.session.message is not None
    assert window.session.message.action == "keep_mine"
    assert window.session.parameters is not None
    assert window.session.parameters.world.object("ball").mass == 0.9


def test_a_killed_process_is_replaced_and_the_work_done(window: MainWindow, scene_folder, until) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.presenter.view.images().replay.image is not None)
    pid = window.process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: window.session.message is not None)
    assert window.session.message is not None
    assert window.session.message.text == "The simulation process ended; it is started again."
    assert window.session.message.details == "ended by signal 9"
    until(lambda: window.process.pid not in (None, pid) and window.session.scheduler.ready)
    # What is over is told as such, on the screen too, and goes by itself.
    assert window.parts.messages.text() == "The simulation process ended and was started again."
    assert window.session.message.severity == "info"
    window.session.commit("ball.restitution", 0.77)
    until(lambda: window.session.settled)
    assert window.presenter.view.images().replay.fresh


def test_closing_in_the_middle_of_work_is_quick(application, qtbot, scene_folder) -> None:
    window = MainWindow()
    window.open_paths([scene_folder.folder])
    window.show()
    qtbot.waitUntil(lambda: window.session.scheduler.working, timeout=PATIENCE_MS)
    window.close()
    assert window.process.pid is None
    window.deleteLater()


def test_the_command_line_makes_a_picture_and_exits_with_zero(scene_folder, tmp_path: Path) -> None:
    picture = tmp_path / "studio.png"
    done = _studio(
        str(scene_folder.folder), "--frame", "9", "--compare", "difference", "--set", "ball.restitution=0.5",
        "--size", "1280x720", "--screenshot", str(picture), env={"QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.py"], "no such file"),
        (["--set", "ball.restitution"], "--set name.field=number"),
        (["--set", "cup.bounce=1"], "no such parameter"),
    ],
)
def test_bad_input_ends_with_two_and_says_why(scene_folder, arguments: list[str], words: str) -> None:
    opened = [] if arguments[0] == "nowhere.py" else [str(scene_folder.folder)]
    done = _studio(*opened, *arguments, "--screenshot", "x.png", env={"QT_QPA_PLATFORM": "offscreen"})
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are named on Linux only")
def test_without_a_display_it_says_so(scene_folder) -> None:
    done = _studio(
        str(scene_folder.folder), env={"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    )
    assert done.returncode == 2
    assert "no display" in done.stderr
    assert "offscreen" in done.stderr


def _studio(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "fourdcb_studio", *arguments],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert time.monotonic() - begun < 300
    return done

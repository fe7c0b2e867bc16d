"""Pictures and clips that the real window writes: they are what is on screen."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage

from fourdcb.video import VideoReader
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.session.comparison import MODES

PATIENCE_MS = 180_000
WINDOW_SIZE = (1280, 800)


def _pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)


def _said(window: MainWindow, words: str) -> bool:
    message = window.session.message
    return message is not None and words in message.text


def test_a_clip_shows_what_the_screen_shows_over_the_loop_range(
    window: MainWindow, scene_folder, until, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    window.session.comparison.update(mode="wipe", wipe=0.3)
    clock = window.session.clock
    clock.seek(4)
    clock.mark_in()
    clock.seek(11)
    clock.mark_out()
    target = tmp_path / "片 段.mp4"
    window.exports.write_clip(target)
    assert not window.parts.status.job_chip("export").isHidden()
    until(lambda: _said(window, "Wrote"))
    assert window.parts.status.job_chip("export").isHidden()
    with VideoReader(target) as reader:
        assert reader.info.n_frames == 8
        assert reader.info.pix_fmt == "yuv420p"
        assert reader.info.width % 2 == reader.info.height % 2 == 0
        frame = reader.frame(7).astype(int)
    until(lambda: window.session.settled)
    window.flush()
    seen = _pixels(window.exports.view())  # the clock stands on frame 11, the clip's last
    assert seen.shape == frame.shape
    assert np.abs(seen - frame).mean() < 3  # compression


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_is_pictured_without_margins(window: MainWindow, scene_folder, until, mode) -> None:
    window.open_paths([scene_folder.folder])
    window.session.comparison.update(mode=mode)
    until(lambda: window.session.settled)
    window.flush()
    picture = window.exports.view()
    assert picture.width() % 2 == picture.height() % 2 == 0
    box = window.parts.images.cell_rects()
    assert abs(picture.height() - box[0].height()) <= 1
    cells = len(box)
    assert picture.width() == pytest.approx(cells * box[0].width() + 12 * (cells - 1), abs=2)


def test_an_export_waits_for_the_edit_that_is_still_on_its_way(
    window: MainWindow, scene_folder, until, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    window.session.commit("ball.restitution", 0.8)
    target = tmp_path / "view.png"
    window.exports.save(window.exports.view, target)
    assert not target.exists()
    assert "waiting" in window.parts.status.job_chip("export").text()
    until(target.exists)
    assert window.session.settled
    window.flush()
    # The message that says where it was written is no part of the picture.
    assert np.array_equal(_pixels(QImage(str(target))), _pixels(window.exports.view()))


def test_frame_view_and_window_go_to_the_clipboard(window: MainWindow, scene_folder, until) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    window.flush()
    clipboard = QGuiApplication.clipboard()
    window.actions_.run("copy_frame")
    assert (clipboard.image().width(), clipboard.image().height()) == (128, 64)  # both, pixel for pixel
    replay = window.presenter.view.images().replay.image
    assert replay is not None
    assert np.array_equal(_pixels(clipboard.image())[:, 64:], replay.astype(int))
    window.actions_.run("copy_image")
    assert clipboard.image().width() == window.exports.view().width()
    window.actions_.run("copy_window")
    assert clipboard.image().size() == window.grab().size()


def test_a_cancelled_clip_leaves_no_file(window: MainWindow, scene_folder, until, tmp_path: Path) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    folder = tmp_path / "out"
    folder.mkdir()
    window.exports.write_clip(folder / "clip.mp4")
    assert window.exports.jobs.is_running
    window.parts.status.job_chip("export").cancelled.emit()
    assert not window.exports.jobs.is_running
    assert window.parts.status.job_chip("export").isHidden()
    window.exports.close()
    assert not list(folder.glob("*.mp4"))


def test_a_killed_export_is_a_message_and_the_window_goes_on(
    window: MainWindow, scene_folder, until, tmp_path: Path
) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    window.exports.write_clip(tmp_path / "clip.mp4")
    pid = window.exports.jobs.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: _said(window, "ended before it was done"))
    assert not window.exports.jobs.is_running
    window.session.clock.step(1)
    until(lambda: window.session.settled)


def test_a_folder_that_cannot_be_written_is_a_message(window: MainWindow, scene_folder, until) -> None:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    window.exports.save(window.exports.view, Path("/nowhere/at/all.png"))
    assert _said(window, "cannot write the picture")
    window.exports.write_clip(Path("/nowhere/at/all.mp4"))
    until(lambda: _said(window, "does not exist"))

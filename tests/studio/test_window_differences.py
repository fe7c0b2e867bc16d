"""Where in the picture the replay differs: beside original and replay, over them, and by three measures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtGui import QImage

from fourdcb.metrics.pictures.maps import error_map
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.views.compare.difference import laid_over, map_colors

FRAME = 18
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def window(window: MainWindow, scene_folder, until: Until) -> MainWindow:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    window.session.clock.seek(FRAME)
    until(lambda: window.session.settled)
    window.flush()
    return window


def shown(window: MainWindow) -> np.ndarray | None:
    """The difference on screen, uint8, shape (H, W, 3)."""
    image = window.parts.images._difference_image()
    if image is None:
        return None
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def pictures(window: MainWindow) -> tuple[np.ndarray, np.ndarray]:
    images = window.bench.view.images()
    return images.original.image, images.replay.image


def test_original_replay_and_difference_stand_beside_each_other(window: MainWindow) -> None:
    window.actions_.run("mode_with_difference")
    assert len(window.parts.images.cell_rects()) == 3
    assert window.parts.difference.isVisible()
    assert shown(window) is not None
    window.actions_.run("mode_side")
    assert not window.parts.difference.isVisible()


def test_structure_and_motion_are_measured_as_the_judge_does(window: MainWindow, until: Until) -> None:
    session = window.session
    session.comparison.update(mode="difference", measure="ssim", gain=1.0)
    until(lambda: shown(window) is not None)
    reference, candidate = pictures(window)
    expected = map_colors(error_map("ssim", reference, candidate), 1.0, signed=False)
    np.testing.assert_allclose(shown(window).astype(int), expected.astype(int), atol=2)
    session.comparison.update(measure="flow")
    until(lambda: window.parts.images._error_map is not None and shown(window) is not None)
    session.clock.seek(0)
    window.flush()
    assert shown(window) is None, "the first frame has no motion, and says so"
    assert "first frame" in window.parts.images._messages["difference"].detail
    session.clock.seek(FRAME)
    until(lambda: shown(window) is not None)


def test_a_map_of_an_older_picture_says_so_until_the_newest_is_there(
    window: MainWindow, until: Until
) -> None:
    session, images = window.session, window.parts.images
    session.comparison.update(mode="difference", measure="ssim")
    until(lambda: shown(window) is not None)
    session.clock.seek(FRAME + 1)
    window.flush()
    assert shown(window) is not None, "nothing goes blank"
    assert images._badges["difference"].text == "older picture"
    until(lambda: images._badges["difference"].text == "")


def test_over_a_picture_what_is_alike_stays_as_it_is() -> None:
    base = np.full((2, 3, 3), 90, dtype=np.uint8)
    values = np.array([[0.0, 5.0, 10.0], [2.5, 0.0, 20.0]])
    colors = map_colors(values, 10.0, signed=False)
    laid = laid_over(base, colors, values, limit=10.0, opacity=1.0)
    assert (laid[0, 0] == 90).all()
    assert (laid[0, 1:] == colors[0, 1:]).all(), "from half of the map's end on it covers"
    half = laid_over(base, colors, values, limit=10.0, opacity=0.5)
    np.testing.assert_allclose(half[1, 2], (90 + colors[1, 2].astype(float)) / 2, atol=1)
    assert (laid_over(base, colors, values, limit=10.0, opacity=0.0) == base).all()


def test_keys_and_controls_choose_measure_base_and_opacity(window: MainWindow) -> None:
    state = window.session.comparison
    window.actions_.run("mode_difference")
    alone = shown(window).copy()
    window.actions_.run("base")
    assert state.state.base == "reference"
    reference, candidate = pictures(window)
    same = (reference == candidate).all(axis=2)
    assert same.any()
    assert (shown(window)[same] == reference[same]).all()
    assert not (shown(window) == alone).all()
    window.parts.difference._opacity.setValue(0)
    assert state.state.opacity == 0
    assert (shown(window) == reference).all()
    window.actions_.run("measure")
    assert state.state.measure == "ssim"
    assert window.bench.view.command_line().count("--difference ssim --over reference") == 1


def test_what_the_bar_says_is_where_the_map_ends(window: MainWindow) -> None:
    images, update = window.parts.images, window.session.comparison.update
    update(mode="difference", gain=4)
    assert images.look().limit == 255 / 4
    update(measure="ssim")
    assert (images.look().limit, images.look().is_signed) == (0.25, False)
    update(measure="flow")
    assert images.look().limit == 4.0

"""The pixel inspector and the plots on the real window, against figures made another way."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from fourdcb.conventions import linear_from_srgb, srgb_from_linear
from fourdcb.physics import simulate
from fourdcb.render import RenderSettings, render_frame
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.views.compare.tone import Tone
from fourdcb_studio.views.plots.curves import make_curve
from fourdcb_studio.views.plots.histogram import BINS, counts

PATIENCE_MS = 180_000
WINDOW_SIZE = (1900, 1000)


@pytest.fixture
def window(window: MainWindow, scene_folder) -> MainWindow:
    window.open_paths([scene_folder.folder])
    return window


def test_it_tells_color_depth_body_and_normal_of_both_worlds(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.actions_.run("inspector")
    window.session.clock.seek(11)
    window.parts.images.hovered.emit(30, 50)
    table = window.parts.inspector.table
    until(
        lambda: (
            window.session.probe("reference") is not None and window.session.probe("candidate") is not None
        )
    )
    window.flush()
    until(lambda: len(table.lines()) == 3 and table.lines()[1][4] != "")
    original, replay, delta = table.lines()
    world = window.session.candidate_world
    assert world is not None
    drawn = render_frame(world, simulate(world), 11 / world.fps, RenderSettings())
    assert replay[1:4] == [str(v) for v in drawn.rgb[50, 30]]
    assert float(replay[4]) == pytest.approx(float(drawn.depth[50, 30]), abs=1e-3)
    assert replay[6] == world.bodies[int(drawn.instance[50, 30])].name
    normal = [float(v.replace("−", "-")) for v in replay[5].split()]
    np.testing.assert_allclose(normal, drawn.normal[50, 30], atol=2e-3)
    assert int(delta[1].replace("−", "-")) == int(replay[1]) - int(original[1])
    table.set_linear(True)
    linear = table.lines()[1][1]
    expected = float(linear_from_srgb(drawn.rgb[50, 30, 0] / 255.0))
    assert float(linear) == pytest.approx(expected, abs=1e-4)


def test_range_and_channel_change_the_pictures_and_no_figures(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.actions_.run("inspector")
    window.flush()
    panel, images = window.parts.inspector, window.parts.images
    plain = images.grab().toImage()
    histogram = panel.histogram
    left = QPoint(round(histogram.x_of(0)), 20)
    QTest.mousePress(histogram, Qt.MouseButton.LeftButton, pos=left)
    QTest.mouseMove(histogram, QPoint(round(histogram.x_of(60)), 20))
    QTest.mouseRelease(histogram, Qt.MouseButton.LeftButton)
    assert panel.tone().black == pytest.approx(60, abs=2)
    assert images.look().tone == panel.tone()
    assert images.grab().toImage() != plain
    images.hovered.emit(3, 3)
    window.flush()
    replay = window.presenter.view.images().replay.image
    assert replay is not None
    assert panel.table.lines()[1][1:4] == [str(v) for v in replay[3, 3]]
    panel._reset.click()
    assert panel.tone().is_plain
    assert images.grab().toImage() == plain


def test_exposure_doubles_light_and_a_channel_is_grey() -> None:
    rng = np.random.default_rng(3)
    rgb = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)
    brighter = Tone(ev=1.0).apply(rgb)
    expected = 255 * srgb_from_linear(2 * linear_from_srgb(rgb / 255.0))
    assert np.abs(brighter - expected).max() <= 0.5 + 1e-9
    grey = Tone(channel="green").apply(rgb)
    assert np.array_equal(grey[..., 0], rgb[..., 1])
    assert np.array_equal(grey[..., 2], rgb[..., 1])
    stretched = Tone(black=50, white=100).apply(rgb)
    assert np.array_equal(stretched == 0, rgb <= 50)


@pytest.mark.parametrize("channel", ["rgb", "red", "green", "blue", "luma"])
def test_a_histogram_counts_every_pixel_once(channel) -> None:
    rgb = np.random.default_rng(5).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    found = counts(rgb, channel)
    assert found.shape == (BINS,)
    assert found.sum() == pytest.approx(1.0)
    if channel == "red":
        np.testing.assert_allclose(found, np.histogram(rgb[..., 0], BINS, (0, 256))[0] / 256)


def test_an_offset_is_marked_on_the_image_and_on_its_button(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    window.session.clock.seek(8)
    for _ in range(2):
        window.actions_.run("offset_up")
    assert window.presenter.view.images().replay.frame == 10
    assert window.parts.view_bar._offset.text() == "offset +2 f"
    assert window.parts.view_bar._offset.property("mark") is True
    assert window.parts.images._badges["candidate"].text.startswith("+2 f")
    window.parts.view_bar._offset.click()
    assert window.session.comparison.state.offset == 0
    assert window.parts.view_bar._offset.property("mark") is False


def test_plots_follow_the_trajectory(window: MainWindow, until) -> None:
    until(lambda: window.session.settled)
    world = window.session.candidate_world
    assert world is not None
    trajectory = simulate(world)
    steps, ball = trajectory.frame_steps(), trajectory.index("ball")
    expected = {
        "spin": np.linalg.norm(trajectory.angular_velocity[steps, ball], axis=-1),
        "kinetic": trajectory.kinetic_energy[steps, ball],
        "energy": trajectory.kinetic_energy[steps, ball] + trajectory.potential_energy[steps, ball],
    }
    for key, values in expected.items():
        curve = make_curve(window.session, key, "ball")
        assert curve is not None
        np.testing.assert_allclose(curve.candidate, values, atol=1e-9)
        assert curve.reference is not None
    impulse = make_curve(window.session, "impulse", "ball")
    assert impulse is not None
    own = (trajectory.contacts.body_a == ball) | (trajectory.contacts.body_b == ball)
    until_last = trajectory.contacts.step <= steps[-1]
    total = trajectory.contacts.normal_impulse[own & until_last].sum()
    assert impulse.candidate is not None
    assert impulse.candidate.sum() == pytest.approx(total)
    assert impulse.candidate[0] == 0  # it falls freely at first

"""The image view: exact pixels, locked pan and zoom, wipe, difference, messages."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fourdcb_studio.theme import apply_theme, signed_colormap
from fourdcb_studio.views.compare.difference import difference_picture
from fourdcb_studio.views.compare.layout import MODES, cells
from fourdcb_studio.views.compare.view import CompareView
from fourdcb_studio.widgets.image_paint import Message, qimage
from fourdcb_studio.widgets.image_transform import ViewTransform

RED, BLUE = (200, 20, 10), (10, 20, 200)


def flat(color: tuple[int, int, int], size: int = 64) -> np.ndarray:
    return np.full((size, size, 3), color, dtype=np.uint8)


def pixel(image: QImage, x: float, y: float) -> tuple[int, int, int]:
    c = image.pixelColor(int(x), int(y))
    return c.red(), c.green(), c.blue()


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot) -> CompareView:
    apply_theme(qapp, "dark")
    widget = CompareView()
    qtbot.addWidget(widget)
    widget.resize(812, 400)
    widget.set_sources(flat(RED), flat(BLUE))
    widget.show()
    return widget


def test_qimage_keeps_every_pixel_of_odd_sizes(qapp: QApplication) -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    image = qimage(rgb)
    assert [[pixel(image, x, y) for x in range(7)] for y in range(5)] == [
        [tuple(rgb[y, x].tolist()) for x in range(7)] for y in range(5)
    ]


@pytest.mark.parametrize(
    "bad", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)]
)
def test_qimage_refuses_what_is_not_an_image(bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint8"):
        qimage(bad)


def test_side_by_side_shows_original_left_and_replay_right(view: CompareView) -> None:
    picture = view.grab().toImage()
    left, right = view.cell_rects()
    assert pixel(picture, left.center().x(), left.center().y()) == RED
    assert pixel(picture, right.center().x(), right.center().y()) == BLUE
    assert left.size() == right.size()


@pytest.mark.parametrize("mode", [m for m, _, _ in MODES])
@pytest.mark.parametrize("size", [(900, 300), (300, 900), (640, 480)])
def test_cells_are_inside_disjoint_and_keep_the_aspect(mode: str, size: tuple[int, int]) -> None:
    area = QRectF(0, 0, *size)
    found = cells(mode, area, 16 / 9)  # type: ignore[arg-type]
    for cell in found:
        assert area.adjusted(-1, -1, 1, 1).contains(cell.rect)
        assert cell.rect.width() / cell.rect.height() == pytest.approx(16 / 9, rel=0.03)
    for a, b in pairwise(found):
        assert a.rect.right() < b.rect.left()


def test_wipe_shows_original_left_of_the_edge_and_replay_right_of_it(view: CompareView) -> None:
    view.set_mode("wipe")
    view.set_wipe(0.25)
    cell = view.cell_rects()[0]
    picture = view.grab().toImage()
    y = cell.top() + 0.75 * cell.height()
    assert pixel(picture, cell.left() + 0.15 * cell.width(), y) == RED
    assert pixel(picture, cell.left() + 0.35 * cell.width(), y) == BLUE


def test_wipe_between_three_puts_before_below_after_at_the_mouse(view: CompareView, qtbot: QtBot) -> None:
    green = (10, 180, 30)
    view.set_sources(flat(RED), flat(BLUE), flat(green))
    view.set_mode("wipe")
    (cell,) = view.cell_rects()
    qtbot.mouseMove(view, QPoint(int(cell.x() + cell.width() * 0.4), int(cell.y() + cell.height() * 0.7)))
    image = view.grab().toImage()
    at = lambda fx, fy: pixel(image, cell.x() + fx * cell.width(), cell.y() + fy * cell.height())  # noqa: E731
    assert at(0.3, 0.4) == at(0.3, 0.9) == RED
    assert at(0.6, 0.4) == BLUE
    assert at(0.6, 0.85) == green


def test_wipe_follows_the_mouse(view: CompareView, qtbot: QtBot) -> None:
    view.set_mode("wipe")
    cell = view.cell_rects()[0]
    at = QPoint(int(cell.left() + 0.7 * cell.width()), int(cell.center().y()))
    with qtbot.waitSignal(view.wipe_moved) as moved:
        qtbot.mouseMove(view, at)
    assert moved.args[0] == pytest.approx(0.7, abs=0.01)


def test_wheel_zooms_about_the_mouse(view: CompareView, qtbot: QtBot) -> None:
    cell = view.cell_rects()[0]
    at = QPointF(cell.left() + 0.3 * cell.width(), cell.top() + 0.6 * cell.height())
    before = view.view().image_point(at, cell, 64, 64)
    event = QWheelEvent(
        at, at, QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    with qtbot.waitSignal(view.zoom_changed) as zoomed:
        QApplication.sendEvent(view, event)
    assert zoomed.args[0] == pytest.approx(400 / 64 * 1.44)
    assert view.view().image_point(at, cell, 64, 64) == pytest.approx(before)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.2, 8), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_zoom_keeps_the_point_under_the_mouse(factor: float, fx: float, fy: float) -> None:
    cell = QRectF(10, 20, 300, 200)
    at = QPointF(10 + fx * 300, 20 + fy * 200)
    start = ViewTransform(2.0, (0.5, 0.5))
    after = start.zoomed(factor, at, cell, 300, 200)
    if 0 < after.centre[0] < 1 and 0 < after.centre[1] < 1:
        assert after.image_point(at, cell, 300, 200) == pytest.approx(
            start.image_point(at, cell, 300, 200), abs=1e-6
        )
    assert all(0 <= c <= 1 for c in after.centre)


def test_pan_is_locked_across_cells_and_moves_by_the_drag(view: CompareView, qtbot: QtBot) -> None:
    view.zoom_by(4)
    cell = view.cell_rects()[0]
    start = cell.center().toPoint()
    target = view.view().target(cell, 64, 64)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(view, start + QPoint(30, -20))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(30, -20))
    moved = view.view().target(cell, 64, 64)
    assert moved.x() - target.x() == pytest.approx(30)
    assert moved.y() - target.y() == pytest.approx(-20)


def test_double_click_fits_again(view: CompareView, qtbot: QtBot) -> None:
    view.zoom_by(4)
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rects()[0].center().toPoint())
    assert view.view().scale is None


def test_zoomed_in_pixels_are_crisp_and_out_smooth(view: CompareView) -> None:
    checks = np.indices((64, 64)).sum(axis=0) % 2 * 255
    image = np.repeat(checks[..., None], 3, axis=2).astype(np.uint8)
    view.set_sources(image, image)
    picture = view.grab().toImage()
    cell = view.cell_rects()[0]
    row = {pixel(picture, cell.left() + 100 + i, cell.center().y() + 40)[0] for i in range(60)}
    assert row <= {0, 255}, "fitted at 6 px per pixel: squares without blends"
    view.set_sources(np.repeat(np.repeat(image, 20, 0), 20, 1), None)
    view._set_view(ViewTransform(0.03 * 1.0, (0.5, 0.5)))
    picture = view.grab().toImage()
    values = [pixel(picture, cell.center().x() + i, cell.center().y())[0] for i in range(-10, 10)]
    assert any(20 < v < 235 for v in values), "shrunk: blends"


def test_hovered_tells_the_pixel_of_either_cell_and_its_end(view: CompareView, qtbot: QtBot) -> None:
    seen: list[tuple[int, int]] = []
    view.hovered.connect(lambda x, y: seen.append((x, y)))
    for cell in view.cell_rects():
        scale = cell.width() / 64
        qtbot.mouseMove(view, QPointF(cell.left() + 10.5 * scale, cell.top() + 20.5 * scale).toPoint())
        assert seen[-1] == (10, 20)
        qtbot.mouseMove(view, QPoint(406, 200))
        assert seen[-1] == (-1, -1), "between the cells"


def test_difference_is_candidate_minus_reference() -> None:
    reference, candidate = flat((100, 100, 100), 2), flat((100, 100, 100), 2)
    candidate[0, 0] = 164
    candidate[1, 1] = 36
    picture = difference_picture(reference, candidate, gain=4, signed=True)
    assert (picture[0, 0] == signed_colormap()[255]).all(), "brighter is the positive end"
    assert (picture[1, 1] == signed_colormap()[0]).all()
    assert (picture[0, 1] == picture[1, 0]).all()
    plain = difference_picture(reference, candidate, gain=4, signed=False)
    assert (plain[0, 0] == plain[1, 1]).all()
    with pytest.raises(ValueError, match="sizes differ"):
        difference_picture(reference, flat(RED, 3), gain=1, signed=True)


def test_gain_and_sign_change_the_difference_at_once(view: CompareView) -> None:
    near = flat(RED)
    near[:] = np.add(RED, 12)
    view.set_sources(flat(RED), near)
    view.set_mode("difference")
    at = view.cell_rects()[0].center()
    shown = []
    for gain, signed in ((1, True), (16, True), (16, False)):
        view.set_gain(gain)
        view.set_signed(signed)
        shown.append(pixel(view.grab().toImage(), at.x(), at.y()))
    assert len(set(shown)) == 3


def test_holding_the_reference_puts_it_in_the_replays_place(view: CompareView) -> None:
    right = view.cell_rects()[1].center()
    view.hold_reference(True)
    assert pixel(view.grab().toImage(), right.x(), right.y()) == RED
    view.hold_reference(False)
    assert pixel(view.grab().toImage(), right.x(), right.y()) == BLUE


def test_blink_shows_both_in_turn_and_stops_when_hidden(view: CompareView, qtbot: QtBot) -> None:
    view.set_mode("blink")
    at = view.cell_rects()[0].center()
    first = pixel(view.grab().toImage(), at.x(), at.y())
    qtbot.waitUntil(lambda: pixel(view.grab().toImage(), at.x(), at.y()) != first, timeout=3000)
    view.hide()
    assert not view._blink.isActive()


def test_missing_images_are_told_in_words_not_blank(view: CompareView) -> None:
    view.set_sources(None, flat(BLUE))
    view.set_message("reference", Message("error", "Cannot read the video", "moov atom not found"))
    cell = view.cell_rects()[0]
    picture = view.grab().toImage()
    inside = {
        pixel(picture, cell.left() + x, cell.center().y() - 4) for x in range(20, int(cell.width()) - 20)
    }
    assert len(inside) > 5, "writing is painted"


def test_no_widget_fails_at_any_size(view: CompareView) -> None:
    for mode, _, _ in MODES:
        view.set_mode(mode)
        for size in ((240, 160), (1, 1), (1900, 300)):
            view.resize(*size)
            picture = view.grab()
            least = view.minimumSize()
            assert picture.width() == max(size[0], least.width())
            assert picture.height() == max(size[1], least.height())
            assert not picture.toImage().isNull()

"""The time panel: one ruler, seeks anywhere, strips with the right colours, figures at the playhead."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fourdcb_studio.theme import apply_theme, signed_colormap
from fourdcb_studio.views.time.data import Curve, TimelineData, binned, nice_limit, runs, tick_step
from fourdcb_studio.views.time.layout import FULL_HEIGHT, Row, held_span, layout_rows, time_axis
from fourdcb_studio.views.time.paint import curve_bounds, value_ticks
from fourdcb_studio.views.time.panel import TimePanel
from fourdcb_studio.views.time.values import curve_values, read_out, row_value

N = 120


@pytest.fixture
def panel(qapp: QApplication, qtbot: QtBot) -> TimePanel:
    apply_theme(qapp, "dark")
    widget = TimePanel()
    qtbot.addWidget(widget)
    widget.resize(1400, 264)
    widget.set_frames(N, 30.0)
    widget.set_objects(("cup", "plate"))
    xyz = np.zeros((N, 3))
    xyz[60, 2] = 60.0
    xyz[80, 2] = -60.0
    widget.set_errors("cup", xyz, np.linspace(0, 6, N), np.linspace(0, 0.3, N))
    widget.set_findings([(42, "error", "physics", "cup bounces too high"), (44, "warning", "time", "late")])
    widget.set_contacts([(38, "bounce", "cup with floor")])
    times = np.arange(N) / 30
    widget.set_curve("height of cup", times, 1 - times / 8, 1 - times / 4, "m")
    widget.show()
    return widget


def row(panel: TimePanel, kind: str) -> Row:
    return next(r for r in panel.canvas().rows() if r.kind == kind)


def spot(panel: TimePanel, frame: float, kind: str) -> QPoint:
    return QPointF(panel.canvas().axis().x(frame), row(panel, kind).middle).toPoint()


def color(image: QImage, at: QPoint) -> np.ndarray:
    c = image.pixelColor(at)
    return np.array([c.red(), c.green(), c.blue()])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5000), st.integers(300, 3000), st.data())
def test_pixels_and_frames_map_back_and_forth(n: int, width: int, data: st.DataObject) -> None:
    axis = time_axis(width, n)
    frame = data.draw(st.integers(0, n - 1))
    assert axis.frame(axis.x(frame)) == frame
    assert axis.left <= axis.x(frame) <= axis.right
    assert axis.frame(-1e6) == 0
    assert axis.frame(1e6) == n - 1


@pytest.mark.parametrize("kind", ["ruler", "findings", "contacts", "x", "rotation", "curve", "ready"])
def test_a_click_anywhere_seeks(panel: TimePanel, qtbot: QtBot, kind: str) -> None:
    with qtbot.waitSignal(panel.seek_requested) as seek:
        qtbot.mouseClick(panel.canvas(), Qt.MouseButton.LeftButton, pos=spot(panel, 91, kind))
    assert seek.args == [91]


def test_dragging_seeks_on_each_move_and_is_held_in_the_clip(panel: TimePanel, qtbot: QtBot) -> None:
    seen: list[int] = []
    panel.seek_requested.connect(seen.append)
    canvas = panel.canvas()
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=spot(panel, 10, "x"))
    for frame in (20, 30):
        qtbot.mouseMove(canvas, spot(panel, frame, "x"))
    qtbot.mouseMove(canvas, QPoint(canvas.width() - 2, 10))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton)
    qtbot.mouseMove(canvas, spot(panel, 5, "x"))
    assert seen == [10, 20, 30, N - 1]


def test_a_finding_is_activated_with_its_seek(panel: TimePanel, qtbot: QtBot) -> None:
    seen: list[tuple[str, int]] = []
    panel.finding_activated.connect(lambda i: seen.append(("finding", i)))
    panel.seek_requested.connect(lambda f: seen.append(("seek", f)))
    qtbot.mouseClick(panel.canvas(), Qt.MouseButton.LeftButton, pos=spot(panel, 44, "findings"))
    assert seen == [("finding", 1), ("seek", 44)]


def test_arrow_home_and_end_keys_seek(panel: TimePanel, qtbot: QtBot) -> None:
    seen: list[int] = []
    panel.seek_requested.connect(seen.append)
    panel.set_position(50)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(panel.canvas(), key)
    assert seen == [49, 51, 0, N - 1]


def test_strips_show_sign_by_the_ends_of_the_map(panel: TimePanel) -> None:
    panel.set_position(0)
    picture = panel.canvas().grab().toImage()
    lut = signed_colormap().astype(int)
    assert np.abs(color(picture, spot(panel, 60, "z")) - lut[255]).max() <= 2
    assert np.abs(color(picture, spot(panel, 80, "z")) - lut[0]).max() <= 2
    assert np.abs(color(picture, spot(panel, 25, "z")) - lut[128]).max() <= 2


def test_the_playhead_stands_on_its_frame_and_leaves_no_trace(panel: TimePanel, qtbot: QtBot) -> None:
    canvas = panel.canvas()
    y = int(row(panel, "curve").bottom - 2)
    for frame in (90, 20):
        panel.set_position(frame)
        qtbot.wait(1)
    picture = canvas.grab().toImage()
    white = [x for x in range(canvas.width()) if (color(picture, QPoint(x, y)) > 250).all()]
    assert white
    assert abs(np.mean(white) + 0.5 - canvas.axis().x(20)) <= 1


def test_figures_at_the_playhead_carry_sign_and_unit(panel: TimePanel) -> None:
    data = panel.data()
    limits = data.limits()
    z = row(panel, "z")
    assert row_value(data, z, 60, limits) == ("+60.0 mm", False)
    assert row_value(data, z, 80, limits) == ("−60.0 mm", False)
    assert row_value(data, z, 10, limits) == ("0.0 mm", True)
    assert row_value(data, row(panel, "energy"), N - 1, limits) == ("+30 %", False)
    assert row_value(data, row(panel, "rotation"), N - 1, limits) == ("6.0°", False)
    assert curve_values(data, 60) == [("0.750 m", False), ("0.500 m", True)]


def test_read_out_names_what_is_under_the_mouse(panel: TimePanel) -> None:
    data, limits = panel.data(), panel.data().limits()
    assert read_out(data, row(panel, "findings"), 42, limits)[1:] == ["cup bounces too high"]
    assert read_out(data, row(panel, "z"), 60, limits) == ["frame 60 · 2.000 s", "cup Z  +60.0 mm"]
    assert "height of cup" in read_out(data, row(panel, "curve"), 60, limits)


def test_limits_are_round_and_symmetric() -> None:
    assert nice_limit(np.array([0.0, 58.0, -3.0])) == 60
    assert nice_limit(np.array([-60.0])) == 60
    assert nice_limit(np.array([np.nan])) == 1
    assert nice_limit(np.zeros(4)) == 1


@settings(max_examples=60, deadline=None)
@given(st.floats(1e-6, 1e6))
def test_no_value_exceeds_its_limit_by_much_nor_fills_little_of_it(top: float) -> None:
    limit = nice_limit(np.array([top]))
    assert top <= limit * (1 + 1e-6)
    assert top >= 0.6 * limit


def test_nothing_measured_is_told_in_words(panel: TimePanel) -> None:
    panel.clear_errors("no original to compare with")
    assert row_value(panel.data(), row(panel, "z"), 60, panel.data().limits()) is None
    panel.canvas().grab()
    assert panel.data().note == "no original to compare with"


def test_rows_of_a_low_panel_are_the_most_telling_ones() -> None:
    data = TimelineData(n_frames=N)
    full = [r.kind for r in layout_rows(FULL_HEIGHT, data)]
    assert full == ["ruler", "findings", "contacts", "x", "y", "z", "rotation", "energy", "curve", "ready"]
    low = [r.kind for r in layout_rows(160, data)]
    assert low == ["ruler", "findings", "x", "y", "z", "curve", "ready"]
    for height in (160, 180, 220, 400):
        rows = layout_rows(height, data)
        assert rows[0].top == 0
        assert rows[-1].bottom == pytest.approx(height)
        for above, below in pairwise(rows):
            assert above.bottom == pytest.approx(below.top)


def test_a_high_panel_stacks_all_objects(panel: TimePanel, qtbot: QtBot) -> None:
    panel.set_errors("plate", np.ones((N, 3)), None, None)
    panel.resize(1400, 520)
    labels = [r.label for r in panel.canvas().rows() if r.kind in ("x", "y", "z")]
    assert labels == ["cup  X", "cup  Y", "cup  Z", "plate  X", "plate  Y", "plate  Z"]
    plate = next(r for r in panel.canvas().rows() if r.object == "plate")
    with qtbot.waitSignal(panel.object_selected) as selected:
        qtbot.mouseClick(panel.canvas(), Qt.MouseButton.LeftButton, pos=QPoint(60, int(plate.middle)))
    assert selected.args == ["plate"]
    assert panel.data().selected == "plate"


def test_ruler_ticks_are_round_and_never_crowded() -> None:
    assert [tick_step(n, 1200) for n in (12, 120, 1200, 100_000)] == [1, 10, 100, 10_000]
    for n in (1, 7, 333, 54321):
        assert tick_step(n, 900) * 900 / n >= 64


def test_long_clips_keep_the_worst_frame_of_each_column() -> None:
    values = np.zeros(10_000)
    values[7777] = -9.0
    values[10] = np.nan
    few = binned(values, 500)
    assert len(few) == 500
    assert few.min() == -9.0
    assert np.isfinite(few).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), max_size=40))
def test_runs_rebuild_the_mask(flags: list[bool]) -> None:
    mask = np.array(flags, dtype=bool)
    again = np.zeros(len(flags), dtype=bool)
    found = runs(mask)
    for start, stop in found:
        again[start:stop] = True
    assert (again == mask).all()
    assert all(a[1] < b[0] for a, b in pairwise(found)), "runs do not touch"


def test_a_move_of_the_playhead_does_not_paint_the_rows_again(panel: TimePanel, qtbot: QtBot) -> None:
    canvas = panel.canvas()
    canvas.grab()
    cache = canvas._cache
    for frame in range(0, N, 7):
        panel.set_position(frame)
        canvas.grab()
    panel.set_ready(np.ones(N, bool), np.arange(N) < 60, np.zeros(N, bool))
    canvas.grab()
    assert canvas._cache is cache
    panel.set_horizon(100)
    canvas.grab()
    assert canvas._cache is not cache


def test_ready_frames_are_counted_and_drawn(panel: TimePanel) -> None:
    panel.set_ready(np.ones(N, bool), np.arange(N) < 30, np.zeros(N, bool))
    assert panel.canvas()._ready_text() == "30 / 120"


def test_bad_shapes_are_refused(panel: TimePanel) -> None:
    with pytest.raises(ValueError, match="shape"):
        panel.set_errors("cup", np.zeros((N, 2)), None, None)
    with pytest.raises(ValueError, match="shape"):
        panel.set_curve("x", np.zeros(5), np.zeros(4), None, "m")
    with pytest.raises(ValueError, match="frame"):
        panel.set_frames(0, 30)


def test_the_horizon_is_told_in_words_too(panel: TimePanel) -> None:
    panel.set_horizon(108)
    assert "3.6 s" in panel._legend._horizon.text()
    panel.set_horizon(None)
    assert panel._legend._horizon.text() == ""


def test_clips_of_one_frame_and_of_many_are_painted(panel: TimePanel) -> None:
    for n in (1, 2, 20_000):
        panel.set_frames(n, 30.0)
        panel.set_errors("cup", np.random.default_rng(0).normal(size=(n, 3)), np.ones(n), np.ones(n))
        panel.set_position(n - 1)
        assert panel.data().n_frames == n
        colours = {panel.canvas().grab().toImage().pixel(x, 90) for x in range(0, panel.canvas().width(), 3)}
        assert len(colours) > 2, "strips are painted"


def test_one_mark_a_frame_and_the_most_telling_one(panel: TimePanel) -> None:
    panel.set_contacts([(5, "touch", "a"), (5, "bounce", "b"), (9, "touch", "c"), (5, "slide", "d")])
    assert [(c.frame, c.kind) for c in panel.data().telling_contacts()] == [(5, "bounce"), (9, "touch")]
    assert len(read_out(panel.data(), row(panel, "contacts"), 5, panel.data().limits())) == 4


def test_the_plots_quantity_is_picked_from_a_menu(panel: TimePanel, qtbot: QtBot) -> None:
    picker = panel._legend._plot
    assert picker.isHidden(), "nothing to choose from"
    panel.set_curve_choices((("height", "height"), ("speed", "speed")), "height")
    assert picker.text() == "height"
    with qtbot.waitSignal(panel.curve_chosen) as chosen:
        picker.menu().actions()[1].trigger()
    assert chosen.args == ["speed"]
    panel.set_curve_choices((("height", "height"), ("speed", "speed")), "speed")
    assert [a.isChecked() for a in picker.menu().actions()] == [False, True]


def test_the_object_is_picked_from_a_menu(panel: TimePanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.object_selected) as selected:
        panel._legend._picker.menu().actions()[1].trigger()
    assert selected.args == ["plate"]
    assert panel._legend._picker.text() == "plate"


def test_noise_on_a_level_line_is_no_motion() -> None:
    noise = 0.08 + 1e-6 * np.sin(np.arange(30.0))
    low, high = curve_bounds(Curve("height", np.arange(30.0), noise, None, "m"))
    assert high - low == pytest.approx(0.02 * 0.08, rel=1e-3)
    assert curve_bounds(Curve("height", np.arange(2.0), np.array([0.0, 2.0]), None, "m")) == (0.0, 2.0)


def test_the_wheel_zooms_at_the_mouse_and_moves_and_a_seek_turns_the_page(
    panel: TimePanel, qtbot: QtBot
) -> None:
    canvas, spans = panel.canvas(), []
    panel.span_changed.connect(lambda a, b: spans.append((a, b)))
    at = QPointF(canvas.axis().x(60), 50)

    def wheel(steps: int, modifiers: Qt.KeyboardModifier) -> None:
        turn = QPoint(0, 120 * steps)
        buttons, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
        place = canvas.mapToGlobal(at.toPoint()).toPointF()
        event = QWheelEvent(at, place, QPoint(), turn, buttons, modifiers, phase, False)
        QApplication.sendEvent(canvas, event)

    wheel(-1, Qt.KeyboardModifier.NoModifier)
    assert not spans  # the whole clip is seen: there is nowhere to go
    wheel(3, Qt.KeyboardModifier.ControlModifier)
    first, last = canvas.span()
    assert last - first == pytest.approx(N * 0.8**3)
    assert canvas.axis().frame(at.x()) == 60
    assert canvas.axis().x(60) == pytest.approx(at.x(), abs=1)
    wheel(-1, Qt.KeyboardModifier.NoModifier)
    assert canvas.span()[0] > first
    panel.set_position(N - 1)
    first, last = canvas.span()
    assert first <= N - 1 < last <= N
    assert spans[-1] == (first - 0.5, last - 0.5)
    panel.show_all()
    assert spans[-1] == (-0.5, N - 0.5)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3000), st.floats(-50, 3000), st.floats(0.1, 4000))
def test_a_span_is_held_inside_the_clip(n: int, first: float, shown: float) -> None:
    span = held_span(first, first + shown, n)
    if span is None:
        assert max(shown, min(4, n)) >= n - 1e-5
        return
    assert span[0] >= -1e-9
    assert span[1] <= n + 1e-9
    assert span[1] - span[0] == pytest.approx(max(shown, min(4, n)))


@settings(max_examples=60, deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 8))
def test_values_on_the_axis_are_round_inside_and_even(low: float, size: float, most: int) -> None:
    ticks = value_ticks(low, low + size, most=most)
    assert 1 <= len(ticks) <= most
    assert all(low - 1e-6 * size <= tick <= low + size + 1e-6 * size for tick in ticks)
    steps = np.diff(ticks)
    if len(steps):
        mantissa = steps[0] / 10 ** np.floor(np.log10(steps[0] * (1 + 1e-9)))
        assert min(abs(mantissa - k) for k in (1, 2, 5, 10)) < 1e-3
        np.testing.assert_allclose(steps, steps[0], rtol=1e-4)

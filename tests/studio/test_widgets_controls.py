"""Sliders, values to type, segmented choices, transport: what they show and what they emit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from fourdcb.world import DirectionalLight, Object, Parameter, World, parameters
from fourdcb_studio.theme import apply_theme
from fourdcb_studio.views.time.transport import Transport
from fourdcb_studio.widgets.parameter_slider import ParameterRow, parameter_label, value_text
from fourdcb_studio.widgets.segmented import Segmented
from fourdcb_studio.widgets.slider_track import SliderScale, SliderTrack

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def _theme(qapp: QApplication) -> None:
    # Widgets of earlier tests go now: outside an event loop Qt keeps them, and styling visits them all.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    apply_theme(qapp, "dark")


def known() -> dict[str, Parameter]:
    cup = Object(name="cup", mass=0.15, restitution=0.35, pos=(0, 0, 1), vel=(0.4, 0, 0), acc=(0, 0, -9.8))
    world = World(objects=(cup,), lights=(DirectionalLight(name="sun"),))
    return {p.path: p for p in parameters(world)}


@pytest.fixture
def row(qtbot: QtBot) -> ParameterRow:
    widget = ParameterRow(known()["cup.restitution"])
    qtbot.addWidget(widget)
    widget.resize(300, widget.sizeHint().height())
    widget.show()
    return widget


@settings(max_examples=80, deadline=None)
@given(st.floats(1e-3, 1e3), st.floats(1.5, 1e4), st.sampled_from(["linear", "log"]), st.floats(0, 1))
def test_slider_scale_is_monotone_inside_and_its_own_inverse(
    low: float, factor: float, scale: str, fraction: float
) -> None:
    s = SliderScale(low, low * factor, scale)  # type: ignore[arg-type]
    value = s.value(fraction)
    assert low <= value * (1 + 1e-3)
    assert value <= low * factor * (1 + 1e-3)
    assert s.fraction(value) == pytest.approx(fraction, abs=2e-3)
    assert s.value(0) == pytest.approx(low, rel=1e-3)
    assert s.value(1) == pytest.approx(low * factor, rel=1e-3)


def test_log_scale_puts_the_geometric_mean_in_the_middle() -> None:
    assert SliderScale(0.01, 10, "log").value(0.5) == pytest.approx(0.3162, rel=1e-3)


def test_a_range_with_zero_in_it_is_linear_even_when_log_is_asked_for() -> None:
    assert SliderScale(-1, 1, "log").value(0.5) == 0


def test_a_drag_changes_on_each_move_and_commits_once(row: ParameterRow, qtbot: QtBot) -> None:
    changing: list[float] = []
    committed: list[tuple[str, float]] = []
    row.changing.connect(lambda _, v: changing.append(v))
    row.committed.connect(lambda p, v: committed.append((p, v)))
    track = row.slider()
    y = track.height() // 2
    qtbot.mousePress(track, LEFT, pos=QPoint(int(track.handle_x()), y))
    assert changing == [], "a press on the handle moves nothing"
    for x in (150, 180, 210):
        qtbot.mouseMove(track, QPoint(x, y))
    assert track.is_dragging()
    qtbot.mouseRelease(track, LEFT, pos=QPoint(210, y))
    assert len(changing) == 3
    assert changing == sorted(changing)
    assert committed == [("cup.restitution", changing[-1])]
    assert row.edit().text() == f"{changing[-1]:.3f}"


def test_a_new_state_does_not_pull_the_slider_out_of_the_hand(row: ParameterRow, qtbot: QtBot) -> None:
    track = row.slider()
    qtbot.mousePress(track, LEFT, pos=QPoint(250, 9))
    held = row.value()
    row.set_parameter(known()["cup.restitution"], file_value=0.35, changed=True)
    assert row.value() == held
    qtbot.mouseRelease(track, LEFT, pos=QPoint(250, 9))
    row.set_parameter(known()["cup.restitution"], file_value=0.35, changed=False)
    assert row.value() == 0.35


def test_losing_the_focus_in_a_drag_commits(row: ParameterRow, qtbot: QtBot) -> None:
    track = row.slider()
    track.setFocus()
    qtbot.mousePress(track, LEFT, pos=QPoint(250, 9))
    with qtbot.waitSignal(row.committed):
        track.clearFocus()
    assert not track.is_dragging()


@pytest.mark.parametrize(
    ("key", "shift", "step"),
    [
        (Qt.Key.Key_Right, False, 0.005),
        (Qt.Key.Key_Left, False, -0.005),
        (Qt.Key.Key_Right, True, 0.05),
        (Qt.Key.Key_PageDown, False, -0.05),
    ],
)
def test_keys_step_finely_and_coarsely(
    row: ParameterRow, qtbot: QtBot, key: Qt.Key, shift: bool, step: float
) -> None:
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    row.slider().setFocus()
    with qtbot.waitSignal(row.committed) as committed:
        qtbot.keyClick(row.slider(), key, modifier)
    assert committed.args == ["cup.restitution", pytest.approx(0.35 + step, abs=1e-3)]


def _wheel(widget: SliderTrack, notches: int) -> bool:
    at = QPointF(20, 9)
    event = QWheelEvent(
        at, at, QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def test_the_wheel_scrolls_the_panel_unless_the_slider_has_the_focus(row: ParameterRow) -> None:
    row.slider().clearFocus()
    assert not _wheel(row.slider(), 1)
    assert row.value() == 0.35
    row.slider().setFocus()
    assert _wheel(row.slider(), 2)
    assert row.value() == pytest.approx(0.36)


def test_a_typed_value_is_committed_beyond_the_slider_too(row: ParameterRow, qtbot: QtBot) -> None:
    edit = row.edit()
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "1,25")
    with qtbot.waitSignal(row.committed) as committed:
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert committed.args == ["cup.restitution", 1.25]


def test_what_is_not_a_number_is_marked_and_not_committed(row: ParameterRow, qtbot: QtBot) -> None:
    edit = row.edit()
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "much")
    with qtbot.assertNotEmitted(row.committed):
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.property("bad") is True
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.text() == "0.350"
    assert edit.property("bad") is False


def test_changed_shows_dot_and_tick_and_double_click_resets(row: ParameterRow, qtbot: QtBot) -> None:
    assert row._dot.isHidden()
    row.set_parameter(known()["cup.restitution"], file_value=0.6, changed=True)
    assert not row._dot.isHidden()
    assert row.slider()._tick == 0.6
    with qtbot.waitSignal(row.reset_requested) as reset:
        qtbot.mouseDClick(row, LEFT, pos=QPoint(140, 6))
    assert reset.args == ["cup.restitution"]


def test_a_click_on_the_strip_takes_its_value(row: ParameterRow, qtbot: QtBot) -> None:
    row.set_strip(np.linspace(0, 1, 32))
    row.resize(300, row.sizeHint().height())
    with qtbot.waitSignal(row.committed) as committed:
        qtbot.mouseClick(row._strip, LEFT, pos=QPoint(row._strip.width() // 2, 3))
    assert committed.args[1] == pytest.approx(0.5, abs=0.01)
    row.set_strip(None)
    assert row._strip.isHidden()


def test_every_parameter_of_a_world_has_a_row_that_can_be_painted(qtbot: QtBot) -> None:
    for parameter in known().values():
        widget = ParameterRow(parameter)
        qtbot.addWidget(widget)
        widget.resize(288, widget.sizeHint().height())
        widget.grab()
        assert float(widget.edit().text().replace("−", "-")) == pytest.approx(parameter.value, rel=2e-3)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("cup.vel[0]", "vel x"),
        ("cup.ang_vel[2]", "ang vel z"),
        ("cup.base_color[1]", "base color g"),
        ("my.cup.mass", "mass"),
        ("cup.subsurface_color[2]", "subsurface color b"),
        ("sun.intensity_curve[4]", "intensity curve 5"),
        ("sun.direction_curve[1][2]", "direction curve 2 z"),
    ],
)
def test_labels_are_words(path: str, label: str) -> None:
    assert parameter_label(path) == label


def test_small_values_keep_their_figures() -> None:
    mass = known()["cup.mass"]
    assert value_text(0.15, mass) == "0.150"
    assert value_text(0.00012, mass) == "0.00012"
    assert value_text(-0.2, known()["cup.pos[0]"]) == "−0.200"


def test_segmented_chooses_by_mouse_and_key_and_skips_what_is_forbidden(qtbot: QtBot) -> None:
    choice = Segmented((("a", "One", ""), ("b", "Two", ""), ("c", "Three", "")))
    qtbot.addWidget(choice)
    choice.show()
    seen: list[str] = []
    choice.chosen.connect(seen.append)
    qtbot.mouseClick(choice, LEFT, pos=choice.segment_rects()[2].center().toPoint())
    choice.set_choice_enabled("b", False)
    qtbot.mouseClick(choice, LEFT, pos=choice.segment_rects()[1].center().toPoint())
    qtbot.keyClick(choice, Qt.Key.Key_Left)
    qtbot.keyClick(choice, Qt.Key.Key_Left)
    assert seen == ["c", "a"]
    choice.set_current("c")
    assert seen == ["c", "a"], "set_current is silent"
    with pytest.raises(KeyError):
        choice.set_current("d")


def test_transport_emits_ids_and_reserves_room_for_its_figures(qtbot: QtBot) -> None:
    transport = Transport()
    qtbot.addWidget(transport)
    transport.resize(1280, 48)
    transport.show()
    transport.set_position(7, 120, 30.0)
    seen: list[str] = []
    transport.action.connect(seen.append)
    for button in transport.findChildren(QAbstractButton):
        if button.isEnabled():
            qtbot.mouseClick(button, LEFT)
    assert {"first", "step_back", "play", "step_forward", "last", "previous_finding", "next_finding"} <= set(
        seen
    )
    label = next(w for w in transport.findChildren(QLabel) if w.text() == "7")
    QApplication.processEvents()
    before = transport.findChildren(Segmented)[0].x()
    transport.set_position(119, 120, 30.0)
    QApplication.processEvents()
    assert label.text() == "119"
    assert transport.findChildren(Segmented)[0].x() == before, "nothing dances"

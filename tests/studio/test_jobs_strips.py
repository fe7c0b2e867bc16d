"""Sensitivity strips: which values are tried, and that the true one is never painted as the worst."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from fourdcb.dsl import parse_script
from fourdcb.render import RenderSettings
from fourdcb.replay import ReplayCache, finished
from fourdcb.world import parameter, with_value
from fourdcb_studio.jobs.strips import CLOSER, StripPlan, closer_value, strip_values
from fourdcb_studio.theme import apply_theme
from fourdcb_studio.theme.colormaps import strip_colors
from fourdcb_studio.widgets.parameter_slider import ParameterRow

REFERENCE = """
from fourdcb.dsl import *

floor = Plane(name="floor", normal=[0, 0, 1], offset=0.0, restitution=1.0, friction=1.0)
ball = Object(name="ball", geometry="sphere", size=[0.2, 0.2, 0.2], mass=0.5, restitution=0.8, friction=0.4,
              pos=[0, 0, 0.6], vel=[0.3, 0, 0], acc=[0, 0, -9.8])
sun = DirectionalLight(name="sun", direction=[-0.4, 0.3, -0.8], intensity=3.0)
camera = Camera(pos=[0.2, -2.2, 0.9], target=[0.2, 0, 0.3], width=64, height=64)
world = World(duration=0.8, fps=30, objects=[ball], planes=[floor], lights=[sun], camera=camera)
"""


def _valley(at: float, width: float):
    """An error that is 0 at one value and 1 m everywhere else but in a narrow valley."""
    return lambda v: 1.0 - math.exp(-(((v - at) / width) ** 2))


@given(at=st.floats(0.02, 0.98), current=st.floats(0.0, 1.0))
def test_the_current_and_the_files_value_are_tried_and_the_valley_is_closed_in_on(
    at: float, current: float
) -> None:
    known = parameter(parse_script(REFERENCE).world, "ball.restitution")
    values = strip_values(known, current, at)
    assert {current, at} <= set(values)
    assert list(values) == sorted(values)
    error = _valley(at, 0.01)
    for _ in range(CLOSER):
        closer = closer_value(values, [error(v) for v in values], log=False)
        assert closer not in values
        values = tuple(sorted({*values, closer}))
    beside = [abs(v - at) for v in values if v != at]
    assert min(beside) < 0.02, "beside the least error the samples lie close"


def test_a_failed_value_does_not_draw_the_samples_to_itself() -> None:
    assert np.isfinite(closer_value((0.0, 1.0, 2.0), (math.nan, 0.5, math.nan), log=False))
    assert closer_value((1.0, 100.0), (0.1, 0.2), log=True) == pytest.approx(10.0)


def test_the_true_value_is_at_distance_zero() -> None:
    """Both sides are played at one rate: a difference of rates is no error of a value."""
    truth = parse_script(REFERENCE).world
    candidate = with_value(truth, "ball.restitution", 0.3)
    replays = ReplayCache(RenderSettings())
    try:
        found = finished(replays.rollouts.distances(candidate, truth, "ball.restitution", (0.3, 0.8)))
    finally:
        replays.close()
    assert found[1] == 0.0
    assert found[0] > 0.01


def test_a_value_that_was_not_tried_is_tried_alone_and_added() -> None:
    plan, world = StripPlan(), parse_script(REFERENCE).world
    known = parameter(world, "ball.restitution")
    plan.want(("ball.restitution",))
    plan.set_edits({}, {"ball.restitution": 0.8})
    values, closer = plan.next_values(known)
    assert closer == CLOSER
    plan.take("ball.restitution", values, tuple(abs(v - 0.8) for v in values))
    assert plan.next_path() is None
    plan.set_edits({"ball.restitution": 0.37}, {"ball.restitution": 0.8})
    assert plan.next_path() == "ball.restitution"
    edited = parameter(with_value(world, "ball.restitution", 0.37), "ball.restitution")
    assert plan.next_values(edited) == ((0.37,), 0)
    plan.take("ball.restitution", (0.37,), (0.43,))
    found = plan.get("ball.restitution")
    assert found is not None
    assert found[0].values == tuple(sorted({*values, 0.37}))
    assert plan.next_path() is None


def test_dark_is_near_in_both_themes_and_a_failure_is_no_error(application) -> None:
    for theme in ("dark", "light"):
        apply_theme(application, theme)
        colors = strip_colors(np.array([0.0, 0.1, 0.4, np.nan])).astype(int).sum(axis=1)
        assert colors[0] < colors[1] < colors[2]
        assert not (strip_colors(np.array([np.nan, 1.0]))[0] == strip_colors(np.array([0.0, 1.0]))[0]).all()


@pytest.fixture
def row(qtbot: QtBot) -> ParameterRow:
    made = ParameterRow(parameter(parse_script(REFERENCE).world, "ball.restitution"))
    qtbot.addWidget(made)
    made.resize(300, 60)
    made.show()
    values = np.array([0.0, 0.5, 0.613, 1.0])
    made.set_strip(np.array([0.2, 0.1, 0.0, 0.3]), values=values)
    return made


def test_a_narrow_valley_keeps_its_column_and_the_number_under_the_mouse_is_told(row: ParameterRow) -> None:
    strip = row.strip()
    columns = strip.columns()
    assert columns.min() == 0.0
    x = int(np.argmin(columns))
    assert "0.613" in strip.words_at(x)
    assert "0 mm" in strip.words_at(x)
    assert "one undo step" in strip.words_at(x)
    between = strip.words_at((x + strip.width()) / 2)
    assert "≈" in between, "a number between samples says that it is one"


def test_a_click_near_a_sample_takes_exactly_its_value(row: ParameterRow, qtbot: QtBot) -> None:
    x = int(np.argmin(row.strip().columns()))
    taken: list[float] = []
    row.taken.connect(lambda path, value: taken.append(value))
    with qtbot.waitSignal(row.committed) as committed:
        qtbot.mouseClick(row.strip(), Qt.MouseButton.LeftButton, pos=QPoint(x + 2, 3))
    assert committed.args == ["ball.restitution", 0.613]
    assert taken == [0.613]

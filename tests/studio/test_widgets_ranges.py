"""Ranges of the error strips: fixed to the thresholds, or to the errors on a key."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from fourdcb.metrics import load_criteria
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.theme import apply_theme, magnitude_colormap, magnitude_colors, signed_colors, tokens
from fourdcb_studio.views.time.data import ErrorTracks, Limits, TimelineData


def of(errors: float) -> TimelineData:
    tracks = ErrorTracks(np.full((4, 3), errors), np.full(4, errors), np.full(4, errors / 100))
    return TimelineData(
        n_frames=4, errors={"cup": tracks}, selected="cup", thresholds=Limits(20.0, 3.0, 0.08)
    )


def test_the_range_is_the_same_before_and_after_a_fix() -> None:
    before, after = of(480.0), of(0.4)
    assert before.limits() == after.limits() == Limits(200.0, 30.0, 0.8)
    assert before.within() == Limits(20.0, 3.0, 0.08)


def test_ranges_follow_the_errors_where_that_is_wished() -> None:
    from dataclasses import replace

    auto = replace(of(480.0), auto=True)
    assert auto.limits().position == 500
    assert auto.within() == Limits(0.0, 0.0, 0.0)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_what_is_within_is_neutral_and_what_is_beyond_is_seen_at_once(qapp: QApplication, theme) -> None:
    apply_theme(qapp, theme)
    color = tokens().color("neutral")
    neutral = np.array([color.red(), color.green(), color.blue()])
    inside, outside = np.array([-20.0, 0.0, 19.9]), np.array([-21.0, 21.0])
    assert np.abs(signed_colors(inside, 200.0, 20.0).astype(int) - neutral).max() <= 6
    assert np.abs(magnitude_colors(np.abs(inside), 200.0, 20.0).astype(int) - neutral).max() <= 1
    for found in (signed_colors(outside, 200.0, 20.0), magnitude_colors(np.abs(outside), 200.0, 20.0)):
        assert (np.abs(found.astype(int) - neutral).max(axis=1) >= 40).all()


def test_dark_is_small_and_bright_is_large_in_both_themes(qapp: QApplication) -> None:
    maps = []
    for theme in ("dark", "light"):
        apply_theme(qapp, theme)
        maps.append(magnitude_colormap())
        brightness = maps[-1].astype(float) @ [0.2126, 0.7152, 0.0722]
        assert (np.diff(brightness) > -1.0).all()
    assert (maps[0] == maps[1]).all()


def test_the_windows_strips_take_the_thresholds_of_the_judge_and_a_key_frees_them(
    window: MainWindow, scene_folder, until
) -> None:
    window.open_paths([scene_folder.folder])
    time = window.parts.time
    until(lambda: time.data().thresholds is not None)
    judged = load_criteria(None).thresholds
    assert time.data().within() == Limits(
        1000 * judged["delta_pos"].value, judged["delta_rot"].value, judged["energy_error"].value
    )
    fixed = time.data().limits()
    window.session.commit("ball.restitution", 0.8)
    until(lambda: window.session.settled)
    window.flush()
    assert time.data().limits() == fixed
    window.actions_.run("range_auto")
    assert time.data().auto
    assert time.data().limits() != fixed
    window.actions_.run("range_auto")
    assert time.data().limits() == fixed

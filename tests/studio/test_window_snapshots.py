"""Snapshots by name, which one is before, and every figure before and after on screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourdcb.metrics.result import MetricValue
from fourdcb.report.wording import metric_value
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.panels.before_after import _change, figures
from fourdcb_studio.panels.snapshots_card import SnapshotsCard

Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def window(window: MainWindow, scene_folder, until: Until) -> MainWindow:
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled and window.session.report_is_fresh)
    window.flush()
    return window


def card(window: MainWindow) -> SnapshotsCard:
    window.flush()
    assert window.snapshots.card is not None
    return window.snapshots.card


def line(window: MainWindow, title: str) -> list[str]:
    found = next(x for x in card(window).text().splitlines() if x.startswith(title))
    return found.split(" | ")


def test_figures_of_both_stand_beside_each_other(window: MainWindow, until: Until) -> None:
    session = window.session
    first = session.report.axes["geometry"].metrics["delta_pos"]
    session.commit("ball.restitution", 0.8)
    window.actions_.run("snapshots")
    until(lambda: session.report_is_fresh and session.report_before is not None)
    second = session.report.axes["geometry"].metrics["delta_pos"]
    assert second.value < first.value
    _, before, after, limit, word = line(window, "Position error")
    assert (before, after) == (metric_value("delta_pos", first), metric_value("delta_pos", second))
    assert limit
    assert word == "better"


def test_any_snapshot_can_be_before_and_is_judged_when_it_was_not(window: MainWindow, until: Until) -> None:
    session = window.session
    session.commit("ball.restitution", 0.6)
    session.take_snapshot()  # at once: nobody judged it
    session.commit("ball.restitution", 0.8)
    window.actions_.run("snapshots")
    until(lambda: session.report_is_fresh and session.report_before is not None)
    assert card(window).names() == ["The saved script", "snapshot 1"]
    assert card(window).current() == "snapshot 1"
    assert session.report_before.inputs["edits"] == {"ball.restitution": 0.6}
    middle = line(window, "Position error")[1]
    card(window).chosen.emit("saved")
    until(lambda: session.report_before is not None and session.settled)
    assert session.comparison.state.before == "saved"
    assert session.report_before.inputs.get("edits", {}) == {}
    assert line(window, "Position error")[1] != middle


def test_snapshots_are_named_returned_to_and_forgotten(window: MainWindow) -> None:
    session = window.session
    session.commit("ball.mass", 0.7)
    session.take_snapshot()
    session.commit("ball.mass", 0.9)
    session.take_snapshot()
    window.actions_.run("snapshots")
    card(window).renamed.emit("snapshot 1", "light")
    assert card(window).names() == ["The saved script", "light", "snapshot 2"]
    card(window).renamed.emit("snapshot 2", "light")
    assert session.message is not None
    assert session.message.severity == "error"
    card(window).chosen.emit("light")
    card(window).returned.emit("light")
    assert session.candidate_world.object("ball").mass == 0.7
    assert session.can_undo
    card(window).dropped.emit("light")
    assert card(window).names() == ["The saved script", "snapshot 2"]
    assert session.comparison.state.before == "saved"
    session.take_snapshot()
    assert session.parameters.snapshots == ("snapshot 2", "snapshot 3"), "no name twice"


def test_what_is_better_follows_the_side_that_passes() -> None:
    def of(value: float | None, direction: str = "below") -> MetricValue:
        status = "ok" if value is not None else "not_measured"
        return MetricValue(value=value, direction=direction, status=status)

    assert _change(of(2.0), of(1.0)) == "better"
    assert _change(of(2.0, "above"), of(1.0, "above")) == "worse"
    assert _change(of(1.0), of(1.0)) == "same"
    assert _change(of(None), of(1.0)) == "unknown"
    assert list(figures(None, None)) == []

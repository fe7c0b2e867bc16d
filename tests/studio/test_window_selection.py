"""One selection everywhere, causes that name their slider, and reasons for every verdict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from pytestqt.qtbot import QtBot

from fourdcb.metrics.result import AxisResult, Cause, Finding, MetricValue
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.panels.axis_summary import summarise
from fourdcb_studio.panels.findings import cause_text

PATIENCE_MS = 120_000
WINDOW_SIZE = (1280, 720)
LEFT = Qt.MouseButton.LeftButton
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def two(window: MainWindow, scene_folder, until: Until) -> MainWindow:
    """Two balls that lie apart in the picture."""
    for path in (scene_folder.script, scene_folder.folder / "world.py"):
        text = path.read_text()
        start = text.index("ball = Object"), text.index("sun = Dir")
        other = text[slice(*start)].replace("ball", "twin").replace("pos=[0, 0, 0.6]", "pos=[0.5, 0, 0.6]")
        text = text.replace("sun = Dir", f"{other}sun = Dir").replace("[ball]", "[ball, twin]")
        path.write_text(text)
    window.open_paths([scene_folder.folder])
    until(lambda: window.session.settled)
    return window


def _pixel_of(window: MainWindow, until: Until, name: str) -> QPoint:
    """Where a body is seen in the replay [widget px]."""
    images = window.parts.images
    images.hovered.emit(32, 32)
    until(lambda: window.session.probe("candidate") is not None)
    probe = window.session.probe("candidate")
    assert probe is not None
    y, x = np.argwhere(probe.answer.instance == probe.index(name)).mean(axis=0)
    cell: QRectF = images.cell_rects()[1]
    target = images.view().target(cell, 64, 64)
    scale = target.width() / 64
    return (target.topLeft() + QPointF((x + 0.5) * scale, (y + 0.5) * scale)).toPoint()


def test_a_body_that_is_clicked_in_the_images_is_selected_everywhere(
    two: MainWindow, until: Until, qtbot: QtBot
) -> None:
    for name in ("twin", "ball"):
        qtbot.mouseClick(two.parts.images, LEFT, pos=_pixel_of(two, until, name))
        until(lambda name=name: two.session.selection.object == name)
        two.flush()
        assert two.parts.parameters.owner() == name
        assert two.parts.time.data().selected == name
    two.actions_.run("outlines")
    until(lambda: two.session.probe("candidate") is not None and two.session.probe("reference") is not None)
    two.flush()
    assert two.parts.images.outlined("candidate") == (True, True)


def test_3d_view_time_panel_and_parameters_select_for_each_other(two: MainWindow) -> None:
    two.parts.space.canvas.object_picked.emit("twin")
    assert two.parts.parameters.owner() == "twin"
    two.parts.time.object_selected.emit("ball")
    assert two.parts.parameters.owner() == "ball"
    two.parts.parameters.owner_chosen.emit("twin")
    assert two.session.selection.object == "twin"
    two.flush()
    assert two.parts.time.data().selected == "twin"
    two.parts.parameters.owner_chosen.emit("sun")
    assert two.session.selection.object == "twin", "a light is no body"


def test_a_drag_selects_nothing(two: MainWindow, until: Until, qtbot: QtBot) -> None:
    at, images = _pixel_of(two, until, "twin"), two.parts.images
    clicked: list[object] = []
    images.clicked.connect(lambda *what: clicked.append(what))
    qtbot.mousePress(images, LEFT, pos=at)
    qtbot.mouseMove(images, at + QPoint(40, 0))
    qtbot.mouseRelease(images, LEFT, pos=at + QPoint(40, 0))
    assert not clicked


def test_a_cause_names_its_thing_in_the_sliders_words_and_leads_to_it(two: MainWindow, until: Until) -> None:
    causes = {f.likely_cause.parameter for f in two.session.findings if f.likely_cause is not None}
    assert causes
    for index, finding in enumerate(two.session.findings):
        cause = finding.likely_cause
        if cause is None:
            continue
        two.parts.right.set_folded(True)
        two.parts.findings.activated.emit(index)
        row = two.parts.parameters.row(cause.parameter)
        assert row.isVisible(), "a folded panel opens"
        assert row.slider().hasFocus()
        owner = cause.parameter.split(".")[0]
        assert cause_text(finding).startswith(f"likely: {owner} {row.label()}")


def test_the_component_of_a_vector_has_its_letter() -> None:
    cause = Cause(parameter="ring.ang_vel[1]", current=0.1, suggested=2.5, unit="rad/s")
    finding = Finding(
        frame=1, time=0.0, axis="physics", objects=(), arguments={"text": "x"}, likely_cause=cause
    )
    assert cause_text(finding) == "likely: ring ang vel y ≈ 2.5 rad/s"


def test_what_is_open_says_why_by_tooltip_and_by_click(
    window: MainWindow, scene_folder, tmp_path: Path, until: Until, qtbot: QtBot
) -> None:
    script = tmp_path / "alone.py"
    script.write_bytes(scene_folder.script.read_bytes())
    video = tmp_path / "alone.mp4"
    video.write_bytes(scene_folder.video.read_bytes())
    window.open_paths([script, video])
    until(lambda: window.session.settled and window.session.report is not None)
    window.flush()
    report = window.session.report
    assert report is not None
    assert report.verdict == "INCONCLUSIVE"
    pill, chip = window.parts.verdict.pill(), window.parts.verdict.chip("physics")
    assert report.reasons[0] in pill.toolTip()
    physics = [m.reason for m in report.axes["physics"].metrics.values() if m.reason]
    assert physics
    assert physics[0] in chip.toolTip()
    qtbot.mouseClick(pill, LEFT)
    card = window.reasons.card
    assert card is not None
    assert card.isVisible()
    assert all(reason in card.text() for reason in (*report.reasons, *physics))
    card.dismiss()
    qtbot.mouseClick(chip, LEFT)
    assert card.isVisible()


def test_a_figure_that_is_not_judged_here_is_not_held_against_its_threshold() -> None:
    rate = MetricValue(value=40.0, unit="1/s", threshold=45.0, direction="above", passed=None)
    result = AxisResult(passed=True, metrics={"replay_fps": rate})
    (summary,) = summarise({"time": result})
    assert summary.figures == "not judged on this machine"
    assert summary.passed is None, "no tick where nobody judged"
    assert summary.reasons == ("not judged on this machine",)
    held = MetricValue(value=40.0, unit="1/s", threshold=45.0, direction="above", passed=False)
    (summary,) = summarise({"time": AxisResult(passed=False, metrics={"replay_fps": held})})
    assert "must be above 45" in summary.sentence

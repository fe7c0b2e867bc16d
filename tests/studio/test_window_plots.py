"""Plots of a real scene: they agree with the motion, follow the clock both ways, and are written as files."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from fourdcb.errors import UserError
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.views.plots.data import PlotsData
from fourdcb_studio.views.plots.files import write_plots
from fourdcb_studio.views.plots.heatmaps import HeatmapStack
from fourdcb_studio.views.plots.stack import CurveStack

PATIENCE_MS = 120_000
GRAVITY = 9.8


@pytest.fixture
def plots(window: MainWindow, scene_folder, until) -> MainWindow:
    window.open_paths([scene_folder.folder])
    window.session.open_candidate(scene_folder.script)
    until(lambda: window.session.settled and window.session.report_is_fresh)
    window.actions_.run("view_plots")
    window.flush()
    return window


def stack_of(window: MainWindow) -> CurveStack:
    stack = window.parts.plots.shown_stack()
    assert isinstance(stack, CurveStack)
    return stack


def table(window: MainWindow, path: Path) -> dict[str, np.ndarray]:
    write_plots(window.parts.plots, path)
    heads, *lines = list(csv.reader(path.read_text().splitlines()))
    return {
        head: np.array([float(line[i]) if line[i] else np.nan for line in lines])
        for i, head in enumerate(heads)
    }


def test_curves_are_mechanics_and_energies_add_up(plots: MainWindow, tmp_path: Path) -> None:
    plots.parts.plots.choose(
        quantities=("height", "velocity_z", "speed", "velocity_x", "kinetic", "potential", "energy")
    )
    found = table(plots, tmp_path / "plots.csv")
    t, fall = found["time [s]"], found["time [s]"] < 0.3  # it falls 0.5 m in 0.32 s
    height = 0.6 - GRAVITY / 2 * t**2
    np.testing.assert_allclose(found["ball height candidate [m]"][fall], height[fall], atol=2e-3)
    np.testing.assert_allclose(found["ball velocity_z reference [m/s]"][fall], -GRAVITY * t[fall], atol=1e-2)
    np.testing.assert_allclose(found["ball velocity_x candidate [m/s]"][fall], 0.3, atol=1e-6)
    speed = np.hypot(found["ball velocity_x candidate [m/s]"], found["ball velocity_z candidate [m/s]"])
    np.testing.assert_allclose(found["ball speed candidate [m/s]"][fall], speed[fall], atol=1e-6)
    np.testing.assert_allclose(
        found["ball kinetic candidate [J]"] + found["ball potential candidate [J]"],
        found["ball energy candidate [J]"],
        atol=1e-7,
    )


def test_before_is_plotted_beside_what_it_became(plots: MainWindow, until, tmp_path: Path) -> None:
    view = plots.parts.plots
    view.choose(quantities=("height",), roles=("candidate", "reference", "before"))
    plots.session.commit("ball.restitution", 0.8)  # what the reference has
    until(lambda: plots.session.settled and plots.session.motion("before") is not None)
    plots.flush()
    found = table(plots, tmp_path / "plots.csv")
    candidate, reference = found["ball height candidate [m]"], found["ball height reference [m]"]
    np.testing.assert_allclose(candidate, reference, atol=1e-6)
    assert np.nanmax(np.abs(found["ball height before [m]"] - reference)) > 0.05


def test_plots_and_time_panel_show_the_same_frames(plots: MainWindow) -> None:
    stack, time = stack_of(plots), plots.parts.time
    last = plots.session.clock.n_frames - 0.5
    assert stack.span() == (-0.5, last)
    view = stack.plots[1].getViewBox()
    view.setXRange(4.5, 12.5, padding=0)
    view.sigRangeChangedManually.emit([True, False])
    assert time.canvas().span() == (5.0, 13.0)
    assert stack.plots[0].getViewBox().viewRange()[0] == pytest.approx([4.5, 12.5])
    time.canvas().set_span(2.0, 8.0)
    time.canvas().span_changed.emit()
    assert stack.span() == (1.5, 7.5)
    plots.actions_.run("time_all")
    assert stack.span() == (-0.5, last)
    assert not time.canvas().axis().zoomed


def test_a_click_seeks_and_the_playhead_follows_the_clock(plots: MainWindow) -> None:
    stack = stack_of(plots)
    at = stack.plots[0].getViewBox().mapViewToScene(QPointF(9.2, 0.3))
    assert stack.frame_at(at) == (9, 0)
    stack.clicked(9, 0, at)
    assert plots.session.clock.frame == 9
    plots.session.clock.seek(3)
    assert stack._heads[0].value() == 3
    title = stack._titles[0].text
    assert "3 · 0.100 s" in title


def test_error_maps_hold_the_errors_of_the_strips_and_select(plots: MainWindow) -> None:
    plots.parts.plots.set_page("maps")
    plots.flush()
    stack = plots.parts.plots.shown_stack()
    assert isinstance(stack, HeatmapStack)
    data = plots.parts.plots.shown_data()
    assert [m.id for m in data.maps] == ["x", "y", "z", "rotation", "velocity", "energy"]
    strips = plots.parts.time.data().errors["ball"]
    np.testing.assert_allclose(data.maps[2].values[0], strips.xyz[:, 2])
    motions = [plots.session.motion(role) for role in ("candidate", "reference")]
    heights = [m.position[:, 0, 2] for m in motions if m is not None]
    worst = int(np.argmax(np.abs(heights[0] - heights[1])))
    assert int(np.nanargmax(np.abs(data.maps[2].values[0]))) == worst
    seen: list[str] = []
    stack.object_selected.connect(seen.append)
    at = stack.plots[2].getViewBox().mapViewToScene(QPointF(worst, 0.2))
    stack._look_under(at)
    assert f"{1000 * (heights[0] - heights[1])[worst]:.2f}".lstrip("-") in stack._titles[2].text
    stack.clicked(worst, 2, at)
    assert (seen, plots.session.clock.frame) == (["ball"], worst)


def test_pictures_and_drawings_are_written(plots: MainWindow, tmp_path: Path) -> None:
    write_plots(plots.parts.plots, tmp_path / "plots.png")
    image = QImage(str(tmp_path / "plots.png"))
    assert image.width() == 2 * stack_of(plots).viewport().width()
    colors = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 7)}
    assert len(colors) > 10
    write_plots(plots.parts.plots, tmp_path / "plots.svg")
    drawing = ElementTree.parse(tmp_path / "plots.svg").getroot()
    assert drawing.tag.endswith("svg")
    assert len(list(drawing.iter())) > 50
    with pytest.raises(UserError, match="cannot be written so"):
        write_plots(plots.parts.plots, tmp_path / "plots.gif")
    plots.parts.plots.set_data(PlotsData())
    with pytest.raises(UserError, match="nothing to plot"):
        write_plots(plots.parts.plots, tmp_path / "none.csv")


def test_docked_plots_lie_under_the_images_and_come_back(plots: MainWindow) -> None:
    parts = plots.parts
    plots.actions_.run("dock_plots")
    assert parts.shown_view() == "images"
    assert parts.plots.isVisible()
    assert parts.images.isVisible()
    plots.actions_.run("view_script")
    assert not parts.plots.isVisible()
    plots.actions_.run("view_images")
    assert parts.plots.isVisible()
    plots.actions_.run("view_plots")
    assert parts.shown_view() == "plots"
    assert not parts.images.isVisible()


def test_without_a_script_the_view_says_so(window: MainWindow) -> None:
    window.actions_.run("view_plots")
    window.flush()
    assert window.parts.plots.shown_stack() is None
    assert "script" in window.parts.plots._note.text()


def test_nothing_is_loaded_for_plots_and_3d_before_they_are_seen(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from fourdcb_studio.application import make_application\n"
        "application = make_application('dark')\n"
        "from fourdcb_studio.workspace import Workspace\n"
        "parts = Workspace()\n"
        "parts.show()\n"
        "application.processEvents()\n"
        "print(sorted({'pyqtgraph', 'vispy', 'OpenGL', 'PySide6.QtOpenGL'} & set(sys.modules)))\n"
    )
    env = dict(os.environ, QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=str(tmp_path))
    told = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=120, check=True
    )
    assert told.stdout.strip().splitlines()[-1] == "[]"

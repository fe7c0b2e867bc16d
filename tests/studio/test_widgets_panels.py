"""The panels: what they say, what they emit, and that nothing is cut at the sizes that are promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from fourdcb.metrics.result import AxisResult, Cause, Finding, MetricValue
from fourdcb.report.wording import metric_value
from fourdcb.world import parameters
from fourdcb_studio import gallery, gallery_data
from fourdcb_studio.panels.axis_summary import summarise
from fourdcb_studio.panels.cases import Case, CasesPanel
from fourdcb_studio.panels.command_palette import CommandPalette, match_score
from fourdcb_studio.panels.findings import FindingsPanel, cause_text, sentence
from fourdcb_studio.panels.message_bar import MessageBar
from fourdcb_studio.panels.parameters import ParametersPanel
from fourdcb_studio.panels.shortcut_sheet import ShortcutSheet
from fourdcb_studio.panels.status_bar import StatusBar
from fourdcb_studio.panels.verdict_bar import VerdictBar
from fourdcb_studio.theme import apply_theme
from fourdcb_studio.views.compare.pixel_readout import PixelReadout, PixelValues
from fourdcb_studio.widgets.segmented import Segmented
from fourdcb_studio.workspace import Workspace

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def _theme(qapp: QApplication) -> None:
    # Widgets of earlier tests go now: outside an event loop Qt keeps them, and styling visits them all.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    apply_theme(qapp, "dark")


def show(qtbot: QtBot, widget: QWidget, width: int, height: int) -> None:
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    QApplication.processEvents()


def metric(value: float, threshold: float, passed: bool, **more: object) -> MetricValue:
    return MetricValue(value=value, threshold=threshold, passed=passed, **more)  # type: ignore[arg-type]


# Axes and verdict


def test_the_deciding_metric_is_the_worst_one_that_failed() -> None:
    result = AxisResult(
        passed=False,
        metrics={
            "iou": metric(0.70, 0.9, False, direction="above"),
            "rmse": metric(0.061, 0.02, False, unit="m"),
            "fine": metric(1.0, 1.1, True),
        },
    )
    (summary,) = summarise({"geometry": result})
    assert (summary.metric, summary.figures) == ("Rmse", "61 / 20 mm")
    assert summary.sentence == "Rmse: 61 mm, must be below 20 mm"


def test_a_length_stands_beside_its_share_of_the_body() -> None:
    far = replace(metric(0.061, 0.02, False, unit="m"), detail={"relative": 0.22})
    (summary,) = summarise({"geometry": AxisResult(passed=False, metrics={"delta_pos": far})})
    assert summary.sentence == "Position error: 61 mm (22 % of its diagonal), must be below 20 mm"


def test_a_passing_axis_shows_what_is_nearest_to_its_threshold() -> None:
    result = AxisResult(
        passed=True,
        metrics={"far": metric(0.1, 1.0, True), "near": metric(0.95, 0.9, True, direction="above")},
    )
    (summary,) = summarise({"time": result})
    assert summary.metric == "Near"


@pytest.mark.parametrize(
    ("name", "value", "threshold", "unit", "direction", "figures"),
    [
        ("collision_accuracy", 1.0, 0.95, "", "above", "100 / 95 %"),
        ("energy_error", 0.0273, 0.08, "", "below", "2.7 / 8 %"),
        ("delta_pos", 0.0315, 0.02, "m", "below", "32 / 20 mm"),
        ("light_offset", 7.25, 5.0, "deg", "below", "7.2 / 5°"),
    ],
)
def test_a_chip_tells_a_metric_in_the_units_of_the_reports(
    name: str, value: float, threshold: float, unit: str, direction: str, figures: str
) -> None:
    passed = (value < threshold) == (direction == "below")
    told = metric(value, threshold, passed, unit=unit, direction=direction)
    (summary,) = summarise({"physics": AxisResult(passed=passed, metrics={name: told})})
    assert summary.figures == figures
    assert metric_value(name, told).endswith(summary.short_unit)


def test_an_axis_that_was_not_measured_says_so() -> None:
    result = AxisResult(passed=None, metrics={"m": MetricValue(status="not_measured", reason="no truth")})
    (summary,) = summarise({"physics": result})
    assert summary.figures == "not measured"


def test_an_axis_of_which_nothing_happens_has_neither_tick_nor_cross() -> None:
    # A body in water has no impact and touches nothing: the axis passes, and there is nothing to tick.
    nothing = MetricValue(status="not_applicable", reason="nothing touches in either world")
    (summary,) = summarise({"physics": AxisResult(passed=True, metrics={"collision_accuracy": nothing})})
    assert (summary.passed, summary.figures) == (None, "not applicable")
    assert summary.reasons == ("nothing touches in either world",)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("DEPLOYABLE", "DEPLOYABLE"),
        ("DEPLOYMENT_NOT_RECOMMENDED", "NOT DEPLOYABLE"),
        ("INCONCLUSIVE", "INCONCLUSIVE"),
        (None, "NOT JUDGED"),
    ],
)
def test_the_verdict_is_in_words(qtbot: QtBot, verdict: str | None, words: str) -> None:
    bar = VerdictBar()
    show(qtbot, bar, 1280, 48)
    bar.set_verdict(verdict)  # type: ignore[arg-type]
    assert bar.pill().text() == words


def test_chips_and_buttons_emit(qtbot: QtBot) -> None:
    bar = VerdictBar()
    bar.set_axes(gallery_data.axes())
    show(qtbot, bar, 1600, 48)
    with qtbot.waitSignal(bar.axis_activated) as axis:
        qtbot.mouseClick(bar.chip("time"), LEFT)
    assert axis.args == ["time"]
    with qtbot.waitSignal(bar.axis_activated) as axis:
        qtbot.keyClick(bar.chip("physics"), Qt.Key.Key_Space)
    assert axis.args == ["physics"]
    seen: list[str] = []
    bar.action.connect(seen.append)
    for button in bar.findChildren(QPushButton):
        if button.isVisible():
            qtbot.mouseClick(button, LEFT)
    assert seen == ["snapshot", "export_report", "palette"]
    bar.offer("solve", True)
    assert any(b.text().startswith("Fit") and b.isVisible() for b in bar.findChildren(QPushButton))


# Findings and cases


def test_findings_are_activated_by_mouse_and_enter(qtbot: QtBot) -> None:
    panel = FindingsPanel()
    show(qtbot, panel, 264, 300)
    panel.set_findings(gallery_data.findings())
    assert panel.current() == -1
    view = panel._list
    with qtbot.waitSignal(panel.activated) as activated:
        at = view.visualItemRect(view.item(2)).center()
        qtbot.mouseClick(view.viewport(), LEFT, pos=at)
    assert activated.args == [2]
    panel.set_findings(gallery_data.findings()[:3])
    assert panel.current() == 2, "the selection stays"
    panel.set_findings(())
    panel.set_empty("No findings", "The replay meets every threshold.")
    assert panel._stack.currentIndex() == 0


def test_a_cause_is_told_with_its_value() -> None:
    finding = Finding(frame=1, time=0.0, axis="physics", objects=("cup",), arguments={"text": "x"})
    assert cause_text(finding) == ""
    cause = Cause(parameter="cup.rolling_friction", current=0.1, suggested=0.0123, unit="m")
    finding = Finding(
        frame=1, time=0.0, axis="physics", objects=(), arguments={"text": "x"}, likely_cause=cause
    )
    assert cause_text(finding) == "likely: cup rolling friction ≈ 0.0123 m"


def test_a_long_finding_is_wrapped_and_its_row_grows(qtbot: QtBot) -> None:
    panel = FindingsPanel()
    show(qtbot, panel, 264, 300)
    short = Finding(frame=None, time=None, axis="time", objects=(), arguments={"text": "late"})
    long = Finding(
        frame=3, time=0.1, axis="time", objects=(), arguments={"text": "a very long sentence " * 12}
    )
    panel.set_findings((short, long))
    heights = [panel._list.sizeHintForRow(i) for i in range(2)]
    assert heights[1] == heights[0] + 3 * 18, "four lines at most"
    assert sentence(long) in panel._list.item(1).toolTip()
    panel.grab()


def test_cases_keep_their_selection_and_emit_names(qtbot: QtBot) -> None:
    panel = CasesPanel()
    show(qtbot, panel, 264, 300)
    cases = [Case("a", "note", True, gallery_data.picture(0.1, 0)[::8, ::8]), Case("b", passed=False)]
    panel.set_cases(cases)
    panel.set_current("b")
    panel.set_cases(cases[::-1])
    assert panel._list.currentItem().text() == "b"
    with qtbot.waitSignal(panel.activated) as activated:
        qtbot.mouseClick(panel._list.viewport(), LEFT, pos=QPoint(100, 70))
    assert activated.args == ["a"]
    panel.set_facets([("physics", 3)])
    chip = panel.findChild(QPushButton)
    assert chip is not None
    with qtbot.waitSignal(panel.filter_toggled) as toggled:
        qtbot.mouseClick(chip, LEFT)
    assert toggled.args == ["physics", True]
    panel.grab()


# Parameters


@pytest.fixture
def panel(qtbot: QtBot) -> ParametersPanel:
    widget = ParametersPanel()
    show(qtbot, widget, 320, 600)
    found = parameters(gallery_data.make_world())
    widget.set_parameters(found, {p.path: p.value for p in found}, set())
    return widget


def test_every_thing_has_a_chip_and_every_parameter_a_row(panel: ParametersPanel) -> None:
    found = parameters(gallery_data.make_world())
    shown: set[str] = set()
    for owner in dict.fromkeys(p.owner for p in found):
        panel.select_owner(owner)
        shown |= set(panel.visible_paths())
    assert shown == {p.path for p in found}


def test_an_edit_updates_the_rows_without_making_new_ones(panel: ParametersPanel) -> None:
    found = parameters(gallery_data.make_world())
    row = panel.row("cup.restitution")
    values = {p.path: p.value for p in found}
    panel.set_parameters(found, {**values, "cup.restitution": 0.9}, {"cup.restitution", "table.friction"})
    assert panel.row("cup.restitution") is row
    assert panel._reset.text() == "2 changed · reset"
    assert not row._dot.isHidden()


def test_panel_forwards_the_rows_signals(panel: ParametersPanel, qtbot: QtBot) -> None:
    slider = panel.row("cup.friction").slider()
    with qtbot.waitSignals([panel.changing, panel.committed]):
        qtbot.mouseClick(slider, LEFT, pos=QPoint(200, 9))
    found = parameters(gallery_data.make_world())
    panel.set_parameters(found, {}, {"cup.friction"})
    with qtbot.waitSignal(panel.reset_all_requested):
        qtbot.mouseClick(panel._reset, LEFT)


def test_reveal_switches_to_the_thing_and_gives_the_slider_the_keyboard(panel: ParametersPanel) -> None:
    panel.reveal("sun.intensity")
    assert panel.owner() == "sun"
    assert panel.row("sun.intensity").slider().hasFocus()
    with pytest.raises(KeyError):
        panel.reveal("moon.intensity")


def test_strips_and_notes_survive_a_change_of_the_thing(panel: ParametersPanel) -> None:
    panel.set_strip("cup.friction", np.linspace(0, 1, 8), stale=True)
    panel.set_note("cup.mass", "not observable in this clip")
    panel.select_owner("camera")
    panel.select_owner("cup")
    assert not panel.row("cup.friction")._strip.isHidden()
    assert panel.row("cup.mass")._note.text() == "not observable in this clip"


def test_no_script_is_told_in_words(panel: ParametersPanel) -> None:
    panel.set_parameters((), {}, set())
    assert panel.visible_paths() == ()
    assert not panel._empty.isHidden()


# Bars


def test_the_command_is_copied_by_a_click(qtbot: QtBot) -> None:
    bar = StatusBar()
    show(qtbot, bar, 900, 24)
    command = "fourdcb studio slide_cup --frame 42 --set cup.restitution=0.35 " + "x" * 400
    bar.set_command(command)
    with qtbot.waitSignal(bar.copied) as copied:
        qtbot.mouseClick(bar.findChild(QPushButton), LEFT)
    assert copied.args == [command]
    assert QGuiApplication.clipboard().text() == command


def test_freshness_has_a_word_of_its_own_for_every_state(qtbot: QtBot) -> None:
    bar = StatusBar()
    show(qtbot, bar, 900, 24)
    words = set()
    for state in ("fresh", "preview", "stale", "working", "failed", "idle"):
        bar.set_state(state)  # type: ignore[arg-type]
        words.add(bar.state_word())
    assert len(words) == 6
    bar.set_state("working", "compiling")
    assert bar.state_word() == "compiling"


def test_a_message_has_details_an_action_and_can_be_closed(qtbot: QtBot) -> None:
    bar = MessageBar()
    show(qtbot, bar, 900, 40)
    bar.show_message("It failed", "long\nstory", action=("undo", "Undo edit"))
    assert bar.isVisible()
    buttons = {b.text(): b for b in bar.findChildren(QPushButton)}
    assert not bar._details.isVisible()
    qtbot.mouseClick(buttons["details"], LEFT)
    assert bar._details.isVisible()
    with qtbot.waitSignal(bar.action) as action:
        qtbot.mouseClick(buttons["Undo edit"], LEFT)
    assert action.args == ["undo"]
    with qtbot.waitSignal(bar.closed):
        qtbot.mouseClick(bar._close, LEFT)
    assert not bar.isVisible()
    bar.show_message("News", severity="info")
    assert not buttons["details"].isVisible()


def test_pixel_figures_are_signed_and_complete(qtbot: QtBot) -> None:
    readout = PixelReadout()
    show(qtbot, readout, 900, 24)
    readout.set_pixel(PixelValues(1, 2, (214, 196, 171), (61, 58, 200), 1.742, "cup"))
    assert "Δ −153 −138  +29" in readout.text()
    assert "depth 1.742 m" in readout.text()
    readout.set_quality(24.1, None)
    readout.grab()
    readout.set_pixel(None)
    assert readout.text() == ""
    readout.grab()


# Palette and sheet

COMMANDS = [("play", "Play or pause", "Space"), ("mode_wipe", "Wipe", "3"), ("reset", "Reset all", "")]


def test_palette_finds_by_letters_in_order(qtbot: QtBot) -> None:
    host = QWidget()
    show(qtbot, host, 800, 600)
    palette = CommandPalette(host)
    palette.set_commands(COMMANDS)
    palette.open()
    assert palette.shown_ids() == ("play", "mode_wipe", "reset")
    qtbot.keyClicks(palette.edit(), "pp")
    assert palette.shown_ids() == ("play",)
    with qtbot.waitSignal(palette.chosen) as chosen:
        qtbot.keyClick(palette.edit(), Qt.Key.Key_Return)
    assert chosen.args == ["play"]
    assert not palette.isVisible()


def test_word_starts_win_over_letters_inside_words() -> None:
    better, worse = match_score("nf", "Next finding"), match_score("nf", "Unfold")
    assert better is not None
    assert worse is not None
    assert better < worse
    assert match_score("zz", "Next finding") is None


def test_overlay_gives_the_keyboard_back(qtbot: QtBot) -> None:
    host = QWidget()
    edit = QLineEdit(host)
    show(qtbot, host, 800, 600)
    edit.setFocus()
    palette = CommandPalette(host)
    palette.set_commands(COMMANDS)
    palette.open()
    assert palette.edit().hasFocus()
    qtbot.keyClick(palette.edit(), Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert edit.hasFocus()


def test_sheet_lists_what_has_a_key(qtbot: QtBot) -> None:
    host = QWidget()
    show(qtbot, host, 800, 600)
    sheet = ShortcutSheet(host)
    sheet.set_commands(COMMANDS)
    sheet.open()
    texts = {w.text() for w in sheet.findChildren(QWidget) if hasattr(w, "text")}
    assert {"Space", "3", "Wipe"} <= texts
    assert "Reset all" not in texts
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def test_a_sheet_closes_when_who_had_the_keyboard_is_gone(qtbot: QtBot) -> None:
    host = QWidget()
    button = QPushButton("gone soon", host)
    show(qtbot, host, 800, 600)
    button.setFocus()
    sheet = ShortcutSheet(host)
    sheet.open()
    delete(button)
    sheet.dismiss()
    assert not sheet.isVisible()


# The whole window


def cut_controls(space: Workspace) -> list[str]:
    """Buttons and choices that are narrower than they ask for, or reach out of the window."""
    cut = []
    for widget in space.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QAbstractButton | Segmented):
            continue
        at = widget.mapTo(space, QPoint(0, 0))
        inside = at.x() >= 0 and at.x() + widget.width() <= space.width()
        if widget.width() < widget.minimumSizeHint().width() or not inside:
            cut.append(f"{type(widget).__name__} {getattr(widget, 'text', lambda: '')()!r}")
    return cut


@pytest.mark.parametrize("make", [gallery.make_workspace, gallery.make_empty, gallery.make_error])
def test_nothing_is_cut(qtbot: QtBot, make: Callable[[], Workspace]) -> None:
    space = make()
    for size in ((1600, 1000), (1280, 720), (1920, 1080)):
        show(qtbot, space, *size)
        assert (space.width(), space.height()) == size, "the window takes the size"
        assert cut_controls(space) == []


def test_the_theme_can_be_switched_under_a_shown_window(qapp: QApplication, qtbot: QtBot) -> None:
    space = gallery.make_workspace()
    show(qtbot, space, 1280, 720)
    shown = []
    for name in ("light", "dark"):
        apply_theme(qapp, name)  # type: ignore[arg-type]
        QApplication.processEvents()
        picture = space.grab().toImage()
        shown.append([picture.pixelColor(x, y).lightness() for x, y in ((700, 5), (60, 700), (60, 520))])
    assert min(shown[0]) > 200
    assert max(shown[1]) < 60


def test_at_the_small_size_the_sides_fold_and_images_keep_300_px(qtbot: QtBot) -> None:
    space = gallery.make_workspace()
    show(qtbot, space, 1280, 720)
    assert space.left.is_folded()
    assert space.right.is_folded()
    assert all(cell.height() >= 300 for cell in space.images.cell_rects())
    kinds = [r.kind for r in space.time.canvas().rows()]
    assert {"ruler", "findings", "x", "y", "z", "curve"} <= set(kinds)
    space.resize(1600, 1000)
    QApplication.processEvents()
    assert not space.left.is_folded()


def test_a_side_that_the_user_opened_stays_open(qtbot: QtBot) -> None:
    space = gallery.make_workspace()
    show(qtbot, space, 1280, 720)
    button = next(b for b, _ in space.right._names)
    qtbot.mouseClick(button, LEFT)
    assert not space.right.is_folded()
    space.resize(1300, 730)
    QApplication.processEvents()
    assert not space.right.is_folded()
    assert cut_controls(space) == []


def test_a_long_unit_stays_in_the_tooltip(qtbot: QtBot) -> None:
    bar = VerdictBar()
    show(qtbot, bar, 1600, 48)
    long = metric(0.27, 0.05, False, unit="mm per 1/30 s")
    bar.set_axes({"time": AxisResult(passed=False, metrics={"flow_error": long})})
    (summary,) = summarise({"time": AxisResult(passed=False, metrics={"flow_error": long})})
    assert summary.figures == "0.27 / 0.05"
    assert "Motion error: 0.27 mm per 1/30 s, must be below 0.05 mm per 1/30 s" in bar.chip("time").toolTip()


def test_the_middle_shows_what_the_bar_says(qtbot: QtBot) -> None:
    space = gallery.make_workspace()
    show(qtbot, space, 1600, 1000)
    views = space.view_bar._views
    for index, widget in ((1, space.space), (2, space.plots), (3, space.script), (0, space.images)):
        qtbot.mouseClick(views, LEFT, pos=views.segment_rects()[index].center().toPoint())
        assert space.middle.currentWidget() is widget
        assert cut_controls(space) == []
    space.show_view("script")
    assert views.current() == "script"
    with pytest.raises(KeyError):
        space.show_view("sound")

"""What must not jump, be cut or be hidden: chips, legends, marks under the playhead, figures, the sheet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fourdcb.dsl import parse_script
from fourdcb.world import Parameter, parameters
from fourdcb_studio.actions.table import GROUPS, command_groups, command_list
from fourdcb_studio.panels.message_bar import MessageBar
from fourdcb_studio.panels.parameters import OwnerChip, OwnerChips, ParametersPanel
from fourdcb_studio.panels.shortcut_sheet import ShortcutSheet
from fourdcb_studio.panels.verdict_bar import VerdictBar
from fourdcb_studio.theme import tokens
from fourdcb_studio.views.compare.pixel_readout import PixelReadout
from fourdcb_studio.views.script.code_edit import CodeEdit
from fourdcb_studio.views.time.canvas import TimeCanvas
from fourdcb_studio.views.time.data import FindingMark, TimelineData
from fourdcb_studio.views.time.legend import ColorBar
from fourdcb_studio.views.time.transport import Transport
from fourdcb_studio.widgets.labels import ElidedLabel, sentence
from fourdcb_studio.widgets.parameter_slider import ParameterRow, SensitivityStrip

pytestmark = pytest.mark.usefixtures("application")


def show(qtbot: QtBot, widget: QWidget, width: int, height: int) -> None:
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    qtbot.wait(10)


def many_objects(count: int) -> list[Parameter]:
    objects = [
        f'o{i} = Object(name="object_{i:02d}", geometry="sphere", size=[0.1, 0.1, 0.1], mass=0.1,'
        f" restitution=0.5, friction=0.4, pos=[{i}, 0, 1], vel=[0, 0, 0], acc=[0, 0, -9.8])"
        for i in range(count)
    ]
    names = ", ".join(f"o{i}" for i in range(count))
    world = f"world = World(duration=1.0, fps=30, objects=[{names}], planes=[], lights=[], camera=camera)"
    camera = "camera = Camera(pos=[0, -3, 1], target=[0, 0, 0], width=64, height=64)"
    source = "\n".join(["from fourdcb.dsl import *", *objects, camera, world])
    return list(parameters(parse_script(source).world))


def test_many_things_leave_the_panel_to_the_sliders_and_the_chosen_chip_is_in_sight(qtbot: QtBot) -> None:
    panel = ParametersPanel()
    panel.set_parameters(many_objects(40), {}, frozenset())
    show(qtbot, panel, 320, 600)
    chips = panel.findChild(OwnerChips)
    assert chips is not None
    assert chips.height() < panel.height() / 3
    panel.select_owner("object_39")
    qtbot.wait(10)
    last = next(c for c in panel.findChildren(OwnerChip) if c.text() == "object_39")
    assert chips.viewport().rect().contains(last.mapTo(chips.viewport(), last.rect().center()))


def test_the_first_edit_makes_no_chip_anew(qtbot: QtBot) -> None:
    known = many_objects(3)
    panel = ParametersPanel()
    panel.set_parameters(known, {}, frozenset())
    show(qtbot, panel, 320, 600)
    before = panel.findChildren(OwnerChip)
    panel.set_parameters(known, {}, {known[0].path})
    assert panel.findChildren(OwnerChip) == before
    assert all(chip.isVisible() for chip in before)
    assert [chip.accessibleName() for chip in before][:2] == ["object_00, changed", "object_01"]


@pytest.mark.parametrize("value", [1e30, -1.5e12, 24838656.0, 0.0, 2.2, -0.45])
def test_a_value_is_never_cut_in_its_box(qtbot: QtBot, value: float) -> None:
    known = next(p for p in many_objects(1) if p.path.endswith("vel[0]"))
    row = ParameterRow(known)
    show(qtbot, row, 300, 60)
    row.set_parameter(replace(known, value=value), file_value=value, changed=False)
    edit = row.edit()
    assert edit.fontMetrics().horizontalAdvance(edit.text()) <= edit.width() - 4
    assert float(edit.text().replace("−", "-")) == pytest.approx(value, rel=1e-3)


def test_another_range_of_errors_moves_nothing_in_the_legend(qtbot: QtBot) -> None:
    bar = ColorBar("error")
    qtbot.addWidget(bar)
    widths = set()
    for limit in (5, 30, 150):
        bar.set_ends(f"−{limit} mm", f"+{limit} mm", signed=True)
        widths.add(bar.sizeHint().width())
    assert len(widths) == 1


def test_a_finding_at_the_playhead_is_drawn_over_it(qtbot: QtBot) -> None:
    canvas = TimeCanvas()
    show(qtbot, canvas, 1280, 240)
    canvas.set_data(TimelineData(n_frames=60, findings=(FindingMark(20, "error", "physics", "off"),)))
    canvas.set_position(20)
    row = next(r for r in canvas.rows() if r.kind == "findings")
    picture = canvas.grab().toImage()
    at = QPoint(round(canvas.axis().x(20)), round(row.middle))
    assert picture.pixelColor(at) == tokens().color("bad")
    assert picture.pixelColor(at + QPoint(0, 60)) == tokens().color("playhead")


def test_icons_and_words_of_both_ways_to_a_finding_stand_together(qtbot: QtBot) -> None:
    transport = Transport()
    transport.set_findings(2)
    show(qtbot, transport, 1280, 48)
    ways = [b for b in transport.findChildren(QPushButton) if "finding" in b.text()]
    assert len(ways) == 2
    for button in ways:
        words = button.fontMetrics().horizontalAdvance(button.text())
        assert button.width() <= words + 60, "icon and words are not set apart"


def test_the_sheet_has_every_group_and_its_keys(qtbot: QtBot) -> None:
    host = QWidget()
    show(qtbot, host, 1600, 1000)
    sheet = ShortcutSheet(host)
    sheet.set_commands(command_list(), command_groups())
    sheet.open()
    texts = [label.text() for label in sheet.findChildren(QLabel)]
    assert {group.upper() for group in GROUPS} <= set(texts)
    assert all(text in texts for _, text, shortcut in command_list() if shortcut)


def test_a_long_scene_leaves_room_for_the_script(qtbot: QtBot) -> None:
    bar = VerdictBar()
    bar.set_scene("滑动的陶瓷杯子从桌子边缘跳下来之后在地板上慢慢停住的场景" * 2)
    bar.set_script("wrong_restitution.py", True)
    show(qtbot, bar, 1280, 48)
    script = next(e for e in bar.findChildren(ElidedLabel) if e.text() == "wrong_restitution.py")
    assert len(script.shown_text()) > 5


def test_the_hint_under_the_middle_speaks_of_what_stands_there(qtbot: QtBot) -> None:
    line = PixelReadout()
    show(qtbot, line, 900, 24)
    pictures = []
    for view in ("images", "space", "script"):
        line.set_view(view)
        pictures.append(line.grab().toImage())
    assert pictures[0] != pictures[1] != pictures[2]
    with pytest.raises(KeyError):
        line.set_view("elsewhere")


def test_sentences_begin_with_a_capital_unless_with_a_name() -> None:
    assert sentence("the simulation diverged at t = 0.1 s") == "The simulation diverged at t = 0.1 s"
    for kept in (
        "wrong_mass.py: 3:1 error",
        "/tmp/nowhere: no such file",
        "cup.mass must be ≥ 0",
        "",
        "杯子 x",
    ):
        assert sentence(kept) == kept
    assert all(sentence(t) == t for t in ("Took snapshot 1", "PSNR"))


def test_what_is_no_number_does_not_stay_as_the_value(qtbot: QtBot) -> None:
    row = ParameterRow(next(p for p in many_objects(1) if p.path.endswith("mass")))
    show(qtbot, row, 300, 60)
    edit = row.edit()
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "abc")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.property("bad")
    row.slider().setFocus()
    assert edit.text() == "0.100"
    assert not edit.property("bad")


def test_a_dim_strip_is_dim_from_end_to_end(qtbot: QtBot) -> None:
    strip = SensitivityStrip()
    strip.set_values(np.full(9, 1.0), stale=True)
    show(qtbot, strip, 300, 6)
    picture = strip.grab().toImage()
    assert {picture.pixelColor(x, 3).name() for x in range(1, 299)} == {picture.pixelColor(150, 3).name()}


def test_signs_of_a_script_are_drawn_one_by_one(qtbot: QtBot) -> None:
    bar, code = MessageBar(), CodeEdit()
    for widget in (bar, code):
        qtbot.addWidget(widget)
    bar.show_message("Changed on disk", "a -> b", "warning")
    for text in (bar.findChild(QPlainTextEdit), code):
        assert text is not None
        text.ensurePolished()
        font = text.document().defaultFont()
        assert [(tag.toString(), font.featureValue(tag)) for tag in font.featureTags()] == [(b"calt", 0)]

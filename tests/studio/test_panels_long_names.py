"""Long and Chinese names, sentences whose end is the reason, and the ways to open something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from fourdcb.errors import UserError
from fourdcb_studio.dialogs import dress
from fourdcb_studio.main_window import MainWindow
from fourdcb_studio.panels.axis_chip import AxisChip
from fourdcb_studio.panels.message_bar import MessageBar
from fourdcb_studio.panels.parameters import OwnerChip, ParametersPanel
from fourdcb_studio.panels.verdict_bar import VerdictBar
from fourdcb_studio.session.sources import bundled_scene_names
from fourdcb_studio.session.state import message_of
from fourdcb_studio.theme import text_font
from fourdcb_studio.views.time.legend import TimeLegend
from fourdcb_studio.widgets.text_paint import short_words, wrapped

LONG = "带有蓝色花纹的玻璃杯_and_a_very_long_name_of_the_body_without_any_blank"
WHERE = "/data/physics/2026/benchmarks/predictions/model_seven/candidates/a_long_folder/answer.py"


def test_an_errors_reason_comes_before_its_place() -> None:
    told = message_of(UserError("cannot write the script", where=WHERE, got="No space left on device"))
    assert told.text == "answer.py: cannot write the script"
    assert WHERE in told.details
    assert "No space left" in told.details


@pytest.mark.parametrize("width", [1280, 700])
def test_a_message_is_never_cut(qtbot: QtBot, width: int) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(width, 400)
    host.show()
    bar = MessageBar(host)
    for text in (f"{WHERE}: " + "this is why it cannot be done, " * 7, "很长的原因" * 60):
        bar.show_message(text, "details", action=("save_as", "Save script as …"))
        qtbot.wait(1)
        label = bar.findChild(QLabel)
        assert label is not None
        assert label.height() >= label.heightForWidth(label.width()), "every line has its room"
        assert label.text().replace("\u200b", "") == bar.text()
        assert bar.geometry().right() < width
        assert bar.geometry().bottom() < 400


def test_a_short_message_is_one_line(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1000, 400)
    host.show()
    bar = MessageBar(host)
    bar.show_message("Saved answer.py", severity="info")
    assert bar.height() == 40


def test_long_words_are_broken_inside_of_their_lines() -> None:
    metrics = QFontMetricsF(text_font())
    lines = wrapped(f"{LONG} bounces with restitution 0.50 on bumper", text_font(), 150, 8)
    assert "".join(lines).replace(" ", "").endswith("onbumper")
    assert all(metrics.horizontalAdvance(line) <= 151 for line in lines)


def test_long_names_in_a_finding_leave_the_reason_its_room(qtbot: QtBot) -> None:
    said = f"{LONG} bounces with restitution 0.50 on bumper, the reference with 0.80"
    lines = wrapped(short_words(said), text_font(), 170, 4)
    assert lines[-1].endswith("0.80")
    assert short_words("cup slides 0.37 m  on table") == "cup slides 0.37 m  on table"
    assert short_words(LONG).startswith("带有蓝色花纹")
    assert short_words(LONG).endswith("any_blank")
    assert len(short_words("x" * 80)) == 24, "the sign of what is left out counts"


def test_long_names_leave_the_thresholds_their_room(qtbot: QtBot) -> None:
    bar = VerdictBar()
    qtbot.addWidget(bar)
    bar.resize(1280, 48)
    bar.show()
    bar.set_scene(LONG * 2)
    bar.set_script(f"{LONG}.py", unsaved=True)
    qtbot.wait(1)
    chips = bar.findChildren(AxisChip)
    assert all(chip.geometry().right() < bar.width() for chip in chips)
    assert all(chip.width() >= chip.sizeHint().width() for chip in chips)


def test_chips_of_things_fit_the_narrowest_panel_and_tell_their_name(qtbot: QtBot) -> None:
    chip = OwnerChip(LONG, changed=True)
    qtbot.addWidget(chip)
    panel = ParametersPanel()
    qtbot.addWidget(panel)
    assert chip.sizeHint().width() <= 220 - 32
    assert chip.toolTip() == LONG
    assert chip.accessibleName() == f"{LONG}, changed"
    assert OwnerChip("cup", changed=False).text() == "cup"


def test_a_long_name_in_the_legend_pushes_nothing_out(qtbot: QtBot) -> None:
    legend = TimeLegend()
    qtbot.addWidget(legend)
    legend._picker.set_choices([(LONG, LONG)], LONG)
    assert legend._picker.sizeHint().width() < 260


def test_menu_and_open_are_in_sight_while_a_scene_is_open(window: MainWindow, scene_folder) -> None:
    window.open_paths([scene_folder.folder])
    for size in ((1280, 720), (1600, 1000)):
        window.resize(*size)
        window.flush()
        for name in ("menu", "open"):
            corner = window.parts.verdict.corner(name)
            assert corner.isVisible()
            assert window.rect().contains(corner.mapTo(window, QPoint(0, 0)))
    groups = [action.text() for action in window.top_menus.all().actions()]
    assert groups == ["File", "Edit", "Compare", "View", "Play", "Findings", "Help"]
    ids = [a.objectName() for a in window.top_menus.open().actions()]
    assert ids[:3] == ["open_scene", "open_files", "open_library"]


def test_what_was_opened_lately_is_offered_and_opens(window: MainWindow, scene_folder) -> None:
    window.open_paths([scene_folder.folder])
    menu = window.top_menus.open()
    recent = next(a for a in menu.actions() if a.text() == scene_folder.folder.name)
    window.open_paths([scene_folder.video])
    recent.trigger()
    assert window.session.sources.title == "drop"
    assert isinstance(menu, QMenu)


def test_qts_own_file_dialog_has_icons_that_are_seen(application, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = QFileDialog(None, "Open", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    dress(dialog)
    dialog.show()
    buttons = [b for b in dialog.findChildren(QToolButton) if b.isVisible()]
    assert len(buttons) >= 6
    for button in buttons:
        assert not button.icon().isNull(), button.objectName()
        picture = button.grab().toImage()
        shades = {
            picture.pixelColor(x, y).lightness() // 16
            for x in range(4, picture.width() - 4)
            for y in range(4, picture.height() - 4)
        }
        assert max(shades) - min(shades) >= 3, f"{button.objectName()} is drawn"


def test_the_welcome_page_shows_every_bundled_scene_in_a_low_window(
    window: MainWindow, scene_folder, qtbot: QtBot
) -> None:
    window.open_paths([scene_folder.folder])
    window.resize(1280, 720)
    window.show_welcome()
    qtbot.wait(50)
    page = window.parts.welcome
    rows = [b for b in page.findChildren(QPushButton) if b.accessibleName().startswith("Open ")]
    assert len(rows) == len(bundled_scene_names()) + 1, "and what was opened lately"
    for row in rows:
        assert page.rect().contains(QRect(row.mapTo(page, QPoint(0, 0)), row.size()))
    window.parts.show_view("images")
    assert window.parts.time.isVisible(), "a scene that is open has its time back"

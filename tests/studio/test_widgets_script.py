"""The script view: places of diagnostics, colours, what is applied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QApplication, QListWidget
from pytestqt.qtbot import QtBot

from fourdcb.errors import Diagnostic
from fourdcb_studio.gallery_data import SCRIPT, diagnostics
from fourdcb_studio.theme import apply_theme, tokens
from fourdcb_studio.views.script.script_view import ScriptView


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot) -> ScriptView:
    apply_theme(qapp, "dark")
    widget = ScriptView()
    qtbot.addWidget(widget)
    widget.resize(800, 500)
    widget.set_source(SCRIPT, "wrong.py")
    widget.show()
    return widget


def color_at(view: ScriptView, line: int, text: str) -> str:
    block = view.editor().document().findBlockByNumber(line - 1)
    at = block.text().index(text)
    spans = [f for f in block.layout().formats() if f.start <= at < f.start + f.length]
    return spans[-1].format.foreground().color().name() if spans else ""


def test_numbers_things_strings_and_comments_have_their_colours(view: ScriptView) -> None:
    theme = tokens()
    assert color_at(view, 8, "0.15") == theme.warning
    assert color_at(view, 4, "Object") == theme.accent
    assert color_at(view, 5, '"cup"') == theme.ok
    assert color_at(view, 9, "# too") == theme.muted
    assert color_at(view, 1, "# A steel") == theme.muted


def test_a_hash_inside_a_string_is_no_comment(view: ScriptView) -> None:
    view.set_source('a = "x # 1"\n')
    assert color_at(view, 1, "# 1") == tokens().ok


def test_a_diagnostic_is_underlined_at_its_place_and_clicked_to_it(view: ScriptView, qtbot: QtBot) -> None:
    view.set_diagnostics(diagnostics())
    waves = [
        s.cursor.selectedText()
        for s in view.editor().extraSelections()
        if s.format.underlineStyle() == QTextCharFormat.UnderlineStyle.WaveUnderline
    ]
    assert waves == ["1.35", "world"]
    rows = view.findChild(QListWidget)
    assert rows is not None
    item = rows.item(1)
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualItemRect(item).center())
    assert view.editor().position() == (17, 1)
    view.set_diagnostics(())
    assert not rows.isVisible()


def test_places_outside_the_text_do_no_harm(view: ScriptView) -> None:
    far = Diagnostic(severity="error", code="x", message="m", line=999, column=999)
    edge = Diagnostic(severity="warning", code="x", message="m", line=3, column=50)
    view.set_diagnostics([far, edge, Diagnostic(severity="error", code="x", message="no place")])
    view.jump_to(999, 999)
    line, column = view.editor().position()
    assert line == view.editor().blockCount(), "the nearest place is the last line"
    assert column >= 1
    view.light_line(999)
    assert not view.grab().isNull()


def test_edits_are_told_after_a_pause_and_applied_on_demand(view: ScriptView, qtbot: QtBot) -> None:
    assert not view.is_changed()
    with qtbot.waitSignal(view.edited, timeout=3000) as edited:
        view.jump_to(8, 10)
        qtbot.keyClicks(view.editor(), "2")
    assert "mass=20.15" in edited.args[0]
    assert view.is_changed()
    with qtbot.waitSignal(view.apply_requested) as applied:
        qtbot.mouseClick(view._apply, Qt.MouseButton.LeftButton)
    assert applied.args == [view.source()]
    view.set_source(view.source(), "wrong.py")
    assert not view.is_changed()
    assert not view._apply.isEnabled()


def test_a_new_text_from_outside_keeps_the_cursor_and_is_silent(view: ScriptView, qtbot: QtBot) -> None:
    view.jump_to(9, 5)
    with qtbot.assertNotEmitted(view.edited, wait=600):
        view.set_source(SCRIPT.replace("1.35", "0.35"), "wrong.py")
    assert view.editor().position() == (9, 5)
    assert not view.is_changed()


def test_the_cursors_line_is_told(view: ScriptView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.line_activated) as line:
        view.jump_to(12)
    assert line.args == [12]

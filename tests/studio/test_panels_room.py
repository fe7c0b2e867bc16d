"""What keeps its place and its size: rows, names, images beside the inspector, one card at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fourdcb.world import Parameter
from fourdcb_studio.jobs.fit import FitResult, FittedValue
from fourdcb_studio.panels.command_palette import CommandPalette
from fourdcb_studio.panels.drop_hint import DropHint
from fourdcb_studio.panels.fit_card import FitCard
from fourdcb_studio.panels.parameters import ParametersPanel
from fourdcb_studio.panels.shortcut_sheet import ShortcutSheet
from fourdcb_studio.widgets.labels import ElidedLabel
from fourdcb_studio.workspace import Workspace

PICTURE = np.full((256, 256, 3), 120, np.uint8)


@pytest.fixture
def workspace(application: QApplication, qtbot: QtBot) -> Workspace:
    made = Workspace()
    qtbot.addWidget(made)
    made.images.set_sources(PICTURE, PICTURE)
    return made


def settle(widget: QWidget, *, width: int, height: int) -> None:
    widget.resize(width, height)
    widget.show()
    for _ in range(3):
        QApplication.processEvents()


@pytest.mark.parametrize("height", [720, 1000])
def test_images_keep_300_px_with_the_inspector_open(workspace: Workspace, height: int) -> None:
    workspace.inspector.show()
    settle(workspace, width=1280, height=height)
    assert all(cell.height() >= 300 for cell in workspace.images.cell_rects())
    assert workspace.inspector.height() >= workspace.inspector.minimumSizeHint().height()
    settle(workspace, width=1600, height=1000)
    assert workspace.inspector.height() == 112
    assert workspace.inspector.width() > 600


def test_the_zoom_is_that_of_the_images_as_they_are(workspace: Workspace) -> None:
    workspace.images.zoom_changed.connect(workspace.view_bar.set_zoom)
    for width, height in ((1600, 1000), (1280, 720)):
        settle(workspace, width=width, height=height)
        scale = workspace.images.cell_rects()[0].width() / 256
        assert workspace.view_bar._zoom.text() == f"{100 * scale:.0f} %"


def test_many_recent_files_take_no_room_from_others(workspace: Workspace) -> None:
    settle(workspace, width=1280, height=720)
    before = workspace.time.height()
    rows = [(f"scene_{i}", "5 candidates", (Path(f"/scene_{i}"),)) for i in range(20)]
    workspace.welcome.set_openings(rows[:3], rows)
    workspace.show_view("welcome")
    settle(workspace, width=1280, height=720)
    assert workspace.time.height() == before
    shown = [b for b in workspace.welcome.findChildren(QPushButton) if b.property("kind") == "row"]
    assert {b.height() for b in shown} == {36}


def parameter(field: str) -> Parameter:
    return Parameter(
        path=f"cup.{field}", value=0.5, unit="", lower=0.0, upper=1.0, slider=(0.0, 1.0),
        scale="linear", stage="physics", group="contact", doc="",
    )  # fmt: skip


def test_strips_notes_and_dots_move_nothing(application: QApplication, qtbot: QtBot) -> None:
    panel = ParametersPanel()
    qtbot.addWidget(panel)
    both = (parameter("friction"), parameter("restitution"))
    values = {p.path: p.value for p in both}
    panel.set_parameters(both, values, frozenset())
    settle(panel, width=320, height=500)
    row, chip = panel.row("cup.restitution"), panel.findChildren(QPushButton, options=_ANY)[-1]
    places = (row.geometry(), row._name.geometry(), chip.geometry())
    panel.set_strip("cup.friction", np.linspace(0, 1, 16))
    panel.set_note("cup.restitution", "not observable in this clip")
    panel.set_parameters(both, values, frozenset({"cup.restitution"}))
    settle(panel, width=320, height=500)
    chip = panel.findChildren(QPushButton, options=_ANY)[-1]
    assert (row.geometry(), row._name.geometry(), chip.geometry()) == places
    assert chip.accessibleName() == "cup, changed"


_ANY = Qt.FindChildOption.FindChildrenRecursively


def test_a_card_takes_the_place_of_the_last(workspace: Workspace) -> None:
    settle(workspace, width=1280, height=720)
    palette, sheet = CommandPalette(workspace), ShortcutSheet(workspace)
    palette.open()
    sheet.open()
    assert not palette.isVisible()
    assert sheet.isVisible()
    sheet.dismiss()


def test_what_is_dragged_is_named_before_it_is_dropped(workspace: Workspace) -> None:
    hint = DropHint(workspace, workspace)
    settle(workspace, width=1280, height=720)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/a/world.py"), QUrl.fromLocalFile("/a/video.mp4")])
    event = QDragEnterEvent(
        QPoint(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(workspace, event)
    assert event.isAccepted()
    assert hint.isVisible()
    assert hint.names() == "world.py + video.mp4"
    QApplication.sendEvent(workspace, QDragLeaveEvent())
    assert not hint.isVisible()


def test_the_names_of_fitted_values_are_not_cut(workspace: Workspace) -> None:
    settle(workspace, width=1280, height=720)
    card = FitCard(workspace.middle)
    value = FittedValue(path="cup.restitution", start=0.8, value=0.5488, error=0.0003)
    unseen = FittedValue(path="cup.mass", start=0.15, value=0.15, error=None)
    card.show_result(
        FitResult(
            values=(value, unseen), residual_before=0.008, residual_after=0.003, explains=True,
            distance_before_mm=27.3, distance_after_mm=0.2, seconds=9.0,
        )
    )  # fmt: skip
    settle(workspace, width=1280, height=720)
    labels = [label for label in card.findChildren(ElidedLabel) if label.isVisible() and label.text()]
    assert "cup.restitution" in {label.text() for label in labels}
    assert [label.text() for label in labels if label.shown_text() != label.text()] == []

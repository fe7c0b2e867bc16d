"""The top line: scene, script, verdict, the four axes, and what to do with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from fourdcb.metrics.result import AXES, Axis, AxisResult, Verdict
from fourdcb.words import chosen, tr
from fourdcb_studio.panels.axis_chip import AxisChip, VerdictPill
from fourdcb_studio.panels.axis_summary import AxisSummary, summarise
from fourdcb_studio.theme import GRID, icon, tokens
from fourdcb_studio.widgets.labels import ElidedLabel
from fourdcb_studio.widgets.marks import paint_mark

_SCRIPT_LEAST = 72  # px that the script's name keeps
_SCENE_LEAST = 132  # px that the scene's name keeps: thresholds tell more than its end
_ACTIONS = (
    ("solve", tr("Fit selected…"), tr("Solve for the selected parameters"), ""),
    ("snapshot", tr("Snapshot"), tr("Keep the present values to compare with"), ""),
    ("export_report", tr("Export report"), tr("Write the report as JSON, HTML or PDF"), "primary"),
    ("palette", tr("Ctrl K"), tr("Search all commands"), "quiet"),
)
_TEXTS = {key: text for key, text, _, _ in _ACTIONS}
_SHORT = {"export_report": tr("Export"), "solve": tr("Fit…")}


class UnsavedDot(QWidget):
    """Shown beside the script while it has unsaved edits."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(12, 26)
        self.setToolTip(tr("unsaved edits"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_mark(painter, "circle", QPointF(6, self.height() / 2 + 0.5), 8, tokens().color("muted"))


class VerdictBar(QWidget):
    """Names, verdict and axes at a glance; buttons for what comes next.

    Signals:
        action(id): ``solve``, ``snapshot``, ``export_report``, ``palette``.
        menu_requested(), open_requested(): the buttons at the left; menus drop from :meth:`corner`.
        axis_activated(axis): a chip was clicked.
    """

    action = Signal(str)
    axis_activated = Signal(str)
    menu_requested = Signal()
    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._scene = ElidedLabel(tr("No scene"), "title")
        self._script = ElidedLabel("", "note", elide=Qt.TextElideMode.ElideMiddle)
        self._dot = UnsavedDot()
        keeps = self._dot.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)  # the first edit moves nothing
        self._dot.setSizePolicy(keeps)
        self._dot.hide()
        self._pill = VerdictPill()
        self._chips = {axis: AxisChip(AxisSummary(axis, None)) for axis in AXES}
        self._buttons: dict[str, QPushButton] = {}
        self._offered = frozenset(key for key, _, _, _ in _ACTIONS if key != "solve")
        line = QHBoxLayout(self)
        line.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        line.setSpacing(GRID)
        self._corners = {"menu": self._corner("list", self.menu_requested)}
        self._corners["open"] = self._corner("folder-open", self.open_requested)
        for corner in self._corners.values():
            line.addWidget(corner)
        line.addWidget(self._scene)
        line.addWidget(self._script)
        line.addWidget(self._dot)
        line.addWidget(self._pill)
        for chip in self._chips.values():
            chip.activated.connect(self.axis_activated)
            line.addWidget(chip)
        line.addStretch(1)
        for key, text, tip, kind in _ACTIONS:
            line.addWidget(self._button(key, text, tip, kind))
        self._line = line
        self.setFixedHeight(6 * GRID)

    def set_scene(self, name: str) -> None:
        """Name of the scene."""
        self._scene.setText(name)
        self._scene.setMinimumWidth(min(self._scene.sizeHint().width(), _SCENE_LEAST))
        self._fold()

    def set_script(self, name: str, unsaved: bool) -> None:
        """Name of the candidate script, and whether it has unsaved edits."""
        renamed = name != self._script.text()
        self._dot.setVisible(unsaved)
        if renamed:
            self._script.setText(name)
            # A long scene must not squeeze it to three dots.
            self._script.setMinimumWidth(min(self._script.sizeHint().width(), _SCRIPT_LEAST))
            self._fold()

    def set_verdict(
        self, verdict: Verdict | None, *, stale: bool = False, reasons: Sequence[str] = ()
    ) -> None:
        """The verdict with its reasons; None is not judged."""
        self._pill.set_verdict(verdict, stale=stale, reasons=reasons)
        self._fold()

    def set_axes(self, axes: Mapping[Axis, AxisResult], *, stale: bool = False) -> None:
        """Results by axis; those that are missing are shown without figures."""
        found = {s.axis: s for s in summarise(axes)}
        for axis, chip in self._chips.items():
            chip.set_summary(found.get(axis, AxisSummary(axis, None)), stale=stale)
        self._fold()

    def offer(self, key: str, offered: bool) -> None:
        """Show or leave out a button; ``solve`` is left out at first. Raises KeyError for an unknown id."""
        if key not in self._buttons:
            raise KeyError(key)
        self._offered = self._offered | {key} if offered else self._offered - {key}
        self._fold()

    def set_action_enabled(self, key: str, enabled: bool) -> None:
        """Allow or forbid an action. Raises KeyError for an unknown id."""
        self._buttons[key].setEnabled(enabled)

    def chip(self, axis: Axis) -> AxisChip:
        """The chip of an axis."""
        return self._chips[axis]

    def pill(self) -> VerdictPill:
        """The verdict's pill."""
        return self._pill

    def corner(self, name: str) -> QToolButton:
        """``menu`` or ``open``: the buttons at the left."""
        return self._corners[name]

    def refresh_icons(self) -> None:
        """Tint the icons for the theme in force."""
        for name, button in zip(("list", "folder-open"), self._corners.values(), strict=True):
            button.setIcon(icon(name))

    def sizeHint(self) -> QSize:
        return QSize(1280, 6 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(640, 6 * GRID)

    def _corner(self, name: str, signal: SignalInstance) -> QToolButton:
        button = QToolButton()
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "icon")
        button.setFixedSize(28, 28)
        button.setIcon(icon(name))
        told = chosen().say(f"studio.top.{'menu' if name == 'list' else 'open'}")
        button.setToolTip(told)
        button.setAccessibleName(told)
        button.clicked.connect(lambda: signal.emit())
        return button

    def _button(self, key: str, text: str, tip: str, kind: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        if kind:
            button.setProperty("kind", kind)
        button.clicked.connect(lambda: self.action.emit(key))
        self._buttons[key] = button
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        # Words go first, then the seldom buttons (the palette has them all), then a part of the script's
        # name, at last the fit; the thresholds stay as long as they can.
        kept = tuple(key for key in self._buttons if key in self._offered)
        for key, _, _, _ in _ACTIONS:
            self._buttons[key].setText(_TEXTS[key])
        for key, short in _SHORT.items():
            if self._wanted(compact=False, buttons=kept) > self.width():
                self._buttons[key].setText(short)
        for key in ("snapshot", "palette"):
            if self._wanted(compact=False, buttons=kept) > self.width():
                kept = tuple(k for k in kept if k != key)
        spare = min(_SCRIPT_LEAST - self._script.sizeHint().width(), 0)
        spare += min(_SCENE_LEAST - self._scene.sizeHint().width(), 0)
        if self._wanted(compact=False, buttons=kept) + spare > self.width():
            kept = tuple(k for k in kept if k != "solve")
        compact = self._wanted(compact=False, buttons=kept) + spare > self.width()
        for chip in self._chips.values():
            chip.set_compact(compact)
        for key, button in self._buttons.items():
            button.setVisible(key in kept)

    def _wanted(self, *, compact: bool, buttons: tuple[str, ...]) -> int:
        widths = [
            *(corner.width() for corner in self._corners.values()),
            self._scene.sizeHint().width(),
            self._script.sizeHint().width(),
            self._dot.width(),
            self._pill.sizeHint().width(),
        ]
        widths += [chip.room_for(compact=compact) for chip in self._chips.values()]
        widths += [self._buttons[key].sizeHint().width() for key in buttons]
        return sum(widths) + self._line.spacing() * len(widths) + 4 * GRID

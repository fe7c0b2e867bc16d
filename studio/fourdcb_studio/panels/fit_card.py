"""Solving for parameters: choose them, see how far it is, take or leave what was found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from fourdcb.words import tr
from fourdcb.world import Parameter
from fourdcb_studio.jobs.fit import FitResult, FittedValue
from fourdcb_studio.theme import GRID, tokens
from fourdcb_studio.widgets.flow_layout import FlowLayout
from fourdcb_studio.widgets.keys import keeps
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel
from fourdcb_studio.widgets.multi_pick import MultiPick
from fourdcb_studio.widgets.parameter_slider import parameter_label

_WIDTH = 560
_HEIGHTS = {"choose": 208, "running": 96, "result": 176}
_ROW = 24


class FitCard(QWidget):
    """A card over its parent's lower edge; everything else stays in use meanwhile.

    Signals:
        start_requested(paths): solve for these.
        cancel_requested(), apply_requested(), closed().
    """

    start_requested = Signal(tuple)
    cancel_requested = Signal()
    apply_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self._chips: dict[str, QPushButton] = {}
        self._state = "choose"
        self._title = ElidedLabel(tr("Fit"), "title")
        self._parameters: tuple[Parameter, ...] = ()
        self._owners = MultiPick(tr("Objects and lights"), tr("What is fitted together"))
        self._owners.picked.connect(self.pick_owners)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._make_choose())
        self._stack.addWidget(self._make_running())
        self._stack.addWidget(self._make_result())
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, 12, 2 * GRID, 12)
        column.setSpacing(GRID)
        head = QHBoxLayout()
        self._title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        head.addWidget(self._title, 1)
        head.addWidget(self._owners)
        column.addLayout(head)
        column.addLayout(self._stack, 1)
        parent.installEventFilter(self)
        self.setAccessibleName(tr("Fit"))
        self.hide()

    # -- states --------------------------------------------------------------------------------------
    def choose(self, owner: str, parameters: Sequence[Parameter], chosen: frozenset[str]) -> None:
        """Offer the parameters of a thing, of others when they are picked; those in ``chosen`` are on."""
        self._parameters = tuple(parameters)
        owners = tuple(dict.fromkeys(p.owner for p in self._parameters))
        self._owners.set_choices([(name, name) for name in owners], [owner])
        self._offer((owner,), chosen)
        self._show("choose")
        self._start.setFocus(Qt.FocusReason.OtherFocusReason)

    def _offer(self, owners: Sequence[str], chosen: frozenset[str]) -> None:
        """Chips for the parameters of some things."""
        self._title.setText(tr("Fit {owner} to the original", owner=", ".join(owners)))
        self._flow.clear()
        self._chips = {}
        for parameter in (p for p in self._parameters if p.owner in owners):
            label = parameter_label(parameter.path)
            chip = QPushButton(label if len(owners) == 1 else f"{parameter.owner} {label}")
            chip.setProperty("kind", "chip")
            chip.setCheckable(True)
            chip.setChecked(parameter.path in chosen)
            chip.toggled.connect(self._count)
            self._chips[parameter.path] = chip
            self._flow.addWidget(chip)
        self._count()

    def pick_owners(self, owners: Sequence[str]) -> None:
        """Offer the parameters of these things; what is on stays on."""
        self._offer(tuple(owners), frozenset(self.chosen()))

    def show_progress(self, text: str) -> None:
        """What the solver does."""
        self._progress.setText(text)
        if self._state != "running":
            self._show("running")

    def show_result(self, result: FitResult) -> None:
        """Before and after, with the errors."""
        rows = [_value_row(v, explains=result.explains) for v in result.values]
        pictures = f"{result.residual_before:.4f}", f"{result.residual_after:.4f}"
        rows.append((tr("pictures differ by (RMS, 0 … 1)"), *pictures, ""))
        if result.distance_before_mm is not None and result.distance_after_mm is not None:
            distances = f"{result.distance_before_mm:.1f} mm", f"{result.distance_after_mm:.1f} mm"
            rows.append((tr("motion differs by (RMS)"), *distances, ""))
        self._fill(rows)
        words = tr("Found in {seconds:.0f} s.", seconds=result.seconds)
        if not result.explains:
            words += tr(
                " No values make the replay look like the original: something that was not fitted is wrong."
            )
        self._note.setText(words)
        self._apply.setEnabled(result.explains and any(v.found for v in result.values))
        _HEIGHTS["result"] = 136 + _ROW * (len(rows) + 1)
        self._show("result")
        self._apply.setFocus(Qt.FocusReason.OtherFocusReason)

    def state(self) -> str:
        """``choose``, ``running`` or ``result``."""
        return self._state

    def chosen(self) -> tuple[str, ...]:
        """Paths that are on."""
        return tuple(path for path, chip in self._chips.items() if chip.isChecked())

    def chip(self, path: str) -> QPushButton:
        """The chip of a parameter. Raises KeyError."""
        return self._chips[path]

    # -- parts ---------------------------------------------------------------------------------------
    def _make_choose(self) -> QWidget:
        page = QWidget()
        body = QWidget()
        self._flow = FlowLayout(body)
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._start = _button(tr("Fit"), "primary", self._emit_start)
        line = QHBoxLayout()
        line.addWidget(RoleLabel(tr("By the pictures; it takes some seconds for each parameter."), "note"))
        line.addStretch(1)
        line.addWidget(_button(tr("Close"), "", self._close))
        line.addWidget(self._start)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        area = QScrollArea()
        area.setWidget(body)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        column.addWidget(area, 1)
        column.addLayout(line)
        return page

    def _make_running(self) -> QWidget:
        page = QWidget()
        self._progress = ElidedLabel("", "note")
        self._progress.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        line = QHBoxLayout(page)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._progress, 1)
        line.addWidget(_button(tr("Cancel"), "", self.cancel_requested.emit))
        return page

    def _make_result(self) -> QWidget:
        page = QWidget()
        self._table = QWidget()
        self._grid = QGridLayout(self._table)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        self._note = RoleLabel("", "note")
        self._note.setWordWrap(True)
        self._apply = _button(tr("Apply"), "primary", self.apply_requested.emit)
        line = QHBoxLayout()
        line.addWidget(self._note, 1)
        line.addWidget(_button(tr("Discard"), "", self._close))
        line.addWidget(self._apply)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._table)
        column.addStretch(1)
        column.addLayout(line)
        return page

    def _fill(self, rows: Sequence[tuple[str, str, str, str]]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for i, row in enumerate((("", tr("before"), tr("after"), ""), *rows)):
            for j, text in enumerate(row):
                label = ElidedLabel(text, "text" if j == 0 else "note" if i == 0 else "figure")
                label.setFixedHeight(_ROW)
                # A grid's column is as narrow as its narrowest label that may not grow: all may.
                grows = QSizePolicy.Policy.Expanding if j == 0 else QSizePolicy.Policy.Preferred
                label.setSizePolicy(grows, QSizePolicy.Policy.Fixed)
                side = Qt.AlignmentFlag.AlignLeft if j in (0, 3) else Qt.AlignmentFlag.AlignRight
                label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                self._grid.addWidget(label, i, j)

    def _count(self) -> None:
        count = len(self.chosen())
        self._start.setEnabled(count > 0)
        self._start.setText(tr("Fit") if count == 0 else f"Fit {count} parameter{'s' if count > 1 else ''}")

    def _emit_start(self) -> None:
        self.start_requested.emit(self.chosen())

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    # -- place ---------------------------------------------------------------------------------------
    def _show(self, state: str) -> None:
        self._state = state
        self._owners.setVisible(state == "choose" and len({p.owner for p in self._parameters}) > 1)
        self._stack.setCurrentIndex(("choose", "running", "result").index(state))
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        host = self._host
        width = min(host.width() - 4 * GRID, _WIDTH)
        height = min(_HEIGHTS[self._state], host.height() - 4 * GRID)
        self.setGeometry((host.width() - width) // 2, host.height() - height - 4 * GRID, width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        return keeps(event, frozenset({Qt.Key.Key_Escape})) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._state != "running":
            self._close()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            button = self._apply if self._state == "result" else self._start
            if self._state != "running" and button.isEnabled():
                button.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tokens().color("accent", 0.6), 1))
        painter.setBrush(tokens().color("panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), GRID, GRID)


def _button(text: str, kind: str, slot: object) -> QPushButton:
    button = QPushButton(text)
    if kind:
        button.setProperty("kind", kind)
    button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    button.clicked.connect(slot)
    return button


def _value_row(value: FittedValue, *, explains: bool) -> tuple[str, str, str, str]:
    if not explains:
        return value.path, f"{value.start:.4g}", "stays", tr("no value explains this clip")
    if value.bound is not None:
        return (
            value.path,
            f"{value.start:.4g}",
            f"{value.value:.4g}",
            tr("at its {bound} bound", bound=value.bound),
        )
    if value.error is None:
        return value.path, f"{value.start:.4g}", "stays", tr("not observable in this clip")
    return value.path, f"{value.start:.4g}", f"{value.value:.4g}", f"± {value.error:.2g}"

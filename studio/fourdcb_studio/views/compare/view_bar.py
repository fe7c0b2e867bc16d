"""Over the images: compare modes, what stands in the middle, gain, offset, zoom."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import GRID, note_font
from fourdcb_studio.views.compare.layout import MODES, CompareMode
from fourdcb_studio.widgets.segmented import Segmented

_PADDING = 14  # px that a quiet button adds to its words
_VIEWS = (
    ("images", tr("Images"), tr("Original and replay")),
    ("space", "3D", tr("Both worlds in space")),
    ("plots", tr("Plots"), tr("Curves and error maps over time")),
    ("script", tr("Script"), tr("The candidate script")),
)


class ViewBar(QWidget):
    """Chooses how the images are compared and what stands in the middle.

    Signals:
        mode_chosen(mode): a compare mode.
        view_chosen(view): ``images``, ``space``, ``plots`` or ``script``.
        action(id): ``gain_up``, ``offset_down``, ``offset_reset``, ``offset_up``, ``fit``.
    """

    mode_chosen = Signal(str)
    view_chosen = Signal(str)
    action = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._modes = Segmented(MODES)
        self._views = Segmented(_VIEWS)
        self._modes.chosen.connect(self.mode_chosen)
        self._views.chosen.connect(self._on_view)
        self._gain = self._quiet("gain_up", tr("gain ×4"), tr("Gain of the difference; click for more"))
        self._offset = self._quiet(
            "offset_reset", tr("offset 0 f"), tr("Frames that the replay is shifted by; click for none")
        )
        self._behind = self._quiet("offset_down", "−", tr("Replay one frame behind"))
        self._ahead = self._quiet("offset_up", "+", tr("Replay one frame ahead"))
        self._zoom = self._quiet(tr("fit"), tr("fit"), tr("Zoom; click to fit"))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(self._modes)
        line.addStretch(1)
        line.addWidget(self._views)
        line.addSpacing(GRID)
        for button in (self._gain, self._behind, self._offset, self._ahead, self._zoom):
            line.addWidget(button)
        for button in (self._behind, self._ahead):
            button.setProperty("shape", "icon")
            button.setFixedWidth(20)
        # As wide as their widest words, so that nothing moves when figures change.
        for button, widest in (
            (self._gain, tr("gain ×64")),
            (self._offset, tr("offset −88 f")),
            (self._zoom, "888 %"),
        ):
            font = note_font(weight=QFont.Weight.DemiBold)
            button.setFixedWidth(QFontMetrics(font).horizontalAdvance(widest) + _PADDING)
        self.setFixedHeight(4 * GRID)

    def set_mode(self, mode: CompareMode) -> None:
        """The compare mode in force."""
        self._modes.set_current(mode)

    def set_view(self, view: str) -> None:
        """What stands in the middle."""
        self._views.set_current(view)
        self.set_modes_enabled(view == "images")

    def set_modes_enabled(self, enabled: bool) -> None:
        """Whether images are shown, so that comparing them means something."""
        for control in (self._modes, self._gain, self._behind, self._offset, self._ahead, self._zoom):
            control.setEnabled(enabled)

    def set_mode_enabled(self, mode: CompareMode, enabled: bool) -> None:
        """Allow or forbid a mode, such as the difference without a reference."""
        self._modes.set_choice_enabled(mode, enabled)

    def set_gain(self, gain: float) -> None:
        """Gain of the difference."""
        self._gain.setText(tr("gain ×{gain:g}", gain=gain))

    def set_offset(self, frames: int) -> None:
        """Frames that the replay is shifted by."""
        self._offset.setText(tr("offset {frames:+d} f", frames=frames).replace("-", "−").replace("+0", "0"))
        if self._offset.property("mark") != (frames != 0):
            self._offset.setProperty("mark", frames != 0)  # told by the colour and by a word on the image
            self._offset.style().unpolish(self._offset)
            self._offset.style().polish(self._offset)

    def set_zoom(self, scale: float | None) -> None:
        """Widget px per image px; None when fitted."""
        self._zoom.setText(tr("fit") if scale is None else f"{100 * scale:.0f} %")

    def _on_view(self, view: str) -> None:
        self.set_modes_enabled(view == "images")
        self.view_chosen.emit(view)

    def _quiet(self, key: str, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setProperty("kind", "quiet")
        button.clicked.connect(lambda: self.action.emit(key))
        return button

    def minimumSizeHint(self) -> QSize:
        return QSize(480, 4 * GRID)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.width() - self._modes.sizeHint().width() - self._views.sizeHint().width() - 24
        for buttons in ((self._gain,), (self._zoom,), (self._behind, self._offset, self._ahead)):
            room -= sum(button.minimumWidth() + 4 for button in buttons)
            for button in buttons:
                button.setVisible(room >= 0)

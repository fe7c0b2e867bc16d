"""The pixel inspector: values of every picture, histograms, range, exposure and channel."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QSlider, QVBoxLayout, QWidget

from fourdcb.words import tr
from fourdcb_studio.theme import GRID
from fourdcb_studio.views.compare.pixel_table import PixelTable
from fourdcb_studio.views.compare.tone import CHANNELS, MOST_EV, Channel, Tone
from fourdcb_studio.views.plots.histogram import Histogram
from fourdcb_studio.widgets.labels import RoleLabel
from fourdcb_studio.widgets.segmented import Segmented

_HEIGHT = 112  # px under the images
_WIDTH = 30 * GRID  # px beside them
_UNBOUNDED = 16_777_215  # px, Qt's largest size
_STEPS = 4  # of the exposure's slider, a stop
_TABLE_FROM = 780  # px; narrower, the read-out below has the values
_SPACES = (
    ("srgb", "sRGB", tr("Levels as they are stored")),
    ("linear", tr("linear"), tr("Linear light, 0 … 1")),
)


class Inspector(QWidget):
    """Hidden until it is wanted.

    Signals:
        tone_changed(tone): range, exposure or channel was changed.
    """

    tone_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone = Tone()
        self.table = PixelTable()
        self.histogram = Histogram()
        self._channel = Segmented(CHANNELS, height=26)
        self._space = Segmented(_SPACES, height=26)
        self._exposure = QSlider(Qt.Orientation.Horizontal)
        self._exposure.setRange(round(-MOST_EV * _STEPS), round(MOST_EV * _STEPS))
        self._exposure.setAccessibleName(tr("Exposure"))
        self._exposure.setFixedWidth(112)
        self._ev = RoleLabel("", "figure")
        self._ev.setFixedWidth(56)
        self._reset = QPushButton(tr("reset"))
        self._reset.setProperty("kind", "link")
        self._reset.clicked.connect(lambda: self._change(Tone()))
        self.histogram.range_changed.connect(lambda b, w: self._change(replace(self._tone, black=b, white=w)))
        self._channel.chosen.connect(self._on_channel)
        self._space.chosen.connect(lambda key: self.table.set_linear(key == "linear"))
        self._exposure.valueChanged.connect(lambda v: self._change(replace(self._tone, ev=v / _STEPS)))
        self._line = self._lay_out()
        self._beside = False
        self.setFixedHeight(_HEIGHT)
        self._show_tone()
        self.hide()

    def tone(self) -> Tone:
        """Range, exposure and channel."""
        return self._tone

    def channel(self) -> Channel:
        """The channel that is shown."""
        return self._tone.channel

    def set_beside(self, beside: bool) -> None:
        """Stand as a column beside the images instead of under them: a low window has no height to give."""
        if beside == self._beside:
            return
        self._beside = beside
        direction = QBoxLayout.Direction.TopToBottom if beside else QBoxLayout.Direction.LeftToRight
        self._line.setDirection(direction)
        self.setMinimumSize(_WIDTH if beside else 0, 0 if beside else _HEIGHT)
        self.setMaximumSize(_WIDTH if beside else _UNBOUNDED, _UNBOUNDED if beside else _HEIGHT)
        self._show_table()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 2 * _HEIGHT) if self._beside else QSize(860, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(_WIDTH, 2 * _HEIGHT) if self._beside else QSize(440, _HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_table()

    def _show_table(self) -> None:
        self.table.setVisible(not self._beside and self.width() >= _TABLE_FROM + 120)

    def _lay_out(self) -> QBoxLayout:
        exposure = QHBoxLayout()
        exposure.setSpacing(GRID)
        for widget in (RoleLabel(tr("exposure"), "note"), self._exposure, self._ev):
            exposure.addWidget(widget)
        spaces = QHBoxLayout()
        spaces.setSpacing(GRID)
        spaces.addWidget(self._space)
        spaces.addStretch(1)
        spaces.addWidget(self._reset)
        controls = QVBoxLayout()
        controls.setSpacing(GRID)
        controls.addWidget(self._channel)
        controls.addLayout(exposure)
        controls.addLayout(spaces)
        controls.addStretch(1)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(2 * GRID)
        line.addWidget(self.table, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.histogram, 1)
        line.addLayout(controls)
        return line

    def _on_channel(self, key: Channel) -> None:
        self._change(replace(self._tone, channel=key))

    def _change(self, tone: Tone) -> None:
        if tone != self._tone:
            self._tone = tone
            self._show_tone()
            self.tone_changed.emit(tone)

    def _show_tone(self) -> None:
        tone = self._tone
        self.histogram.set_range(tone.black, tone.white)
        self._exposure.blockSignals(True)
        self._exposure.setValue(round(tone.ev * _STEPS))
        self._exposure.blockSignals(False)
        self._ev.setText(f"{tone.ev:+.2f} EV".replace("-", "−").replace("+0.00", "0.00"))
        self._channel.set_current(tone.channel)
        self._reset.setEnabled(not tone.is_plain)

"""The painted chips of the verdict bar: the verdict as a pill, and one chip an axis."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from fourdcb.metrics.result import Verdict
from fourdcb.words import chosen, tr
from fourdcb_studio.panels.axis_summary import AxisSummary
from fourdcb_studio.theme import mono_font, note_font, tokens
from fourdcb_studio.widgets.keys import PRESS_KEYS, keeps
from fourdcb_studio.widgets.marks import STATE_MARKS, paint_mark

_VERDICTS: dict[Verdict | None, tuple[str, str, str]] = {
    "DEPLOYABLE": ("DEPLOYABLE", "ok", "ok_fill"),
    "DEPLOYMENT_NOT_RECOMMENDED": (tr("NOT DEPLOYABLE"), "bad", "bad_fill"),
    "INCONCLUSIVE": ("INCONCLUSIVE", "warning", "warning_fill"),
    None: (tr("NOT JUDGED"), "muted", "raised"),
}
_STALE = 0.45


class VerdictPill(QWidget):
    """The verdict in words on a quiet fill of its colour; a click asks for its reasons.

    Signals:
        activated(): clicked, or pressed with the keyboard.
    """

    activated = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._verdict: Verdict | None = None
        self._stale = False
        self._reasons: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_verdict(
        self, verdict: Verdict | None, *, stale: bool = False, reasons: Sequence[str] = ()
    ) -> None:
        """Show a verdict with its reasons; a stale one, of values before the edit, is dimmed."""
        state = (verdict, stale, tuple(reasons))
        if state == (self._verdict, self._stale, self._reasons) and self.accessibleName():
            return
        self._verdict, self._stale, self._reasons = state
        self.setAccessibleName(self.text())
        self.setToolTip("\n".join(self._told()))
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The words."""
        return _VERDICTS[self._verdict][0]

    def _told(self) -> list[str]:
        words = chosen()
        told = list(self._reasons)
        if self._stale:
            told.append(words.say("studio.reasons.stale"))
        if self._verdict is not None:
            told.append(words.say("studio.reasons.click"))
        return told

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.activated.emit()

    def event(self, event: QEvent) -> bool:
        return keeps(event, PRESS_KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in PRESS_KEYS:
            self.activated.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        # Wide enough for every common verdict: a new one moves nothing.
        metrics = QFontMetricsF(self._font())
        words = max((text for text, _, _ in _VERDICTS.values()), key=metrics.horizontalAdvance)
        return QSize(int(metrics.horizontalAdvance(words)) + 22, 26)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        text, ink, fill = _VERDICTS[self._verdict]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(_STALE if self._stale else 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens().color(fill))
        painter.drawRoundedRect(QRectF(self.rect()), 13, 13)
        if self.hasFocus():
            painter.setPen(QPen(tokens().color("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 12, 12)
        painter.setFont(self._font())
        painter.setPen(tokens().color(ink))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)

    @staticmethod
    def _font() -> QFont:
        return note_font(weight=QFont.Weight.Bold)


class AxisChip(QWidget):
    """✓ or ✗, the axis, its deciding metric's value / threshold; a click shows the axis.

    Signals:
        activated(axis).
    """

    activated = Signal(str)

    def __init__(self, summary: AxisSummary, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._summary = summary
        self._stale = False
        self._compact = False
        self._hover = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_summary(summary)

    def set_summary(self, summary: AxisSummary, *, stale: bool = False) -> None:
        """Show an axis; a stale result is dimmed."""
        if (summary, stale) == (self._summary, self._stale) and self.accessibleName():
            return
        self._summary, self._stale = summary, stale
        unknown = summary.note or tr("not measured")
        state = {True: tr("passed"), False: tr("failed"), None: unknown}[summary.passed]
        figures = "" if summary.figures == state else f", {summary.figures}"
        self.setAccessibleName(f"{summary.word}: {state}{figures}")
        told = (f"{summary.word} {state}", summary.sentence, *summary.reasons)
        click = chosen().say("studio.reasons.click") if summary.value or summary.note else ""
        self.setToolTip("\n".join(t for t in (*told, click) if t))
        self.updateGeometry()
        self.update()

    def set_compact(self, compact: bool) -> None:
        """Without the threshold, where there is little room."""
        if compact != self._compact:
            self._compact = compact
            self.updateGeometry()

    def width_when(self, *, compact: bool) -> int:
        """Width that it asks for [px]."""
        return self._width_with(self._figures(compact))

    def room_for(self, *, compact: bool) -> int:
        """Width to reckon with [px]: figures that come later must not push out what stands beside it."""
        return max(self.width_when(compact=compact), self._width_with("0.00" if compact else "0.00 / 0.00"))

    def _width_with(self, text: str) -> int:
        words = QFontMetricsF(note_font()).horizontalAdvance(self._summary.word)
        figures = QFontMetricsF(mono_font()).horizontalAdvance(text)
        return int(words + (figures + 8 if figures else 0)) + 36

    def sizeHint(self) -> QSize:
        return QSize(self.width_when(compact=self._compact), 26)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _figures(self, compact: bool) -> str:
        return self._summary.short_figures if compact else self._summary.figures

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("accent" if self.hasFocus() else "line"), 1))
        painter.setBrush(theme.color("hover" if self._hover else "raised"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setOpacity(_STALE if self._stale else 1.0)
        mark, role = STATE_MARKS[self._summary.passed]
        paint_mark(painter, mark, QPointF(15, self.height() / 2), 10, theme.color(role))
        words = QFontMetricsF(note_font()).horizontalAdvance(self._summary.word)
        for text, font, ink, x in (
            (self._summary.word, note_font(), "text", 26.0),
            (self._figures(self._compact), mono_font(), "muted", 34.0 + words),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(ink))
            painter.drawText(
                QRectF(x, 0, self.width() - x, self.height()), Qt.AlignmentFlag.AlignVCenter, text
            )

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hover = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = False
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.activated.emit(self._summary.axis)

    def event(self, event: QEvent) -> bool:
        return keeps(event, PRESS_KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in PRESS_KEYS:
            self.activated.emit(self._summary.axis)
        else:
            super().keyPressEvent(event)

"""The question that closing with unsaved edits asks, over the window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from fourdcb.words import chosen
from fourdcb_studio.panels.overlay import Overlay
from fourdcb_studio.theme import GRID
from fourdcb_studio.widgets.labels import ElidedLabel, RoleLabel

_WIDTH = 520
_MOST_NAMES = 4
_ROW = 20


class ClosingCard(Overlay):
    """Save, keep for next time, discard, or stay.

    Signals:
        saved(), kept(), discarded(): the user chose.
        stayed(): the window does not close.
    """

    saved = Signal()
    kept = Signal()
    discarded = Signal()
    stayed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, size=QSize(_WIDTH, 0))
        words = chosen()
        self._title = RoleLabel("", "title")
        self._names = QVBoxLayout()
        self._names.setSpacing(0)
        self._note = RoleLabel("", "note")
        self._note.setWordWrap(True)
        self._buttons: dict[str, QPushButton] = {}
        foot = QHBoxLayout()
        foot.setSpacing(GRID)
        for name, signal in (
            ("stay", None),
            ("discard", self.discarded),
            ("keep", self.kept),
            ("save", self.saved),
        ):
            button = QPushButton(words.say(f"studio.closing.{name}"))
            button.clicked.connect(lambda _=False, s=signal: self._choose(s))
            self._buttons[name] = button
            foot.addWidget(button)
            if name == "stay":
                foot.addStretch(1)
        self._buttons["save"].setProperty("kind", "primary")
        column = QVBoxLayout(self.card)
        column.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(self._title)
        column.addLayout(self._names)
        column.addWidget(self._note)
        column.addSpacing(GRID)
        column.addLayout(foot)

    def ask(self, names: Sequence[str], *, can_keep: bool) -> None:
        """Open it.

        Args:
            names: the scripts with unsaved edits.
            can_keep: whether edits can be kept for next time.
        """
        words = chosen()
        self._title.setText(words.say("studio.closing.title", count=len(names)))
        while (item := self._names.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        shown = list(names[:_MOST_NAMES])
        if len(names) > len(shown):
            shown.append(words.say("studio.closing.more", count=len(names) - len(shown)))
        for name in shown:
            label = ElidedLabel(name, "figure", elide=Qt.TextElideMode.ElideMiddle)
            label.setFixedHeight(_ROW)
            self._names.addWidget(label)
        self._buttons["keep"].setVisible(can_keep)
        self._note.setText(words.say("studio.closing.keeps" if can_keep else "studio.closing.keeps_not"))
        layout = self.card.layout()
        assert layout is not None
        height = max(layout.heightForWidth(_WIDTH), layout.sizeHint().height())
        self.set_wanted_size(QSize(_WIDTH, height))
        self.open()
        self._buttons["save"].setFocus(Qt.FocusReason.OtherFocusReason)

    def button(self, name: str) -> QPushButton:
        """``save``, ``keep``, ``discard`` or ``stay``."""
        return self._buttons[name]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        self._tell_stayed()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._tell_stayed()

    def _tell_stayed(self) -> None:
        if not self.isVisible():
            self.stayed.emit()

    def _choose(self, signal: object) -> None:
        self.dismiss()
        (self.stayed if signal is None else signal).emit()  # type: ignore[attr-defined]

"""The candidate script with its diagnostics; a click on one jumps to its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from fourdcb.errors import Diagnostic
from fourdcb_studio.theme import GRID, icon
from fourdcb_studio.views.script.code_edit import CodeEdit
from fourdcb_studio.widgets.labels import ElidedLabel

_QUIET_MS = 400
_DIAGNOSTIC = Qt.ItemDataRole.UserRole
_ROW = 24
_MOST_ROWS = 5


class ScriptView(QWidget):
    """The text of the candidate, its diagnostics, and a button to replay it.

    Signals:
        edited(text): the user changed the text and paused.
        apply_requested(text): the button, or Ctrl+Return: replay this text.
        line_activated(line): the cursor was put on another line.
    """

    edited = Signal(str)
    apply_requested = Signal(str)
    line_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ElidedLabel("No script", "note", elide=Qt.TextElideMode.ElideMiddle)
        self._place = ElidedLabel("", "muted-figure")
        self._apply = QPushButton("Apply")
        self._apply.setToolTip("Replay this text (Ctrl+Return)")
        self._apply.setEnabled(False)
        self._apply.clicked.connect(self._request_apply)
        self._editor = CodeEdit()
        self._editor.setAccessibleName("Script")
        self._list = QListWidget()
        self._list.setAccessibleName("Diagnostics")
        self._list.setIconSize(QSize(16, 16))
        self._list.setUniformItemSizes(True)
        self._list.itemClicked.connect(self._jump)
        self._list.itemActivated.connect(self._jump)
        self._list.hide()
        self._applied = ""
        self._setting = False
        self._line = 1
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_QUIET_MS)
        self._pause.timeout.connect(lambda: self.edited.emit(self.source()))
        self._editor.textChanged.connect(self._on_text)
        self._editor.cursorPositionChanged.connect(self._on_cursor)
        self._lay_out()

    def set_source(self, text: str, name: str = "") -> None:
        """Show a script; the cursor keeps its place where it can. Silent."""
        self._name.setText(name or "No script")
        self._applied = text
        if text != self.source():
            line, column = self._editor.position()
            self._setting = True
            self._editor.setPlainText(text)
            self._editor.jump_to(line, column)
            self._setting = False
        self._pause.stop()
        self._apply.setEnabled(False)

    def source(self) -> str:
        """The text as it stands."""
        return self._editor.toPlainText()

    def is_changed(self) -> bool:
        """Whether the text differs from the one that was set."""
        return self.source() != self._applied

    def set_read_only(self, read_only: bool) -> None:
        """Only to look at."""
        self._editor.setReadOnly(read_only)
        self._apply.setVisible(not read_only)

    def set_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Errors and warnings under the text and at their places in it."""
        self._editor.set_diagnostics(diagnostics)
        self._list.clear()
        for diagnostic in diagnostics:
            place = f"{diagnostic.line}:{diagnostic.column or 1}  " if diagnostic.line else ""
            hint = f" {diagnostic.hint}" if diagnostic.hint else ""
            item = QListWidgetItem(f"{place}{diagnostic.message}{hint}")
            error = diagnostic.severity == "error"
            item.setIcon(icon("circle-x" if error else "triangle-alert", "bad" if error else "warning"))
            item.setData(_DIAGNOSTIC, diagnostic)
            item.setToolTip(str(diagnostic))
            item.setSizeHint(QSize(200, _ROW))
            self._list.addItem(item)
        rows = min(len(diagnostics), _MOST_ROWS)
        self._list.setFixedHeight(rows * _ROW + 4)
        self._list.setVisible(bool(diagnostics))

    def jump_to(self, line: int, column: int = 1) -> None:
        """Show a place and put the cursor there."""
        self._editor.jump_to(line, column)
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def light_line(self, line: int | None) -> None:
        """Light up the line of the selected parameter."""
        self._editor.light_line(line)

    def editor(self) -> CodeEdit:
        """The text."""
        return self._editor

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._apply.isEnabled():
            self._request_apply()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(self._name)
        head.addStretch(1)
        head.addWidget(self._place)
        head.addWidget(self._apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addLayout(head)
        column.addWidget(self._editor, 1)
        column.addWidget(self._list)

    def _request_apply(self) -> None:
        self.apply_requested.emit(self.source())

    def _on_text(self) -> None:
        if self._setting:
            return
        self._apply.setEnabled(self.is_changed())
        self._pause.start()

    def _on_cursor(self) -> None:
        if self._setting:
            return
        line, column = self._editor.position()
        self._place.setText(f"{line}:{column}")
        if line != self._line:
            self._line = line
            self.line_activated.emit(line)

    def _jump(self, item: QListWidgetItem) -> None:
        diagnostic: Diagnostic = item.data(_DIAGNOSTIC)
        if diagnostic.line is not None:
            self.jump_to(diagnostic.line, diagnostic.column or 1)

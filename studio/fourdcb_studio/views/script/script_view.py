"""The candidate script with its diagnostics, beside another text where that is wished."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from fourdcb.errors import Diagnostic
from fourdcb.words import chosen
from fourdcb_studio.session.text_difference import text_difference
from fourdcb_studio.theme import GRID
from fourdcb_studio.views.script.code_edit import CodeEdit
from fourdcb_studio.views.script.diagnostic_list import DiagnosticList
from fourdcb_studio.widgets.labels import ElidedLabel
from fourdcb_studio.widgets.pick_button import PickButton

_QUIET_MS = 400
NO_DIFFERENCE = ""


class ScriptView(QWidget):
    """The text of the candidate, its diagnostics, a button to replay it, and a text to compare it with.

    Signals:
        typed(text): the user changed the text; None where it is the script's own again.
        edited(text): the user changed the text and paused.
        apply_requested(text): the button, or Ctrl+Return: replay this text.
        line_activated(line): the cursor was put on another line.
        difference_chosen(id): compare with another text.
    """

    typed = Signal(object)
    edited = Signal(str)
    apply_requested = Signal(str)
    line_activated = Signal(int)
    difference_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = chosen()
        self._name = ElidedLabel(words.say("studio.script.none"), "note", elide=Qt.TextElideMode.ElideMiddle)
        self._place = ElidedLabel("", "muted-figure")
        self._count = ElidedLabel("", "note")
        self._pick = PickButton(words.say("studio.script.compare_about"))
        self._pick.picked.connect(self.difference_chosen)
        self._apply = QPushButton(words.say("studio.script.apply"))
        self._apply.setToolTip(words.say("studio.script.apply_about"))
        self._apply.setEnabled(False)
        self._apply.clicked.connect(self._request_apply)
        self._editor, self._other = CodeEdit(), CodeEdit()
        self._editor.setAccessibleName(words.say("studio.script.name"))
        self._other.setReadOnly(True)
        self._other.hide()
        self._list = DiagnosticList()
        self._list.picked.connect(self._jump)
        self._applied, self._key = "", ""
        self._setting = False
        self._line = 1
        self._beside: tuple[int, ...] = ()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_QUIET_MS)
        self._pause.timeout.connect(lambda: self.edited.emit(self.source()))
        self._editor.textChanged.connect(self._on_text)
        self._editor.cursorPositionChanged.connect(self._on_cursor)
        self._editor.submitted.connect(self._submit)
        self._editor.verticalScrollBar().valueChanged.connect(lambda _: self._scroll_beside())
        self._lay_out()

    def set_source(self, text: str, name: str = "", *, key: str = "", draft: str | None = None) -> None:
        """Show a script; the cursor keeps its place where it can. Silent.

        Args:
            text: what is replayed.
            name: of the file.
            key: of the script; a text of the same script is one step for the editor's undo.
            draft: what was typed in its place and is not replayed yet.
        """
        self._name.setText(name or chosen().say("studio.script.none"))
        self._applied = text
        shown = text if draft is None else draft
        if shown != self.source():
            line, column = self._editor.position()
            self._setting = True
            if key == self._key:
                self._editor.exchange_text(shown)
            else:
                self._editor.setPlainText(shown)
            self._editor.jump_to(line, column)
            self._setting = False
            self._pause.stop()  # what was being typed is gone; else the pause goes on, whatever asked to show
        self._key = key
        self._apply.setEnabled(self.is_changed())
        self._show_difference()

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
        self._list.set_diagnostics(diagnostics)

    def set_difference_choices(self, choices: Sequence[tuple[str, str]], current: str) -> None:
        """Texts (id, word) to compare with, and the one in force."""
        self._pick.set_choices(choices, current)

    def set_other(self, text: str | None) -> None:
        """The text on the left to compare with; None takes it away."""
        self._other.setVisible(text is not None)
        if text is not None and text != self._other.toPlainText():
            self._other.setPlainText(text)
        self._show_difference()

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

    def other(self) -> CodeEdit:
        """The text on the left."""
        return self._other

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(self._name)
        head.addStretch(1)
        for widget in (self._count, self._pick, self._place, self._apply):
            head.addWidget(widget)
        texts = QSplitter(Qt.Orientation.Horizontal)
        texts.setHandleWidth(1)
        texts.setChildrenCollapsible(False)
        texts.addWidget(self._other)
        texts.addWidget(self._editor)
        texts.setSizes([1000, 1000])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addLayout(head)
        column.addWidget(texts, 1)
        column.addWidget(self._list)

    def _request_apply(self) -> None:
        self.apply_requested.emit(self.source())

    def _submit(self) -> None:
        if self._apply.isEnabled():
            self._request_apply()

    def _on_text(self) -> None:
        if self._setting:
            return
        changed = self.is_changed()
        self._apply.setEnabled(changed)
        self._editor.set_stale(True)
        self._list.set_stale(True)
        self._show_difference()
        self._pause.start()
        self.typed.emit(self.source() if changed else None)

    def _on_cursor(self) -> None:
        if self._setting:
            return
        line, column = self._editor.position()
        self._place.setText(f"{line}:{column}")
        if line != self._line:
            self._line = line
            self.line_activated.emit(line)

    def _jump(self, diagnostic: Diagnostic) -> None:
        if diagnostic.line is not None:
            self.jump_to(diagnostic.line, diagnostic.column or 1)

    # -- the other text ------------------------------------------------------------------------------
    def _show_difference(self) -> None:
        if self._other.isHidden():
            self._editor.set_differing(frozenset(), "added")
            self._count.setText("")
            return
        found = text_difference(self._other.toPlainText(), self.source())
        self._beside = found.beside
        self._other.set_differing(found.left, "removed")
        self._editor.set_differing(found.right, "added")
        words = chosen()
        told = words.say("studio.script.differ", count=found.count)
        self._count.setText(told if found.count else words.say("studio.script.same"))
        self._scroll_beside()

    def _scroll_beside(self) -> None:
        """The line of the other text that stands beside the first one in sight comes to the top, too."""
        if self._other.isHidden() or not self._beside:
            return
        first = min(self._editor.verticalScrollBar().value(), len(self._beside) - 1)
        self._other.verticalScrollBar().setValue(self._beside[first] - 1)

"""What is wrong with the script, a row each, under the text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from fourdcb.errors import Diagnostic
from fourdcb.words import chosen
from fourdcb_studio.theme import icon, tokens

_DIAGNOSTIC = Qt.ItemDataRole.UserRole
_ROW = 24
_MOST_ROWS = 5


class DiagnosticList(QListWidget):
    """Hidden while nothing is wrong.

    Signals:
        picked(diagnostic): a row was clicked.
    """

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(chosen().say("studio.script.diagnostics"))
        self.setIconSize(QSize(16, 16))
        self.setUniformItemSizes(True)
        for signal in (self.itemClicked, self.itemActivated):
            signal.connect(lambda item: self.picked.emit(item.data(_DIAGNOSTIC)))
        self._stale = False
        self.hide()

    def set_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Those of the text as it stands."""
        self._stale = False
        self.clear()
        for diagnostic in diagnostics:
            place = f"{diagnostic.line}:{diagnostic.column or 1}  " if diagnostic.line else ""
            hint = f" {diagnostic.hint}" if diagnostic.hint else ""
            item = QListWidgetItem(f"{place}{diagnostic.message}{hint}")
            item.setData(_DIAGNOSTIC, diagnostic)
            item.setToolTip(str(diagnostic))
            item.setSizeHint(QSize(200, _ROW))
            self.addItem(item)
        self._paint_rows()
        self.setFixedHeight(min(len(diagnostics), _MOST_ROWS) * _ROW + 4)
        self.setVisible(bool(diagnostics))

    def set_stale(self, stale: bool) -> None:
        """Whether they are of an older text: they are greyed then, and say so."""
        if stale != self._stale:
            self._stale = stale
            self._paint_rows()

    def is_stale(self) -> bool:
        """Whether they are greyed."""
        return self._stale

    def _paint_rows(self) -> None:
        for row in range(self.count()):
            item = self.item(row)
            error = item.data(_DIAGNOSTIC).severity == "error"
            role = "muted" if self._stale else "bad" if error else "warning"
            item.setIcon(icon("circle-x" if error else "triangle-alert", role))
            item.setForeground(tokens().color("muted" if self._stale else "text"))

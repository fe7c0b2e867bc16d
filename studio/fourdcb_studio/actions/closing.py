"""Closing with unsaved edits: asks what becomes of them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from fourdcb_studio.bench import Bench
from fourdcb_studio.panels.closing_card import ClosingCard
from fourdcb_studio.session.open_script import Leave
from fourdcb_studio.workspace import Workspace


class Closing(QObject):
    """Holds the window open until the user has said what becomes of unsaved edits.

    Args:
        bench: whose edits.
        parts: where the question stands.

    Signals:
        stayed(): the window stays open after all.
    """

    stayed = Signal()

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        super().__init__(bench)
        self._bench, self._parts, self._session = bench, parts, bench.session
        self._decided = False
        self.card: ClosingCard | None = None

    def may_close(self) -> bool:
        """Whether the window may close now; else the question is on screen."""
        self._session.finish_drag()
        unsaved = self._session.unsaved_scripts
        if self._decided or not unsaved:
            return True
        if self.card is None:
            card = self.card = ClosingCard(self._parts)
            card.saved.connect(self._save)
            card.kept.connect(lambda: self.decide("keep"))
            card.discarded.connect(lambda: self.decide("discard"))
            card.stayed.connect(self.stayed)
        names = [self._session.sources.case_name(path) for path in sorted(unsaved)]
        self.card.ask(names, can_keep=self._session.can_keep)
        return False

    def decide(self, how: Leave) -> None:
        """Close, and keep or lose what is unsaved."""
        self._session.leave(how)
        self._decided = True
        self._bench.close_requested.emit()

    def end(self) -> None:
        """Close without a question, as when the system asks for it: edits are kept where they can be."""
        self.decide("keep" if self._session.can_keep else "discard")

    def _save(self) -> None:
        """Close when everything is saved; what cannot be is told, and the window stays."""
        if self._session.save_all():
            self._decided = True
            self._bench.close_requested.emit()
        else:
            self.stayed.emit()

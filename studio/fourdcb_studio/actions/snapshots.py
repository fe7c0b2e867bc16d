"""Snapshots over the window: named, compared with, returned to."""

from __future__ import annotations

from collections.abc import Callable

from fourdcb.words import chosen
from fourdcb_studio.bench import Bench
from fourdcb_studio.panels.before_after import figures
from fourdcb_studio.panels.snapshots_card import SnapshotsCard
from fourdcb_studio.workspace import Workspace

_SAVED = "saved"


class Snapshots:
    """Opens the card and keeps it true while it is open.

    Args:
        bench: whose snapshots.
        parts: where the card lies.
    """

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        self._session, self._parts = bench.session, parts
        self.card: SnapshotsCard | None = None
        for topic in ("world", "report", "comparison", "scene"):
            bench.session.changes.subscribe(topic, lambda: bench.deferred.show(self.show))

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its action does."""
        return {"snapshots": self.open}

    def open(self) -> None:
        """The list and the figures; what is *before* is judged from now on, where it is not."""
        if self.card is None:
            session, card = self._session, SnapshotsCard(self._parts)
            card.chosen.connect(lambda name: session.comparison.update(before=name))
            card.taken.connect(session.take_snapshot)
            card.returned.connect(self._return)
            card.renamed.connect(session.rename_snapshot)
            card.dropped.connect(session.drop_snapshot)
            self.card = card
        self._session.scheduler.judge_before(True)
        self.card.open()
        self.show()

    def show(self) -> None:
        """Bring the open card up to date."""
        card, session = self.card, self._session
        if card is None or not card.isVisible():
            return
        edits, words = session.parameters, chosen()
        names = edits.snapshots if edits is not None else ()
        before = session.comparison.state.before
        before = before if before in names else _SAVED
        saved = words.say("studio.snapshots.saved")
        card.set_snapshots([(_SAVED, saved), *((name, name) for name in names)], before)
        after = session.report if session.report_is_fresh else None
        former = session.report_before
        waits = [key for key, report in (("before", former), ("after", after)) if report is None]
        told = words.say("studio.snapshots.told", name=saved if before == _SAVED else before)
        if waits:
            told = words.say(f"studio.snapshots.waits_{waits[0]}")
        card.set_figures(told, figures(former, after))

    def _return(self, name: str) -> None:
        if name == _SAVED:
            self._session.reset_all()
        else:
            self._session.return_to(name)

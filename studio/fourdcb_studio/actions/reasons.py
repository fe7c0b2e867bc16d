"""Why the verdict is what it is, over the window."""

from __future__ import annotations

from collections.abc import Callable

from fourdcb.metrics.result import AXES
from fourdcb_studio.bench import Bench
from fourdcb_studio.panels.reasons_card import ReasonsCard
from fourdcb_studio.workspace import Workspace


class Reasons:
    """Opens the card, from the pill, from a chip or from the menu.

    Args:
        bench: whose report.
        parts: where pill, chips and card lie.
    """

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        self._bench, self._parts = bench, parts
        self.card: ReasonsCard | None = None
        parts.verdict.axis_activated.connect(self.open)
        parts.verdict.pill().activated.connect(self.open)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its action does."""
        return {"reasons": self.open}

    def open(self, axis: str = "") -> None:
        """Show the reasons, at an axis."""
        self.card = self.card or ReasonsCard(self._parts)
        session = self._bench.session
        at = next((known for known in AXES if known == axis), None)
        report = session.report
        self.card.show_report(report, stale=report is not None and not session.report_is_fresh, axis=at)

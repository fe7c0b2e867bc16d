"""The ranges of the error strips: fixed to the thresholds, or to what there is, as the user likes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fourdcb_studio.bench import Bench
from fourdcb_studio.jobs.criteria import CRITERIA, CriteriaRequest, CriteriaResult
from fourdcb_studio.session.state import info, message_of
from fourdcb_studio.views.time.data import Limits
from fourdcb_studio.views.time.panel import TimePanel
from fourdcb_studio.widgets.no_display import NoDisplay


class Ranges:
    """Reads the thresholds when the first motion is there, and tells them to the time panel.

    Args:
        bench: whose motion.
        time: the strips.

    Attributes:
        told: is given every threshold by its metric, once they are known.
    """

    def __init__(self, bench: Bench, time: TimePanel) -> None:
        self._session, self._time = bench.session, time
        self._asked = False
        self.told: Callable[[Mapping[str, float]], None] = lambda thresholds: None
        self._runner = bench.jobs.runner(
            CRITERIA,
            NoDisplay(bench),
            on_done=self._take,
            on_error=lambda error: self._session.tell(message_of(error)),
        )
        self._session.changes.subscribe("motion", self._ask)

    def toggle(self) -> None:
        """Ranges by the thresholds, or by the largest error that there is."""
        auto = not self._time.data().auto
        self._time.set_auto(auto)
        self._session.tell(info("range_auto") if auto else info("range_fixed"))

    def _ask(self) -> None:
        if not self._asked:
            self._asked = True
            self._runner.start(CriteriaRequest())

    def _take(self, found: CriteriaResult) -> None:
        limits = found.thresholds
        self.told(limits)
        self._time.set_thresholds(
            Limits(
                position=1000.0 * limits["delta_pos"],
                rotation=limits["delta_rot"],
                energy=limits["energy_error"],
            )
        )

"""The doctor in the Help menu: checks run in a process of their own, the card shows them."""

from __future__ import annotations

from collections.abc import Callable

from fourdcb.errors import UserError
from fourdcb_studio.bench import Bench
from fourdcb_studio.jobs.doctor import DOCTOR
from fourdcb_studio.panels.doctor_card import DoctorCard
from fourdcb_studio.session.state import message_of
from fourdcb_studio.workspace import Workspace


class Doctoring:
    """Opens the card and fills it.

    Args:
        bench: whom it tells.
        parts: where the card lies.
    """

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        self._bench, self._parts = bench, parts
        self.card: DoctorCard | None = None
        chip = parts.status.job_chip("doctor")
        self.jobs = bench.jobs.runner(DOCTOR, chip, on_done=self._show, on_error=self._failed)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its action does."""
        return {"doctor": self.open}

    def open(self) -> None:
        """Look at the machine."""
        self.card = self.card or DoctorCard(self._parts)
        self.card.show_waiting()
        self.card.open()
        self.jobs.start(None)

    def _show(self, rows: object) -> None:
        if self.card is not None and isinstance(rows, list):
            self.card.set_rows(rows)

    def _failed(self, error: UserError) -> None:
        if self.card is not None:
            self.card.dismiss()
        self._bench.session.tell(message_of(error))

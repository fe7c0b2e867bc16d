"""Watches the script's file: reads it again by itself, or asks when there are unsaved edits."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from fourdcb.errors import UserError
from fourdcb.words import tr
from fourdcb_studio.bench import Bench
from fourdcb_studio.panels.message_bar import MessageBar
from fourdcb_studio.session.state import Message, info, message_of

_CHOICES = ("load_theirs", "show_disk_difference")


class DiskWatch:
    """Asks once for each change; what is chosen is done at once.

    Args:
        bench: whose script.
        messages: where the question stands, with the lines that differ.
    """

    def __init__(self, bench: Bench, messages: MessageBar) -> None:
        self._session, self._messages = bench.session, messages
        self._asked = ""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each answer does."""
        return {
            "keep_mine": self.keep_mine,
            "load_theirs": self.load_theirs,
            "show_disk_difference": self.show_difference,
        }

    @property
    def conflict(self) -> bool:
        """Whether the file says something else than what the unsaved edits were made on."""
        return self._session.disk_conflict

    def check(self) -> None:
        """Look at the file now."""
        document, broken = self._session.document, self._session.broken
        if broken is not None and broken.changed_on_disk():
            self._session.open_candidate(broken.path)
        if document is None or not document.changed_on_disk():
            return
        if not self._session.unsaved:
            self._session.reload()
            return
        text = document.text_on_disk()
        if text != self._asked:
            self._asked = text
            self._session.tell(
                Message(kind="disk_conflict", severity="warning", action="keep_mine", more=_CHOICES)
            )

    def keep_mine(self) -> None:
        """The edits stay; the next save writes over what somebody else wrote."""
        if self._session.document is None or not self.conflict:
            return
        self._session.document.accept_disk()
        self._session.tell(info("kept_edits"))

    def load_theirs(self) -> None:
        """Read the file; the edits go."""
        if self._session.document is not None and self.conflict:
            self._session.open_candidate(self._session.document.path, keep_edits=False)

    def show_difference(self) -> None:
        """The lines in which the file and the edited script differ."""
        document, edits = self._session.document, self._session.parameters
        if document is None or edits is None or not self.conflict:
            return
        try:
            mine = document.edited(edits.values).source
        except UserError as error:
            self._session.tell(message_of(error))
            return
        lines = difflib.unified_diff(
            document.text_on_disk().splitlines(), mine.splitlines(), "on disk", "yours", lineterm="", n=1
        )
        details = "\n".join(lines) or tr("no line differs")
        message = Message(
            kind="disk_conflict", severity="warning", details=details, action="keep_mine", more=_CHOICES[:1]
        )
        self._session.tell(message)
        self._messages.show_details(True)

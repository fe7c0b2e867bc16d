"""What the answers of the simulation process tell the user."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fourdcb.errors import UserError
from fourdcb_studio.session.messages import ExportAnswer, WorkerLost
from fourdcb_studio.session.state import Message, info, message_of

PROCESS_LOST = Message(kind="process_lost", severity="warning")
PROCESS_RECOVERED = info("process_recovered")


def written(answer: ExportAnswer) -> Message:
    """A report was written."""
    names = ", ".join(Path(path).name for path in answer.paths)
    return info("wrote", names=names, folder=Path(answer.paths[0]).parent)


def lost(answer: WorkerLost) -> Message:
    """The process is gone, and why."""
    return replace(PROCESS_LOST, details=answer.reason)


def ready(shown: Message | None, error: UserError | None) -> Message | None:
    """What stands in the place of ``shown`` when the process can work: that it is gone is over by then.

    Args:
        shown: the message on screen.
        error: why the candidate cannot be replayed, such as that it ended the process twice.
    """
    if shown is None or shown.kind != PROCESS_LOST.kind:
        return shown
    return PROCESS_RECOVERED if error is None else message_of(error)

"""The checks of ``fourdcb doctor``, beside the window."""

from __future__ import annotations

from fourdcb.words import tr
from fourdcb_studio.jobs.contract import JobKind

DOCTOR = JobKind(
    name="doctor",
    request=type(None),
    place="process",
    work="fourdcb_studio.workers.doctor:check_machine",
    words=tr("looking at the machine"),
)

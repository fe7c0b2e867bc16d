"""Every kind of job, the most urgent first. A new kind is a file with a row and its line here."""

from __future__ import annotations

from fourdcb_studio.jobs.case import CASE
from fourdcb_studio.jobs.check import CHECK
from fourdcb_studio.jobs.clip import CLIP
from fourdcb_studio.jobs.clip_file import CLIP_FILE
from fourdcb_studio.jobs.contract import JobKind
from fourdcb_studio.jobs.criteria import CRITERIA
from fourdcb_studio.jobs.diff import DIFF
from fourdcb_studio.jobs.doctor import DOCTOR
from fourdcb_studio.jobs.error_map import ERROR_MAP
from fourdcb_studio.jobs.export import EXPORT
from fourdcb_studio.jobs.fit import FIT
from fourdcb_studio.jobs.frame import FRAME
from fourdcb_studio.jobs.judge import JUDGE
from fourdcb_studio.jobs.library import LIBRARY
from fourdcb_studio.jobs.picture_series import PICTURE_SERIES
from fourdcb_studio.jobs.probe import PROBE
from fourdcb_studio.jobs.runs import RUNS
from fourdcb_studio.jobs.strip import STRIP

KINDS: tuple[JobKind, ...] = (
    FRAME, ERROR_MAP, EXPORT, DIFF, CLIP, JUDGE, PROBE, STRIP, CASE, FIT, PICTURE_SERIES, CLIP_FILE,
    CHECK, CRITERIA, DOCTOR, LIBRARY, RUNS,
)  # fmt: skip
"""The order in which the simulation process is given what is wanted."""


class Registry:
    """Finds kinds.

    Args:
        kinds: the rows, the most urgent first; default all of them.

    Raises:
        KeyError: when two kinds share a name or a class of answers.
    """

    def __init__(self, kinds: tuple[JobKind, ...] | None = None) -> None:
        self.kinds = kinds = KINDS if kinds is None else kinds
        self._by_name = {kind.name: kind for kind in kinds}
        answers = [(answer, kind) for kind in kinds for answer in kind.answers]
        self._by_answer = dict(answers)
        self._by_request = {kind.request: kind for kind in kinds}
        if len(self._by_name) < len(kinds) or len(self._by_answer) < len(answers):
            raise KeyError("two kinds of jobs share a name or a class of answers")

    def named(self, name: str) -> JobKind:
        """The kind of that name. Raises KeyError."""
        return self._by_name[name]

    def of_request(self, request: object) -> JobKind:
        """The kind that a request belongs to. Raises KeyError."""
        return self._by_request[type(request)]

    def of_answer(self, answer: object) -> JobKind | None:
        """The kind that takes an answer in, None for one that only its asker reads."""
        return self._by_answer.get(type(answer))

"""What the simulation process does besides the open candidate: other cases, pixel facts, exports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.result import Finding, Report, Verdict
from fourdcb.words import tr
from fourdcb_studio.session.messages import CaseAnswer, ExportRequest, ProbeAnswer, ReplayKey, Role

CASE_PREFIX = "case:"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What the list of cases says of one.

    Attributes:
        verdict: None when it could not be judged.
        note: what is wrong, in a few words.
        image: a small picture, uint8, shape (H, W, 3), or None.
    """

    verdict: Verdict | None
    note: str
    image: NDArray[np.uint8] | None


class CasePlan:
    """Which scripts of the scene folder have a verdict, and which is judged next in idle time."""

    def __init__(self) -> None:
        self._paths: tuple[Path, ...] = ()
        self._current: Path | None = None
        self._results: dict[Path, CaseResult] = {}
        self._edited: dict[Path, CaseResult] = {}

    def want(self, paths: tuple[Path, ...], *, current: Path | None) -> None:
        """The cases of the folder; the current one is judged as the open candidate."""
        self._paths, self._current = paths, current

    def get(self, path: Path, *, edited: bool = False) -> CaseResult | None:
        """What is known of a case as its file says, or with the edits that are not saved."""
        return (self._edited if edited else self._results).get(path)

    def put(self, path: Path, result: CaseResult, *, edited: bool = False) -> None:
        """A case was judged, as its file says or with edits."""
        (self._edited if edited else self._results)[path] = result

    def judged(
        self, path: Path, report: Report, image: NDArray[np.uint8] | None, *, edited: bool = False
    ) -> None:
        """The open script has a verdict; the picture that the list shows of it stays the first one."""
        known = self.get(path, edited=edited)
        image = known.image if known is not None and known.image is not None else image
        note = case_note(report.verdict, report.findings)
        self.put(path, CaseResult(verdict=report.verdict, note=note, image=image), edited=edited)

    def take(self, answer: CaseAnswer) -> None:
        """The process judged a case, or says why it cannot."""
        note = answer.error or case_note(answer.verdict, answer.findings)
        self.put(Path(answer.path), CaseResult(verdict=answer.verdict, note=note, image=answer.image))

    def fail(self, key: ReplayKey, error: str) -> None:
        """A case cannot be judged."""
        result = CaseResult(verdict=None, note=error, image=None)
        self.put(Path(key.world.removeprefix(CASE_PREFIX)), result)

    @property
    def waiting(self) -> tuple[Path, ...]:
        """The cases without a result, but for the current one."""
        return tuple(p for p in self._paths if p not in self._results and p != self._current)

    def next_path(self) -> Path | None:
        """The first case without a result."""
        return next(iter(self.waiting), None)


def case_note(verdict: Verdict | None, findings: tuple[Finding, ...]) -> str:
    """The first finding's cause and frame, or that there is none."""
    if not findings:
        return tr("deployable") if verdict == "DEPLOYABLE" else tr("not judged")
    first = findings[0]
    cause = first.likely_cause
    word = cause.parameter.rsplit(".", 1)[-1].partition("[")[0] if cause else first.kind or first.axis
    frame = "" if first.frame is None else f"{tr(' · frame ')}{first.frame}"
    return tr(word.replace("_", " ")) + frame


class ProbePlan:
    """Depth and object under every pixel of the frame that is looked at, the last answer of each role."""

    def __init__(self) -> None:
        self._roles: tuple[Role, ...] = ()
        self._answers: dict[Role, ProbeAnswer] = {}

    def want(self, roles: tuple[Role, ...]) -> None:
        """The replays whose pixels are asked about."""
        self._roles = roles

    @property
    def roles(self) -> tuple[Role, ...]:
        """The replays whose pixels are asked about."""
        return self._roles

    def take(self, answer: ProbeAnswer) -> None:
        """The process looked."""
        self._answers[answer.role] = answer

    def get(self, role: Role, key: ReplayKey | None, frame: int) -> ProbeAnswer | None:
        """The facts of exactly this picture, None while they are not there."""
        found = self._answers.get(role)
        return found if found is not None and (found.key, found.frame) == (key, frame) else None

    def forget(self) -> None:
        """Another scene."""
        self._answers.clear()


class ExportPlan:
    """At most one export waits; it survives edits, because it writes the report as it stood."""

    def __init__(self) -> None:
        self.waiting: ExportRequest | None = None

    def end(self, job: int) -> None:
        """It was written, or cannot be."""
        if self.waiting is not None and self.waiting.job == job:
            self.waiting = None

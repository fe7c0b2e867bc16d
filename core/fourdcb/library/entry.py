"""One case of a library: a report, the files that belong to it, and what people wrote about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from fourdcb.library.summary import ReportSummary

CaseVerdict = Literal["not_deployable", "inconclusive", "deployable", "unreadable"]
VERDICTS: tuple[CaseVerdict, ...] = ("not_deployable", "inconclusive", "deployable", "unreadable")
"""Verdicts as a library names them, the ones to look at first."""
_WORDS: dict[str, CaseVerdict] = {
    "DEPLOYMENT_NOT_RECOMMENDED": "not_deployable",
    "INCONCLUSIVE": "inconclusive",
    "DEPLOYABLE": "deployable",
}
_INSTANCE = re.compile(r"[_-]?\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What people wrote about a case.

    Attributes:
        tags: without repetition, sorted.
        note: free text.
    """

    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFiles:
    """What belongs to a case.

    Attributes:
        paths: absolute paths by part, ``report``, ``script``, ``reference``, ``video``, ``picture``, as text:
            a path object for every file of a large library would take most of the time of opening it.
    """

    paths: Mapping[str, str]

    @property
    def report(self) -> Path:
        """The report.json."""
        return Path(self.paths["report"])

    @property
    def script(self) -> Path | None:
        """The candidate; None when it is not there."""
        return self._path("script")

    @property
    def reference(self) -> Path | None:
        """The truth script; None when it is not there."""
        return self._path("reference")

    @property
    def video(self) -> Path | None:
        """The video that was judged against; None when it is not there."""
        return self._path("video")

    @property
    def picture(self) -> Path | None:
        """A small picture of the case; None when there is none."""
        return self._path("picture")

    def _path(self, part: str) -> Path | None:
        return Path(self.paths[part]) if part in self.paths else None


@dataclass(frozen=True, kw_only=True)
class CaseEntry:
    """A case as lists show it.

    Attributes:
        id: its place in the library, ``/`` between folders; unique and stable.
        title: what it is called.
        summary: the head of its report; None when that cannot be read.
        problem: why it cannot be read, or what else is wrong with it; "" when nothing is.
        scene: name of the scene that was judged, "" when unknown.
        candidate: name of the candidate script, "" when unknown.
        object_types: geometries that the script names.
        files: its files.
        judged: when the report was written [s since 1970].
        annotation: tags and note.
    """

    id: str
    title: str
    summary: ReportSummary | None
    problem: str = ""
    scene: str = ""
    candidate: str = ""
    object_types: tuple[str, ...] = ()
    files: CaseFiles
    judged: float = 0.0
    annotation: Annotation = field(default_factory=Annotation)

    @property
    def verdict(self) -> CaseVerdict:
        """The verdict, or that there is none to be read."""
        return "unreadable" if self.summary is None else _WORDS[self.summary.verdict]

    @property
    def template(self) -> str:
        """The scene without the number of its instance: ``slide_cup`` of ``slide_cup_047``."""
        return _INSTANCE.sub("", self.scene) or self.scene

    @property
    def failed_axes(self) -> tuple[str, ...]:
        """Axes that failed."""
        return () if self.summary is None else self.summary.failed_axes

    @property
    def frame(self) -> int | None:
        """The frame of the first finding."""
        finding = self.summary.finding if self.summary else None
        return finding.frame if finding else None

    @property
    def headline(self) -> str:
        """One sentence: the first finding, or why there is none."""
        if self.summary is None:
            return self.problem
        if self.summary.finding is not None:
            return self.summary.finding.message
        return {
            "deployable": "meets every threshold",
            "inconclusive": "could not be judged on every axis",
        }.get(self.verdict, "failed without a localised finding")

    @cached_property
    def haystack(self) -> str:
        """Everything that a search looks in, in lower case."""
        summary = self.summary
        words = [self.id, self.title, self.headline, self.annotation.note, *self.annotation.tags]
        words += [self.scene, self.candidate, self.verdict, *self.object_types]
        if summary is not None:
            words += [*summary.kinds, *summary.objects, *summary.failed_axes]
            words += [summary.finding.parameter or ""] if summary.finding else []
        return "\n".join(words).casefold()

    def to_json(self) -> Mapping[str, object]:
        """Plain JSON value for tools."""
        axes = {} if self.summary is None else self.summary.axes
        finding = self.summary.finding if self.summary else None
        return {
            "id": self.id,
            "title": self.title,
            "verdict": self.verdict,
            "problem": self.problem or None,
            "scene": self.scene,
            "candidate": self.candidate,
            "failed_axes": self.failed_axes,
            "axes": axes,
            "finding": finding,
            "kinds": self.summary.kinds if self.summary else (),
            "severity": self.summary.severity if self.summary else None,
            "object_types": self.object_types,
            "tags": self.annotation.tags,
            "note": self.annotation.note,
            "files": dict(self.files.paths),
            "judged": self.judged,
        }

"""Finds the reports under a folder and the files that belong to each."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fourdcb.dataset.layout import REFERENCE_NAME, VIDEO_NAME
from fourdcb.library.entry import CaseFiles
from fourdcb.library.summary import ReportSummary
from fourdcb.metrics.result import REPORT_FORMAT
from fourdcb.video.suffixes import VIDEO_SUFFIXES

REPORT_NAME, RECORD_NAME, SERIES_NAME = "report.json", "case.json", "series.npz"
SCRIPT_NAMES = ("candidate.py", "pred.py")
PICTURE_NAMES = ("thumbnail.png", "thumbnail.jpg")
_HEAD = 512  # a report says within so many bytes what it is


@dataclass(frozen=True, kw_only=True)
class FoundReport:
    """A file that is a report, or should be.

    Attributes:
        id: its place in the library.
        path: the file, as text.
        folder: where it lies, as text.
        names, inner: names of the files and folders beside it.
        stem: what the files of its group begin with; "" when the whole folder is the case.
        mtime_ns, size: of the report.
    """

    id: str
    path: str
    folder: str
    names: frozenset[str]
    inner: frozenset[str]
    stem: str
    mtime_ns: int
    size: int

    @cached_property
    def record(self) -> Mapping[str, Any] | None:
        """``case.json`` beside it; None when there is none, or none that can be read."""
        path = Path(self.folder, RECORD_NAME)
        if self.stem or RECORD_NAME not in self.names or not path.is_file():
            return None
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None


def find_reports(root: Path, *, unread: Callable[[OSError], None] | None = None) -> Iterator[FoundReport]:
    """Every report under ``root``, folder by folder in the order of their names. Links are not followed.

    ``report.json`` makes its folder a case; another ``NAME.json`` that begins as a report does makes a case
    of the files ``NAME.*``. Pipes and devices are no reports, whatever they are called.

    Args:
        root: the folder.
        unread: told of every folder that cannot be listed.
    """
    top = len(os.path.join(root, ""))
    for folder, inner, files in os.walk(root, onerror=unread):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        names, folders = frozenset(files), frozenset(inner)
        prefix = folder[top:].replace(os.sep, "/") or "."
        for name in sorted(files):
            if not name.endswith(".json") or name.startswith("."):
                continue
            path = os.path.join(folder, name)
            try:
                status = os.stat(path)
            except OSError:  # gone since it was listed, or a link to nowhere
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            if name != REPORT_NAME and not name.endswith(f".{REPORT_NAME}") and not _begins_as_report(path):
                continue
            stem = "" if name == REPORT_NAME else name.removesuffix(".json").removesuffix(".report")
            yield FoundReport(
                id=prefix if not stem else stem if prefix == "." else f"{prefix}/{stem}",
                path=path, folder=folder, names=names, inner=folders, stem=stem,
                mtime_ns=status.st_mtime_ns, size=status.st_size,
            )  # fmt: skip


def _begins_as_report(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            return f'"{REPORT_FORMAT}"'.encode() in stream.read(_HEAD)
    except OSError:
        return False


class FileFinder:
    """Says which files belong to a report; remembers which paths exist.

    Args:
        root: the library, from which the paths in reports may be relative.
    """

    def __init__(self, root: Path) -> None:
        self._bases = (str(root), os.getcwd())
        self._exists: dict[str, bool] = {}

    def files(self, found: FoundReport, summary: ReportSummary | None) -> CaseFiles:
        """The case's own files first, then those that its record and its report name."""
        own = _own_files(found)
        recorded = (found.record or {}).get("files")
        named = recorded if isinstance(recorded, dict) else {}
        inputs = {} if summary is None else {role: path for role, (path, _) in summary.inputs.items()}
        pictures = () if summary is None else summary.pictures

        def choose(role: str, *paths: str | None) -> str | None:
            name = own.get(role)
            if name is not None and os.path.isfile(path := os.path.join(found.folder, name)):
                return path
            told = (str(text) for text in (named.get(role), *paths) if text)
            return next((p for text in told if (p := self._find(text, found))), None)

        parts = {
            "report": found.path,
            "script": choose("script", inputs.get("code")),
            "reference": choose("reference", inputs.get("reference")),
            "video": choose("video", inputs.get("video")),
            "picture": choose("picture", *pictures),
        }
        return CaseFiles(paths={part: path for part, path in parts.items() if path is not None})

    def _find(self, text: str, found: FoundReport) -> str | None:
        first = text.partition("/")[0]
        beside = first in found.names or first in found.inner or first in ("..", ".")
        for base in (found.folder, *self._bases) if beside else self._bases:
            path = os.path.normpath(os.path.join(base, text))
            if path not in self._exists:
                self._exists[path] = os.path.isfile(path)
            if self._exists[path]:
                return path
        return None


def case_files(folder: Path) -> tuple[str, CaseFiles] | None:
    """Title and files of a folder that was stored as a case; None when it is none."""
    names = frozenset(entry.name for entry in folder.iterdir())
    if RECORD_NAME not in names or REPORT_NAME not in names:
        return None
    path = folder / REPORT_NAME
    status = path.stat()
    found = FoundReport(
        id=".", path=str(path), folder=str(folder), names=names, inner=frozenset(), stem="",
        mtime_ns=status.st_mtime_ns, size=status.st_size,
    )  # fmt: skip
    title = (found.record or {}).get("title")
    return str(title or folder.name), FileFinder(folder).files(found, None)


def _own_files(found: FoundReport) -> dict[str, str | None]:
    names, stem = found.names, found.stem
    if stem:
        videos = [name for name in names if os.path.splitext(name)[0] == stem]
        return {
            "script": f"{stem}.py" if f"{stem}.py" in names else None,
            "video": _only([n for n in videos if os.path.splitext(n)[1].lower() in VIDEO_SUFFIXES]),
            "picture": _first(names, (f"{stem}.png", f"{stem}.jpg")),
        }
    scripts = [name for name in names if name.endswith(".py") and name != REFERENCE_NAME]
    videos = [name for name in names if os.path.splitext(name)[1].lower() in VIDEO_SUFFIXES]
    return {
        "script": _first(names, SCRIPT_NAMES) or _only(scripts),
        "reference": _first(names, (REFERENCE_NAME,)),
        "video": _first(names, (VIDEO_NAME,)) or _only(videos),
        "picture": _first(names, PICTURE_NAMES),
    }


def _first(names: frozenset[str], wanted: tuple[str, ...]) -> str | None:
    return next((name for name in wanted if name in names), None)


def _only(names: list[str]) -> str | None:
    return names[0] if len(names) == 1 else None


def holds_report(root: Path, *, most_folders: int = 500) -> bool:
    """Whether a report lies under ``root``; looks into so many folders only, to answer at once."""
    for looked, (folder, inner, files) in enumerate(os.walk(root)):
        if looked >= most_folders:
            return False
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in files:
            if name.endswith(f".{REPORT_NAME}") or name == REPORT_NAME:
                return True
            path = os.path.join(folder, name)
            if name.endswith(".json") and os.path.isfile(path) and _begins_as_report(path):
                return True
    return False

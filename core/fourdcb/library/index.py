"""Remembers the summaries of reports between openings, by the report's path, time and size."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.identity import write_atomic
from fourdcb.library.scan import FoundReport
from fourdcb.library.summary import AxisSummary, ReportSummary, TopFinding, read_summary
from fourdcb.words import chosen

_log = logging.getLogger(__name__)
_VERSION = 4
_AXIS_FIELDS = tuple(f.name for f in fields(AxisSummary))
_FINDING_FIELDS = tuple(f.name for f in fields(TopFinding))
_GEOMETRY = re.compile(r"""\bgeometry\s*=\s*["'](\w+)["']""")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedReport:
    """What an index keeps of a report: its summary, or why there is none."""

    summary: ReportSummary | None
    problem: str = ""


class LibraryIndex:
    """The index of one library, in the user's cache folder.

    Args:
        root: the library.
        cache_folder: where indices lie; default the platform's cache folder.
    """

    def __init__(self, root: Path, *, cache_folder: Path | None = None) -> None:
        if cache_folder is None:
            from platformdirs import user_cache_path

            cache_folder = user_cache_path("fourdcb")
        digest = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
        self._path = cache_folder / "libraries" / f"{digest}.json"
        self._known: Mapping[str, Any] = _load(self._path)
        self._scripts: Mapping[str, Any] = self._known.get("scripts", {})
        self._reports: Mapping[str, Any] = self._known.get("reports", {})
        if not isinstance(self._scripts, dict) or not isinstance(self._reports, dict):
            self._scripts = self._reports = {}
        self._now: dict[str, dict[str, Any]] = {"reports": {}, "scripts": {}}

    def report(self, found: FoundReport) -> IndexedReport:
        """The summary of a report, read only when the file is new or another than before."""
        stamp = [found.mtime_ns, found.size]
        record = self._reports.get(found.id)
        try:
            result = None if record is None or record["stamp"] != stamp else _indexed(record)
        except (KeyError, TypeError, ValueError, AttributeError):
            result = None
        if record is None or result is None:
            result = _read(found.path)
            packed = None if result.summary is None else _packed(result.summary)
            record = {"stamp": stamp, "summary": packed, "problem": result.problem}
        self._now["reports"][found.id] = record
        return result

    def geometries(self, script: str | None) -> tuple[str, ...]:
        """Geometries that a script names as literals, without repetition; none when it cannot be read."""
        if script is None:
            return ()
        try:
            status = os.stat(script)
            stamp = [status.st_mtime_ns, status.st_size]
            record = self._now["scripts"].get(script) or self._scripts.get(script)
            if not isinstance(record, dict) or record.get("stamp") != stamp:
                text = Path(script).read_text(encoding="utf-8", errors="replace")
                record = {"stamp": stamp, "geometries": sorted(set(_GEOMETRY.findall(text)))}
        except OSError:
            return ()
        self._now["scripts"][script] = record
        return tuple(record["geometries"])

    def save(self) -> None:
        """Keep what was looked at for the next opening."""
        document = {"version": _VERSION, "language": chosen().language, **self._now}
        if document == self._known:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path, json.dumps(document))
        except OSError as error:  # an index that cannot be written costs time, not correctness
            _log.info("the index of the library is not kept: %s", error)


def _read(path: str) -> IndexedReport:
    try:
        return IndexedReport(summary=read_summary(Path(path)))
    except UserError as error:
        got = f" ({error.got})" if error.got else ""
        return IndexedReport(summary=None, problem=f"{error.what}{got}")


def _load(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(value, dict) or value.get("version") != _VERSION:
        return {}
    # Summaries hold sentences: those of another language are of no use.
    return value if value.get("language") == chosen().language else {}


def _packed(summary: ReportSummary) -> list[Any]:
    """A summary without the names of its fields: an index is read as a whole at every opening."""
    finding = summary.finding
    return [
        summary.verdict,
        {axis: [getattr(result, name) for name in _AXIS_FIELDS] for axis, result in summary.axes.items()},
        summary.badness,
        None if finding is None else [getattr(finding, name) for name in _FINDING_FIELDS],
        summary.kinds, summary.severity, summary.objects, summary.inputs, summary.pictures,
    ]  # fmt: skip


def _indexed(record: Mapping[str, Any]) -> IndexedReport:
    if record["summary"] is None:
        return IndexedReport(summary=None, problem=record["problem"])
    verdict, axes, badness, finding, kinds, severity, objects, inputs, pictures = record["summary"]
    summary = ReportSummary(
        verdict=verdict,
        axes={axis: AxisSummary(**dict(zip(_AXIS_FIELDS, r, strict=True))) for axis, r in axes.items()},
        badness=badness,
        finding=None if finding is None else TopFinding(**dict(zip(_FINDING_FIELDS, finding, strict=True))),
        kinds=tuple(kinds),
        severity=severity,
        objects=tuple(objects),
        inputs={role: (path, digest) for role, (path, digest) in inputs.items()},
        pictures=tuple(pictures),
    )
    return IndexedReport(summary=summary)

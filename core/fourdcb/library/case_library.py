"""A library of judged cases: a folder, of any depth, of reports with the files that they judge."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.identity import StrPath
from fourdcb.library.entry import Annotation, CaseEntry
from fourdcb.library.filter import CaseFilter, facet_counts, matching, ordered
from fourdcb.library.index import LibraryIndex
from fourdcb.library.notes import LibraryNotes, read_notes, tidy_tags, write_notes
from fourdcb.library.scan import FileFinder, FoundReport, find_reports
from fourdcb.library.summary import ReportSummary, one_line
from fourdcb.progress import Progress

_REPORT_EVERY = 50  # cases between two words on the progress


@dataclass(frozen=True, kw_only=True)
class CaseLibrary:
    """An immutable view of a library as it was when it was opened; changes return another one.

    Attributes:
        root: its folder.
        entries: every case, in the order of the folders.
        notes: tags, notes, saved filters, and where they are kept.
        unread: folders in it that cannot be looked into, each with the reason; cases may be missing.
    """

    root: Path
    entries: tuple[CaseEntry, ...]
    notes: LibraryNotes
    unread: tuple[str, ...] = ()
    folders: tuple[Path | None, Path | None] = field(default=(None, None), repr=False)

    @staticmethod
    def open(
        path: StrPath,
        *,
        progress: Progress | None = None,
        cache_folder: Path | None = None,
        data_folder: Path | None = None,
    ) -> CaseLibrary:
        """Look through a folder. A report that cannot be read is an entry that says why.

        Args:
            path: the folder; it may hold cases at any depth, or be one itself.
            progress: told of the cases; may cancel.
            cache_folder, data_folder: the user's folders; default those of the platform.

        Raises:
            UserError: there is no such folder, or it cannot be looked into.
        """
        root = Path(path).absolute()
        if not root.is_dir():
            got = "a file" if root.exists() else "nothing there"
            raise UserError("not a folder of cases", where=str(path), got=got)
        notes = read_notes(root, data_folder=data_folder)
        index, finder = LibraryIndex(root, cache_folder=cache_folder), FileFinder(root)
        if progress is not None:
            progress.start("finding cases", 0)
        entries: list[CaseEntry] = []
        unread: list[str] = []
        taken: set[str] = set()

        def note_unread(error: OSError) -> None:
            if str(error.filename) == str(root):
                raise UserError("the folder of cases cannot be read", where=str(path), got=error.strerror)
            unread.append(f"{error.filename}: {error.strerror}")

        for found in find_reports(root, unread=note_unread):
            found = _with_own_id(found, taken)
            annotation = notes.annotations.get(found.id, Annotation())
            entries.append(_entry(found, index, finder, annotation, root))
            if progress is not None and len(entries) % _REPORT_EVERY == 0:
                progress.advance(_REPORT_EVERY)
        index.save()
        return CaseLibrary(
            root=root, entries=tuple(entries), notes=notes, unread=tuple(unread),
            folders=(cache_folder, data_folder),
        )  # fmt: skip

    @cached_property
    def by_id(self) -> dict[str, CaseEntry]:
        """Entries by their id."""
        return {entry.id: entry for entry in self.entries}

    @property
    def tags(self) -> tuple[str, ...]:
        """Every tag that a case has."""
        return tuple(sorted({tag for entry in self.entries for tag in entry.annotation.tags}))

    def select(self, wanted: CaseFilter | None = None, *, sort: str = "severity") -> tuple[CaseEntry, ...]:
        """Cases that a filter lets through, in an order.

        Raises:
            UserError: for an order that no case knows.
        """
        return tuple(ordered(matching(self.entries, wanted or CaseFilter()), sort))

    def facets(self, wanted: CaseFilter | None = None) -> dict[str, dict[str, int]]:
        """Counts of every facet's values, see :func:`fourdcb.library.filter.facet_counts`."""
        return facet_counts(self.entries, wanted or CaseFilter())

    # -- what people write ---------------------------------------------------------------------------
    def tagged(
        self, ids: Iterable[str], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> CaseLibrary:
        """With tags put on, or taken off, some cases; saved. Raises UserError when that is impossible."""
        added, removed = set(tidy_tags(add)), set(tidy_tags(remove))

        def change(old: Annotation) -> Annotation:
            return replace(old, tags=tuple(sorted((set(old.tags) | added) - removed)))

        return self._written(write_notes(
            self.root, annotate={self._known(i): change for i in ids}, data_folder=self.folders[1]
        ))  # fmt: skip

    def noted(self, case: str, note: str) -> CaseLibrary:
        """With another note on a case; saved. Raises UserError when that is impossible."""
        return self._written(write_notes(
            self.root,
            annotate={self._known(case): lambda old: replace(old, note=note.strip())},
            data_folder=self.folders[1],
        ))  # fmt: skip

    def with_filter(self, name: str, wanted: CaseFilter | None) -> CaseLibrary:
        """With a filter saved under a name, or, with None, without it.

        Raises:
            UserError: the name is empty, or it cannot be saved.
        """
        name = " ".join(name.split())
        if not name:
            raise UserError("a saved filter needs a name")
        return self._written(write_notes(
            self.root,
            filters=lambda old: {
                **{n: f for n, f in old.items() if n != name}, **({} if wanted is None else {name: wanted})
            },
            data_folder=self.folders[1],
        ))  # fmt: skip

    def _known(self, case: str) -> str:
        if case not in self.by_id:
            raise UserError("no such case", got=case, where=str(self.root))
        return case

    def _written(self, notes: LibraryNotes) -> CaseLibrary:
        nothing = Annotation()
        entries = tuple(
            entry
            if entry.annotation == (now := notes.annotations.get(entry.id, nothing))
            else replace(entry, annotation=now)
            for entry in self.entries
        )
        return replace(self, entries=entries, notes=notes)


def _with_own_id(found: FoundReport, taken: set[str]) -> FoundReport:
    """``a.json`` beside a case's folder ``a`` names its file, too: two cases never share an id."""
    if found.id in taken:
        found = replace(found, id=f"{found.id} ({os.path.basename(found.path)})")
    taken.add(found.id)
    return found


def _entry(
    found: FoundReport, index: LibraryIndex, finder: FileFinder, annotation: Annotation, root: Path
) -> CaseEntry:
    indexed = index.report(found)
    files = finder.files(found, indexed.summary)
    record: dict[str, Any] = dict(found.record or {})
    scene = one_line(record.get("scene") or _scene(indexed.summary))
    candidate = one_line(record.get("candidate") or _candidate(indexed.summary))
    name = found.id.rsplit("/", 1)[-1] if found.id != "." else root.name
    return CaseEntry(
        id=found.id,
        title=one_line(record.get("title") or name),
        summary=indexed.summary,
        problem=indexed.problem,
        scene=scene,
        candidate=candidate,
        object_types=index.geometries(files.paths.get("script")),
        files=files,
        judged=found.mtime_ns / 1e9,
        annotation=annotation,
    )


def _scene(summary: ReportSummary | None) -> str:
    """Scenes are folders: the one of the truth, else of the video; a lone video is a scene by its name."""
    if summary is None:
        return ""
    for role in ("reference", "video"):
        folder = os.path.basename(os.path.dirname(summary.inputs.get(role, ("", ""))[0]))
        if folder:
            return folder
    return _stem(summary.inputs.get("video", ("", ""))[0])


def _candidate(summary: ReportSummary | None) -> str:
    return "" if summary is None else _stem(summary.inputs.get("code", ("", ""))[0])


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]

"""The library that is being browsed: what is shown of it, what is chosen, which case is open. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from fourdcb.errors import UserError
from fourdcb.identity import file_sha256
from fourdcb.library import SORTS, CaseEntry, CaseFilter, CaseLibrary
from fourdcb.words import tr
from fourdcb_studio.session.sources import SceneSources

LibraryTopic = Literal["library", "shown", "chosen", "open"]
DEFAULT_SORT = "severity"


class LibraryBrowser:
    """State and decisions of the library view.

    Attributes:
        library: what is open; None while nothing is, or it is still read.
        loading: the folder that is read now.
        error: why the last folder could not be opened.
        wanted, sort: what is asked for.
        shown: cases that the filter lets through, in order.
        chosen: ids that tags go to, in the order of ``shown``.
        opened: id of the case on the bench.

    Args:
        on_change: told which part changed: another library (or its tags), what is shown, chosen, or open.
    """

    def __init__(self, on_change: Callable[[LibraryTopic], None]) -> None:
        self._on_change = on_change
        self.library: CaseLibrary | None = None
        self.loading: Path | None = None
        self.error: UserError | None = None
        self.wanted, self.sort = CaseFilter(), DEFAULT_SORT
        self.shown: tuple[CaseEntry, ...] = ()
        self.chosen: tuple[str, ...] = ()
        self.opened: str | None = None
        self._counts: dict[str, dict[str, int]] | None = None  # of library and filter in force

    # -- opening -------------------------------------------------------------------------------------
    def begin(self, folder: Path) -> None:
        """A folder is being read; the former library goes, unless it is the same that is read again."""
        self.loading, self.error = folder, None
        if self.library is None or self.library.root != folder:
            self.library, self.shown, self.chosen, self.opened = None, (), (), None
            self.wanted, self._counts = CaseFilter(), None
        self._on_change("library")

    def take(self, library: CaseLibrary) -> None:
        """The folder was read."""
        self.library, self.loading = library, None
        if self.sort not in SORTS and all(
            self.sort not in e.summary.badness for e in library.entries if e.summary
        ):
            self.sort = DEFAULT_SORT  # a metric that no case has any more
        self._on_change("library")
        self._select()

    def fail(self, error: UserError) -> None:
        """The folder cannot be read."""
        self.loading, self.error = None, error
        self._on_change("library")

    # -- narrowing down ------------------------------------------------------------------------------
    def show(self, wanted: CaseFilter) -> None:
        """Another filter."""
        if wanted != self.wanted:
            self.wanted = wanted
            self._select()

    def clear(self) -> None:
        """Ask for every case."""
        self.show(CaseFilter())

    def toggle(self, facet: str, value: str) -> None:
        """Ask for a value of a facet, or no longer."""
        self.show(self.wanted.toggled(facet, value))

    def search(self, text: str) -> None:
        """Other words that must occur."""
        self.show(CaseFilter(chosen=self.wanted.chosen, text=text))

    def order(self, sort: str) -> None:
        """Another order. Raises UserError when no case knows it."""
        if sort != self.sort:
            former, self.sort = self.sort, sort
            try:
                self._select()
            except UserError:
                self.sort = former
                raise

    def facets(self) -> dict[str, dict[str, int]]:
        """Counts by facet under the filter in force."""
        if self._counts is None:
            self._counts = {} if self.library is None else self.library.facets(self.wanted)
        return self._counts

    def _select(self) -> None:
        self.shown = () if self.library is None else self.library.select(self.wanted, sort=self.sort)
        self._counts = None
        self._on_change("shown")
        self.choose(self.chosen)

    # -- choosing ------------------------------------------------------------------------------------
    def choose(self, ids: Sequence[str]) -> None:
        """The cases that are chosen; those that are not shown drop out."""
        wanted = set(ids)
        chosen = tuple(entry.id for entry in self.shown if entry.id in wanted)
        if chosen != self.chosen:
            self.chosen = chosen
            self._on_change("chosen")

    def chosen_entries(self) -> tuple[CaseEntry, ...]:
        """The chosen cases."""
        by_id = {} if self.library is None else self.library.by_id
        return tuple(by_id[case] for case in self.chosen if case in by_id)

    def neighbour(self, step: int) -> CaseEntry | None:
        """The next (1) or previous (-1) shown case from the open one, else from the chosen one."""
        ids = [entry.id for entry in self.shown]
        here = next((i for i in (self.opened, *self.chosen[:1]) if i in ids), None)
        if here is None:
            return self.shown[0 if step > 0 else -1] if self.shown else None
        at = ids.index(here) + step
        return self.shown[at] if 0 <= at < len(ids) else None

    @property
    def position(self) -> tuple[int, int]:
        """(place of the open case from 1, 0 when it is not shown; number of shown cases)."""
        at = next((k for k, entry in enumerate(self.shown, 1) if entry.id == self.opened), 0)
        return at, len(self.shown)

    def open(self, case: str) -> SceneSources:
        """The files of a case, which is open from now on.

        Raises:
            UserError: there is nothing of it to look at.
        """
        if self.library is None or case not in self.library.by_id:
            raise UserError(tr("no such case"), got=case)
        sources = sources_of(self.library.by_id[case])
        self.opened = case
        self._on_change("open")
        return sources

    def leave(self) -> None:
        """Something that is no case of the library stands on the bench."""
        if self.opened is not None:
            self.opened = None
            self._on_change("open")

    # -- what people write ---------------------------------------------------------------------------
    def tag(self, ids: Sequence[str], *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
        """Put tags on cases or take them off. Raises UserError when that cannot be saved."""
        if self.library is not None and ids:
            self._rewritten(self.library.tagged(ids, add=add, remove=remove))

    def note(self, case: str, text: str) -> None:
        """Write a note. Raises UserError when that cannot be saved."""
        known = self.library.by_id.get(case) if self.library is not None else None
        if self.library is not None and known is not None and known.annotation.note != text.strip():
            self._rewritten(self.library.noted(case, text))

    def save_filter(self, name: str) -> None:
        """Save the filter in force. Raises UserError when that is impossible."""
        if self.library is not None:
            self._rewritten(self.library.with_filter(name, self.wanted))

    def delete_filter(self, name: str) -> None:
        """Forget a saved filter. Raises UserError when that cannot be saved."""
        if self.library is not None:
            self._rewritten(self.library.with_filter(name, None))

    def use_filter(self, name: str) -> None:
        """Put a saved filter in force."""
        if self.library is not None and name in self.library.notes.filters:
            self.show(self.library.notes.filters[name])

    def _rewritten(self, library: CaseLibrary) -> None:
        self.library = library
        self._on_change("library")
        self._select()
        self._on_change("chosen")


def sources_of(entry: CaseEntry) -> SceneSources:
    """The files of a case as the bench takes them.

    Raises:
        UserError: neither script nor video is there any more.
    """
    files = entry.files
    if files.script is None and files.video is None:
        inputs = entry.summary.inputs if entry.summary else {}
        gone = ", ".join(path for path, _ in inputs.values()) or None
        raise UserError(
            tr("neither script nor video of this case is there"), where=entry.title, got=gone,
            hint=tr("its report can still be read: ") + str(files.report),
        )  # fmt: skip
    return SceneSources(
        title=entry.title,
        script=files.script,
        reference=files.reference,
        video=files.video,
        frame=entry.frame or 0,
    )


def remarks_on(entry: CaseEntry) -> tuple[str, ...]:
    """What of a case is gone, or another than what was judged; reads the scripts."""
    remarks = []
    inputs = entry.summary.inputs if entry.summary else {}
    parts = (("code", "script", entry.files.script), ("reference", "truth script", entry.files.reference))
    for role, word, path in (*parts, ("video", "video", entry.files.video)):
        told, digest = inputs.get(role, ("", ""))
        if path is None:
            if told:
                remarks.append(tr("the {word} {told} is not there", word=word, told=told))
        elif role != "video" and digest:
            try:
                same = file_sha256(path) == digest
            except OSError as error:  # gone since the library was opened
                remarks.append(
                    tr(
                        "the {word} {path} cannot be read: {strerror}",
                        word=word,
                        path=path,
                        strerror=error.strerror,
                    )
                )
                continue
            if not same:
                remarks.append(tr("the {word} is another than the one that was judged", word=word))
    return tuple(remarks)

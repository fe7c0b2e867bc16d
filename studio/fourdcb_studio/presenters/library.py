"""Joins the library's state, its page, its threads and the bench."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fourdcb.errors import UserError
from fourdcb.words import tr
from fourdcb_studio.bench import Bench
from fourdcb_studio.session.state import Message, info, message_of
from fourdcb_studio.widgets.deferred import Deferred
from fourdcb_studio.workers.bridge import Bridge
from fourdcb_studio.workspace import Workspace

if TYPE_CHECKING:
    from fourdcb.library import CaseEntry
    from fourdcb_studio.presenters.neighbours import LibraryNeighbours
    from fourdcb_studio.session.library_browser import LibraryBrowser, LibraryTopic
    from fourdcb_studio.views.library.page import LibraryPage
    from fourdcb_studio.workers.library_loader import LibraryLoader
    from fourdcb_studio.workers.thumbnail_loader import ThumbnailLoader


class LibraryPresenter:
    """Everything of the library that the window does not know.

    Args:
        bench: where cases are put.
        parts: the page is added to them when a library is first opened.
        cache_folder, data_folder: the user's folders; default those of the platform.
    """

    def __init__(
        self,
        bench: Bench,
        parts: Workspace,
        *,
        cache_folder: Path | None = None,
        data_folder: Path | None = None,
    ) -> None:
        self._bench, self._session, self._parts = bench, bench.session, parts
        self._folders = cache_folder, data_folder
        self._bridge = Bridge(self._deliver, bench)
        self._turns = Deferred(bench, delay_ms=0)  # what is too much for one turn of the event loop
        self._page: LibraryPage | None = None
        self._begun = False  # whether any folder was opened
        self._counted = 0

    # All of these are made when a library is first opened: their modules would delay every start.
    @cached_property
    def browser(self) -> LibraryBrowser:
        """What is shown and chosen."""
        from fourdcb_studio.session.library_browser import LibraryBrowser

        return LibraryBrowser(self._on_change)

    @cached_property
    def _loader(self) -> LibraryLoader:
        from fourdcb_studio.workers.library_loader import LibraryLoader

        return LibraryLoader(self._bridge.wake, cache_folder=self._folders[0], data_folder=self._folders[1])

    @cached_property
    def _thumbnails(self) -> ThumbnailLoader:
        from fourdcb_studio.workers.thumbnail_loader import ThumbnailLoader

        return ThumbnailLoader(self._bridge.wake)

    @cached_property
    def _neighbours(self) -> LibraryNeighbours:
        from fourdcb_studio.presenters.neighbours import LibraryNeighbours

        return LibraryNeighbours(self._parts.cases, self.browser, lambda case: self.page.grid.picture(case))

    # -- opening and showing -------------------------------------------------------------------------
    def open(self, folder: Path) -> None:
        """Read a folder and show its cases."""
        self._counted, self._begun = 0, True
        self.browser.begin(folder)
        self._loader.stop()
        for step in (_load_page, self._make_page, self.show, self._read):
            self._turns.show(step)

    def _make_page(self) -> None:
        self.page.grid.forget_pictures()

    def _read(self) -> None:
        """Begun last: a thread that reads slows everything down that the window does meanwhile."""
        if self.browser.loading is not None:
            self._loader.open(self.browser.loading)

    def reload(self) -> None:
        """Look through the open folder again."""
        if self.browser.library is not None:
            self.open(self.browser.library.root)

    @property
    def page(self) -> LibraryPage:
        """The page, made when it is first needed; shows what there is."""
        if self._page is None:
            from fourdcb_studio.views.library.page import LibraryPage

            self._page = LibraryPage()
            self._connect(self._page)
            self._parts.pages.addWidget(self._page)
            self._show_library()
        return self._page

    @property
    def is_open(self) -> bool:
        """Whether there is a library, shown or not."""
        return self._begun

    @property
    def is_shown(self) -> bool:
        """Whether the library covers the bench."""
        return self._page is not None and self._parts.pages.currentWidget() is self._page

    @property
    def idle(self) -> bool:
        """Whether nothing is being read that is in sight."""
        if not self._begun:
            return True
        reading = self._turns.is_waiting or self.browser.loading is not None
        return not reading and not (self.is_shown and self.page.grid.awaits_pictures())

    def show(self) -> None:
        """The library in place of the bench."""
        if not self._begun:
            self._session.tell(Message(kind="no_library", severity="info", action="open_library"))
            return
        session, parts = self._session, self._parts
        if session.clock.playing:
            session.clock.toggle()
        self.page.bar.set_back(session.sources.title, enabled=bool(session.sources.title))
        parts.pages.setCurrentWidget(self.page)
        parts.messages.move_to(self.page.body)
        self._bench.covered.emit(True)
        self.page.focus_grid()

    def leave(self) -> None:
        """The bench in place of the library."""
        self._turns.forget(self.show)
        if not self.is_shown:
            return
        self.page.details.flush_note()
        parts = self._parts
        parts.pages.setCurrentIndex(0)
        parts.messages.move_to(parts.middle)
        self._bench.covered.emit(False)
        current = parts.middle.currentWidget()
        if current is not None:
            current.setFocus()

    def stand_aside(self) -> None:
        """Something that is no case is put on the bench."""
        if self._begun:
            self.browser.leave()
        self.leave()

    def toggle(self) -> None:
        """Between library and bench."""
        if self.is_shown and self._session.sources.title:
            self.leave()
        else:
            self.show()

    def handlers(self, reload_script: Callable[[], object]) -> dict[str, Callable[[], object]]:
        """Handlers of the library's actions; ``reload`` reads again what is in sight."""
        return {
            "show_library": self.toggle,
            "next_in_library": lambda: self.step(1),
            "previous_in_library": lambda: self.step(-1),
            "search_cases": self._search,
            "reload": lambda: self.reload() if self.is_shown else reload_script(),
        }

    def flush(self) -> None:
        """Show now what waits for its turn."""
        self._turns.flush()

    def close(self) -> None:
        """End the threads; what was being written is kept."""
        self._bridge.close()
        self._turns.stop()
        if self._page is not None:
            self._page.details.flush_note()
        if self._begun:
            self._loader.close()
            self._thumbnails.close()

    # -- cases ---------------------------------------------------------------------------------------
    def open_case(self, case: str) -> None:
        """Put a case on the bench at its failing frame; zoom, mode and layout stay."""
        session = self._session
        try:
            sources = self.browser.open(case)
        except UserError as error:
            session.tell(message_of(error))
            return
        from fourdcb_studio.session.library_browser import remarks_on

        entry = self._entry(case)
        self._bench.navigation.open_sources(sources)
        remarks = remarks_on(entry)
        if remarks and session.message is None:
            values = {"remark": f"{remarks[0][:1].upper()}{remarks[0][1:]}"}
            details = "\n".join(remarks[1:])
            session.tell(Message(kind="case_remark", severity="warning", values=values, details=details))
        if len(self.browser.chosen) <= 1:
            self.page.grid.reveal(case)
        self.leave()

    def open_named(self, name: str) -> bool:
        """Open a case of the list beside the images; False when the list holds something else."""
        if not self._begun or self.browser.opened is None:
            return False
        if name != self.browser.opened:
            self.open_case(name)
        return True

    def step(self, step: int) -> None:
        """The next or previous case of those shown; without a library, of the scene's candidates."""
        if not self._begun or (self.browser.opened is None and not self.is_shown):
            self._bench.navigation.step_case(step)
            return
        entry = self.browser.neighbour(step)
        if entry is not None:
            self.open_case(entry.id)
        else:
            self._session.tell(info("last_case") if step > 0 else info("first_case"))

    def show_neighbours(self) -> bool:
        """The shown cases around the open one in the list beside the images; False when none is open."""
        return self._begun and self._neighbours.show()

    def _entry(self, case: str) -> CaseEntry:
        assert self.browser.library is not None
        return self.browser.library.by_id[case]

    def _search(self) -> None:
        if self.is_shown:
            self.page.bar.focus_search()
        else:
            self.show()

    # -- following the state -------------------------------------------------------------------------
    def _on_change(self, topic: LibraryTopic) -> None:
        page, browser = self._page, self.browser
        if page is None:  # once it is made it shows all that there is
            return
        if topic == "library":
            self._show_library()
        elif topic == "shown":
            page.grid.set_entries(browser.shown)
            page.bar.set_text(browser.wanted.text)
            self._show_filters()
            self._show_body()
            self._turns.show(self._show_counts)
        elif topic == "open":
            page.grid.set_opened(browser.opened or "")
        if topic in ("chosen", "shown"):
            page.details.set_entries(browser.chosen_entries())
            self._show_count()

    def _show_counts(self) -> None:
        """A turn after the tiles: counting takes as long as all the rest."""
        self.page.facets.set_counts(self.browser.facets(), self.browser.wanted.chosen)
        self.show_neighbours()

    def _show_library(self) -> None:
        page, library = self.page, self.browser.library
        root = self.browser.loading or (library.root if library else None)
        if root is not None:
            page.bar.set_library(root.name or str(root), str(root.parent))
        if library is not None:
            page.bar.set_sorts(self._metrics(), self.browser.sort)
            page.details.set_tags(library.tags)
            page.details.set_place(self._place())
            self._show_filters()
        else:
            page.facets.set_counts({}, {})
            page.grid.set_entries(())
            page.details.set_entries(())
            page.details.set_place("")
        self._show_body()
        self._show_count()

    def _place(self) -> str:
        assert self.browser.library is not None
        library = self.browser.library
        notes = library.notes
        if library.unread:
            more = tr(" and {value} more", value=len(library.unread) - 1) if len(library.unread) > 1 else ""
            return tr(
                "Cases may be missing, not looked into: {value}{more}", value=library.unread[0], more=more
            )
        if notes.problem:
            return tr(
                "Tags and notes cannot be read, and none can be saved: {problem}", problem=notes.problem
            )
        return (
            ""
            if notes.in_library
            else tr("The folder is read-only: tags and notes are kept in {place}", place=notes.place)
        )

    def _show_filters(self) -> None:
        library = self.browser.library
        names = tuple(library.notes.filters) if library is not None else ()
        self.page.bar.set_filters(names, active=bool(self.browser.wanted))

    def _show_count(self) -> None:
        total = len(self.browser.library.entries) if self.browser.library else 0
        self.page.bar.set_count(len(self.browser.shown), total, len(self.browser.chosen))

    def _show_body(self) -> None:
        page, browser = self.page, self.browser
        if browser.error is not None:
            page.show_words(tr("The library cannot be opened"), str(browser.error))
        elif browser.library is None:
            counted = (
                tr("{counted:,} cases so far", counted=self._counted)
                if self._counted
                else str(browser.loading or "")
            )
            page.show_words(tr("Reading the reports …"), counted)
        elif not browser.library.entries:
            hint = tr(
                "Keep a judgement as a case:\nfourdcb eval … --save-case {root}", root=browser.library.root
            )
            page.show_words(tr("No reports in this folder"), hint)
        elif not browser.shown:
            page.show_words(
                tr("No case matches"), tr("Clear the filter (Escape), or switch some of it off at the left.")
            )
        else:
            page.show_grid()

    def _deliver(self) -> None:
        for answer in self._loader.take():
            if answer.folder != self.browser.loading:
                continue
            if answer.error is not None:
                self.browser.fail(answer.error)
            elif answer.library is not None:
                self.browser.take(answer.library)
                self._after_loading()
            else:
                self._counted = answer.count
                self._show_body()
        for case, picture in self._thumbnails.take():
            self.page.grid.add_picture(case, picture)

    def _after_loading(self) -> None:
        """The keyboard stands on the first case; a folder that is one case is put on the bench."""
        library = self.browser.library
        assert library is not None
        if [entry.id for entry in library.entries] == ["."]:
            self.open_case(".")
        elif self.browser.shown and not self.browser.chosen:
            self.page.grid.reveal(self.browser.shown[0].id)
            if not self.browser.wanted:  # nobody is typing
                self.page.focus_grid()

    # -- wiring --------------------------------------------------------------------------------------
    def _connect(self, page: LibraryPage) -> None:
        browser, bar, details = self.browser, page.bar, page.details
        bar.back_requested.connect(self.leave)
        bar.searched.connect(browser.search)
        bar.sort_chosen.connect(self._told(self._order))
        bar.filter_used.connect(browser.use_filter)
        bar.filter_saved.connect(self._told(browser.save_filter))
        bar.filter_deleted.connect(self._told(browser.delete_filter))
        bar.cleared.connect(browser.clear)
        bar.left.connect(page.focus_grid)
        page.facets.toggled.connect(browser.toggle)
        page.grid.chosen.connect(browser.choose)
        page.grid.opened.connect(self.open_case)
        page.grid.pictures_wanted.connect(self._want_pictures)
        page.grid.tag_requested.connect(details.focus_tag)
        page.grid.note_requested.connect(details.focus_note)
        page.grid.search_requested.connect(bar.focus_search)
        page.grid.escaped.connect(self._escape)
        details.left.connect(page.focus_grid)
        details.open_requested.connect(lambda: self.open_case(browser.chosen[0]))
        details.tag_added.connect(self._told(lambda tag: browser.tag(browser.chosen, add=(tag,))))
        details.tag_removed.connect(self._told(lambda tag: browser.tag(browser.chosen, remove=(tag,))))
        details.note_written.connect(self._told(browser.note))

    def _told(self, act: Callable[..., object]) -> Callable[..., None]:
        """``act`` with its errors as messages."""

        def run(*arguments: object) -> None:
            try:
                act(*arguments)
            except UserError as error:
                self._session.tell(message_of(error))

        return run

    def _order(self, sort: str) -> None:
        assert self.browser.library is not None
        self.browser.order(sort)
        self.page.bar.set_sorts(self._metrics(), self.browser.sort)

    def _metrics(self) -> list[str]:
        entries = self.browser.library.entries if self.browser.library is not None else ()
        return sorted({name for e in entries if e.summary for name in e.summary.badness})

    def _escape(self) -> None:
        """What Escape means, one thing at a time: the message, the filter, the library."""
        if self._session.message is not None:
            self._session.tell(None)
        elif self.browser.wanted:
            self.browser.clear()
        elif self._session.sources.title:
            self.leave()

    def _want_pictures(self, entries: tuple[CaseEntry, ...]) -> None:
        from fourdcb_studio.workers.thumbnail_loader import ThumbnailWish

        self._thumbnails.want([
            ThumbnailWish(key=e.id, picture=e.files.picture, video=e.files.video, frame=e.frame)
            for e in entries
        ])  # fmt: skip


def _load_page() -> None:
    """Its modules take as long to load as its widgets to make."""
    import fourdcb_studio.views.library.page  # noqa: F401

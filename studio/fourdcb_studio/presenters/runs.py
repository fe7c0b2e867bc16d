"""Joins evaluation runs, their page and the bench; looks again while runs go on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from fourdcb.errors import UserError
from fourdcb_studio.bench import Bench
from fourdcb_studio.session.state import Message, info, message_of
from fourdcb_studio.workers.bridge import Bridge
from fourdcb_studio.workspace import Workspace

if TYPE_CHECKING:
    from fourdcb_studio.session.run_table import RunTable
    from fourdcb_studio.views.runs.page import RunsPage
    from fourdcb_studio.workers.run_reader import RunReader

_LOOK_MS = 1000
NO_RUNS = Message(kind="no_runs", severity="info", action="open_runs")


class RunsPresenter:
    """Everything of evaluation runs that the window does not know.

    Args:
        bench: where answers are put.
        parts: the page is added to them when runs are first opened.
    """

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        self._bench, self._session, self._parts = bench, bench.session, parts
        self._bridge = Bridge(self._deliver, bench)
        self._timer = QTimer(bench)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._page: RunsPage | None = None
        self._folders: tuple[Path, ...] = ()

    # Made when runs are first opened: their modules would delay every start.
    @cached_property
    def table(self) -> RunTable:
        """What is shown and chosen."""
        from fourdcb_studio.session.run_table import RunTable

        return RunTable(self._show)

    @cached_property
    def _reader(self) -> RunReader:
        from fourdcb_studio.workers.run_reader import RunReader

        return RunReader(self._bridge.wake)

    @property
    def page(self) -> RunsPage:
        """The page, made when it is first needed."""
        if self._page is None:
            from fourdcb_studio.views.runs.page import RunsPage

            self._page = RunsPage(self.table)
            self._connect(self._page)
            self._parts.pages.addWidget(self._page)
        return self._page

    # -- opening and showing -------------------------------------------------------------------------
    def open(self, folders: tuple[Path, ...]) -> None:
        """Read these folders' runs and show them; they are read again as they change."""
        self._folders = folders
        self.table.begin()
        self.page.clear_wishes()
        first = folders[0]
        self.page.set_place(first.name, str(first.parent) if len(folders) == 1 else f"+ {len(folders) - 1}")
        self.page.show_words("", "")
        self._reader.open(folders)
        self._timer.start()
        self.show()

    @property
    def is_open(self) -> bool:
        """Whether runs were opened, shown or not."""
        return bool(self._folders)

    @property
    def is_shown(self) -> bool:
        """Whether the runs cover the bench."""
        return self._page is not None and self._parts.pages.currentWidget() is self._page

    @property
    def idle(self) -> bool:
        """Whether nothing is being read that is in sight."""
        return not self.is_open or not self._reader.busy

    def show(self) -> None:
        """The runs in place of the bench."""
        session, parts = self._session, self._parts
        if session.clock.playing:
            session.clock.toggle()
        self.page.set_back(session.sources.title, enabled=bool(session.sources.title))
        parts.pages.setCurrentWidget(self.page)
        parts.messages.move_to(self.page.body)
        self._bench.covered.emit(True)
        self.page.table.setFocus()

    def leave(self) -> None:
        """The bench in place of the runs."""
        if not self.is_shown:
            return
        parts = self._parts
        parts.pages.setCurrentIndex(0)
        parts.messages.move_to(parts.middle)
        self._bench.covered.emit(False)
        current = parts.middle.currentWidget()
        if current is not None:
            current.setFocus()

    def toggle(self) -> None:
        """Between runs and bench."""
        if self.is_shown and self._session.sources.title:
            self.leave()
        else:
            self.show()

    def handlers(self, of_library: dict[str, Callable[[], object]]) -> dict[str, Callable[[], object]]:
        """Handlers of the library's actions that mean the runs while these are what is looked through."""
        return {
            **of_library,
            "show_library": lambda: self.toggle() if self._is_meant() else of_library["show_library"](),
            "search_cases": lambda: self._search() if self._is_meant() else of_library["search_cases"](),
            "next_in_library": lambda: self.step(1) or of_library["next_in_library"](),
            "previous_in_library": lambda: self.step(-1) or of_library["previous_in_library"](),
            "reload": lambda: self._reader.open(self._folders) if self.is_shown else of_library["reload"](),
            "show_runs": self._show_or_tell,
        }

    def _is_meant(self) -> bool:
        return self.is_shown or (self.is_open and self.table.opened is not None)

    def _search(self) -> None:
        self.show()
        self.page.focus_search()

    def _show_or_tell(self) -> None:
        if self.is_open:
            self.toggle()
        else:
            self._session.tell(NO_RUNS)

    def stand_aside(self) -> None:
        """Something that is no answer of a run is put on the bench."""
        if self.is_open:
            self.table.opened = None
        self.leave()

    def close(self) -> None:
        """End the thread."""
        self._timer.stop()
        self._bridge.close()
        if self.is_open:
            self._reader.close()

    # -- answers -------------------------------------------------------------------------------------
    def open_answer(self, sample: str, column: int) -> None:
        """Put an answer on the bench at its failing frame; zoom, mode and layout stay."""
        self._put(lambda: self.table.sources(sample, column), (sample, column))

    def compare(self) -> None:
        """Two selected answers to one sample, side by side."""
        cells = self.page.table.selected()
        if len(cells) != 2 or cells[0][0] != cells[1][0]:
            self._session.tell(info("runs_pair"))
            return
        (sample, first), (_, second) = cells
        self._put(lambda: self.table.pair(sample, second, first), (sample, second))

    def _put(self, sources_of: Callable[[], object], place: tuple[str, int]) -> None:
        from fourdcb_studio.session.sources import SceneSources

        try:
            sources = sources_of()
        except UserError as error:
            self._session.tell(message_of(error))
            return
        assert isinstance(sources, SceneSources)
        self._bench.navigation.library.stand_aside()
        self._bench.navigation.open_sources(sources)
        self.table.opened = place
        self.page.table.select([place])
        self.leave()

    def step(self, step: int) -> bool:
        """The next or previous sample of the run on the bench; False when none of a run stands there."""
        if not self.is_open or self.table.opened is None:
            return False
        place = self.table.neighbour(step)
        if place is None:
            self._session.tell(info("last_case") if step > 0 else info("first_case"))
        else:
            self.open_answer(*place)
        return True

    # -- following -----------------------------------------------------------------------------------
    def _look(self) -> None:
        if self.is_shown or self.table.opened is not None:
            self._reader.look()

    def _deliver(self) -> None:
        answer = self._reader.take()
        if answer is None:
            return
        self.table.take(answer.runs)
        if answer.errors:
            self._session.tell(message_of(answer.errors[0]))
        if not answer.runs:
            self.page.show_words(*_nothing())

    def _show(self) -> None:
        if self._page is not None:
            self._page.refresh()

    def _connect(self, page: RunsPage) -> None:
        table = self.table
        page.back_requested.connect(self.leave)
        page.searched.connect(table.search)
        page.narrowed.connect(table.narrow)
        page.measure_chosen.connect(table.show_measure)
        page.table.opened.connect(self.open_answer)
        page.table.compared.connect(self.compare)
        page.table.sort_requested.connect(self._sort)
        page.table.escaped.connect(self._escape)

    def _sort(self, section: int) -> None:
        """A head: up, down, and back to the plan's order."""
        table, column = self.table, None if section < 0 else section
        if table.order != column:
            table.sort(column)
        elif not table.descending:
            table.sort(column, descending=True)
        else:
            table.sort(None)

    def _escape(self) -> None:
        """What Escape means, one thing at a time: the message, the narrowing, the runs."""
        if self._session.message is not None:
            self._session.tell(None)
        elif self.table.text or self.table.narrowing != "all":
            self.page.clear_wishes()
            self.table.search("")
            self.table.narrow("all")
        elif self._session.sources.title:
            self.leave()


def _nothing() -> tuple[str, str]:
    from fourdcb.words import tr

    return tr("No run can be shown"), tr("A run is a folder that `fourdcb run --out` wrote.")

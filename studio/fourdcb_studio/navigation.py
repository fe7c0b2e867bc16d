"""The way through scenes, cases, libraries and findings, whatever shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from fourdcb.errors import UserError
from fourdcb_studio.session.library_paths import library_folder, run_folders
from fourdcb_studio.session.openings import Opening, openings
from fourdcb_studio.session.recent import RecentFiles
from fourdcb_studio.session.reports import with_reports_opened
from fourdcb_studio.session.scene_session import SceneSession
from fourdcb_studio.session.sources import SceneSources, find_sources, kind_of
from fourdcb_studio.session.state import Message, info, message_of


class Pages(Protocol):
    """What can stand in the middle of the window, and the lists beside it."""

    def show_view(self, view: str) -> None:
        """Put ``images``, ``space``, ``plots``, ``script`` or ``welcome`` in the middle."""

    def set_openings(self, bundled: Sequence[Opening], recent: Sequence[Opening]) -> None:
        """What the welcome page offers."""

    def shown_view(self) -> str:
        """What stands there."""

    def show_finding(self, index: int) -> None:
        """Mark a finding in the list."""

    def show_parameter(self, path: str) -> None:
        """Bring a parameter's slider into sight."""

    def show_owner(self, name: str) -> None:
        """Bring the parameters of a thing into sight."""


class LibraryPlace(Protocol):
    """The case library, in place of the bench or behind it."""

    @property
    def is_open(self) -> bool:
        """Whether there is a library, shown or not."""

    @property
    def is_shown(self) -> bool:
        """Whether it covers the bench."""

    def open(self, folder: Path) -> None:
        """Read a folder and show its cases."""

    def open_named(self, name: str) -> bool:
        """Open a case of the list beside the images; False when the list holds something else."""

    def leave(self) -> None:
        """The bench in place of the library."""

    def stand_aside(self) -> None:
        """Something that is no case is put on the bench."""

    def flush(self) -> None:
        """Show now what waits for its turn."""


class RunsPlace(Protocol):
    """Evaluation runs, in place of the bench or behind it."""

    @property
    def is_open(self) -> bool:
        """Whether runs were opened, shown or not."""

    @property
    def is_shown(self) -> bool:
        """Whether they cover the bench."""

    def open(self, folders: tuple[Path, ...]) -> None:
        """Read the runs of these folders and show them."""

    def leave(self) -> None:
        """The bench in place of the runs."""

    def stand_aside(self) -> None:
        """Something that is no answer of a run is put on the bench."""


class Navigation:
    """Opens and goes to things. Errors become messages where it says so.

    Args:
        session: what is opened in.
        recent: remembers what was opened.
    """

    pages: Pages
    library: LibraryPlace
    runs: RunsPlace

    def __init__(self, session: SceneSession, recent: RecentFiles) -> None:
        self._session, self.recent = session, recent
        self._first_frame: int | None = None

    def attach(self, pages: Pages, library: LibraryPlace, runs: RunsPlace) -> None:
        """Show things there from now on."""
        self.pages, self.library, self.runs = pages, library, runs

    @property
    def is_covered(self) -> bool:
        """Whether a library or runs cover the bench."""
        return self.library.is_shown or self.runs.is_shown

    def uncover(self) -> None:
        """The bench in place of whatever covers it."""
        self.library.leave()
        self.runs.leave()

    # -- opening -------------------------------------------------------------------------------------
    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open what the paths mean; what cannot be opened becomes a message."""
        runs = run_folders(paths)
        if runs:
            self.open_runs(runs)
            return
        folder = library_folder(paths)
        if folder is not None:
            self.open_library(folder)
            return
        try:
            sources = find_sources(with_reports_opened(paths))
        except UserError as error:
            if not self._session.sources.title and not self.is_covered:
                self.show_welcome()
            self._session.tell(message_of(error))
            return
        self.library.stand_aside()
        self.runs.stand_aside()
        self.recent.add(paths)
        if not self._join(paths, sources):
            self.open_sources(sources)

    def _join(self, paths: Sequence[Path], found: SceneSources) -> bool:
        """Put a file into the scene that is open, and say what that did; False where it is its own scene."""
        if len(paths) != 1 or not paths[0].is_file() or paths[0].suffix == ".json":
            return False
        before, named = self._session.sources, kind_of(paths[0])
        joined = before.joined(found, named)
        if joined is None:
            return False
        former = before.script if named == "script" else before.video
        other = former or (before.script if named == "video" else before.original)
        self._session.join(joined)
        self.offer_recovery()
        if self._session.message is None and other is not None and other != paths[0].resolve():
            names = {"name": paths[0].name, "other": other.name}
            told = {
                ("script", True): info("added_script", **names),
                ("script", False): info("replaced_script", **names),
                ("video", True): info("added_video", **names),
                ("video", False): info("replaced_video", **names),
            }
            self._session.tell(told[named, former is None])
        return True

    def open_sources(self, sources: SceneSources) -> None:
        """Put a scene on the bench; a stored case stands at its failing frame."""
        self._session.open(sources)
        self.offer_recovery()
        if sources.frame is not None:
            self.seek_when_known(sources.frame)

    def open_library(self, folder: Path) -> None:
        """Show the cases of a folder in place of the images."""
        self.library.open(folder.absolute())
        self.recent.add([folder])

    def open_runs(self, folders: tuple[Path, ...]) -> None:
        """Show evaluation runs in place of the images."""
        self.runs.open(folders)
        self.recent.add(folders)

    def offer_recovery(self) -> None:
        """Take up the edits that were kept for now; ask about those of a session that ended early."""
        left = self._session.left
        if left.kept:  # the user asked for that
            self._session.recover()
            return
        count = left.count
        if count:
            values = {"count": count}
            told = Message(kind="recoverable", severity="warning", values=values, action="recover")
            self._session.tell(told)

    # -- what stands in the middle --------------------------------------------------------------------
    def show_welcome(self) -> None:
        """Bundled scenes and recent files in place of the images."""
        self.uncover()
        self.pages.set_openings(*openings(self.recent))
        self.pages.show_view("welcome")

    def show_view(self, view: str) -> None:
        """``images``, ``space``, ``plots`` or ``script`` in the middle of the bench."""
        self.uncover()
        self.pages.show_view(view)
        message = self._session.message
        if message is not None and message.action == f"view_{view}":
            self._session.tell(None)  # it asked for nothing else

    def leave_welcome(self) -> None:
        """Something was opened."""
        if self._session.sources.title and self.pages.shown_view() == "welcome":
            self.pages.show_view("images")

    # -- frames --------------------------------------------------------------------------------------
    def seek_when_known(self, frame: int) -> None:
        """Seek now, and again when the video has told how long the clip is."""
        self._session.clock.seek(frame)
        by_video = self._session.reference is None and self._session.videos.has("video")
        self._first_frame = frame if by_video else None

    def seek_first_frame(self) -> None:
        """The video has told how long the clip is."""
        if self._first_frame is not None and self._session.videos.info("video") is not None:
            frame, self._first_frame = self._first_frame, None
            self._session.clock.seek(frame)

    # -- cases ---------------------------------------------------------------------------------------
    def open_case(self, name: str) -> None:
        """A case by the name that the list beside the images gives it."""
        if self.library.open_named(name):
            return
        sources = self._session.sources
        self._go_to_case(next((p for p in sources.cases if sources.case_name(p) == name), None))

    def step_case(self, step: int) -> None:
        """The next or previous script of the scene; frame, zoom and mode stay."""
        cases, script = self._session.sources.cases, self._session.sources.script
        if cases:
            here = cases.index(script) if script in cases else -1 if step > 0 else 0
            self._go_to_case(cases[(here + step) % len(cases)])

    def _go_to_case(self, path: Path | None) -> None:
        if path is not None and path != self._session.sources.script:
            self._session.open_candidate(path)
            self.offer_recovery()

    # -- findings ------------------------------------------------------------------------------------
    def go_to_finding(self, index: int) -> None:
        """Go to a finding's frame, select its object, show the parameter that it blames."""
        if not 0 <= index < len(self._session.findings):
            return
        finding = self._session.findings[index]
        cause = finding.likely_cause
        self._session.selection.select(
            object_name=finding.objects[0] if finding.objects else None,
            finding=index,
            parameter=cause.parameter if cause else None,
        )
        self.pages.show_finding(index)
        if finding.frame is not None:
            self._session.clock.seek(finding.frame)
        paths = {p.path for p in self._session.shown_parameters()}
        if cause is not None and cause.parameter in paths:
            self.pages.show_parameter(cause.parameter)
        elif finding.objects:
            self.pages.show_owner(finding.objects[0])

    def go_to_mark(self, mark: int) -> None:
        """Marks of the time panel number only the findings that have a frame."""
        shown = [i for i, f in enumerate(self._session.findings) if f.frame is not None]
        if mark < len(shown):
            self.go_to_finding(shown[mark])

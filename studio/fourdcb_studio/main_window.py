"""The window: wires widgets to the session and the session to its workers; owns their lifetime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QImage,
    QKeyEvent,
    QPixmap,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QScrollArea

from fourdcb.errors import UserError
from fourdcb.words import tr
from fourdcb_studio.actions.closing import Closing
from fourdcb_studio.actions.disk_watch import DiskWatch
from fourdcb_studio.actions.doctor import Doctoring
from fourdcb_studio.actions.exports import Exports
from fourdcb_studio.actions.fitting import Fitting
from fourdcb_studio.actions.handlers import FileHandlers, bench_handlers, copy_text
from fourdcb_studio.actions.reasons import Reasons
from fourdcb_studio.actions.rules import is_offered, why_not
from fourdcb_studio.actions.settings import PreferencesHandler
from fourdcb_studio.actions.snapshots import Snapshots
from fourdcb_studio.actions.table import BENCH_GROUPS, ActionSet, command_groups, command_list, shortcut_text
from fourdcb_studio.actions.top_menus import TopMenus
from fourdcb_studio.bench import Bench
from fourdcb_studio.panels.command_palette import CommandPalette
from fourdcb_studio.panels.drop_hint import DropHint
from fourdcb_studio.panels.shortcut_sheet import ShortcutSheet
from fourdcb_studio.presenters.error_maps import ErrorMaps
from fourdcb_studio.presenters.inspection import Inspection
from fourdcb_studio.presenters.library import LibraryPresenter
from fourdcb_studio.presenters.middle import MiddlePresenter
from fourdcb_studio.presenters.picking import Picking
from fourdcb_studio.presenters.pictures import Pictures
from fourdcb_studio.presenters.plots import PlotsPresenter
from fourdcb_studio.presenters.ranges import Ranges
from fourdcb_studio.presenters.runs import RunsPresenter
from fourdcb_studio.presenters.scene import Presenter
from fourdcb_studio.presenters.sight import Sight
from fourdcb_studio.session.messages import WorkerLost
from fourdcb_studio.session.notifier import Topic
from fourdcb_studio.session.recent import RecentFiles
from fourdcb_studio.session.scene_session import SceneSession
from fourdcb_studio.session.sources import SceneSources
from fourdcb_studio.session.state import Message
from fourdcb_studio.workers.bridge import Bridge
from fourdcb_studio.workers.transport import SimulationProcess
from fourdcb_studio.workers.video_thread import VideoThread
from fourdcb_studio.workspace import Workspace

BEAT_MS = 16  # one display frame
DISK_MS = 1000
NO_SIMULATION = Message(kind="no_simulation", severity="error")


class MainWindow(QMainWindow):
    """One scene in one window.

    Args:
        journal_folder: where unsaved edits are kept; None keeps none.
        preferences: the file that keeps settings and layouts; None keeps none.
        process: a simulation process that was started already, so that it loads while the window is built.
    """

    def __init__(
        self,
        *,
        journal_folder: Path | None = None,
        preferences: Path | None = None,
        process: SimulationProcess | None = None,
    ) -> None:
        super().__init__()
        self.setWindowTitle("4DCodeBench Studio")
        self.recent = RecentFiles(journal_folder.parent / "recent.json" if journal_folder else None)
        self.bench = Bench(SceneSession(journal_folder=journal_folder), self.recent, self)
        self.session = self.bench.session
        self.bench.dialogs.owner = self
        self.parts = Workspace()
        self.setCentralWidget(self.parts)
        self.presenter = Presenter(self.parts, self.bench)
        self.middle = MiddlePresenter(self.parts, self.bench)
        self.error_maps = ErrorMaps(self.bench, self.parts)
        self.ranges = Ranges(self.bench, self.parts.time)
        self.plots = PlotsPresenter(self.bench, self.parts)
        self.pictures = Pictures(self.bench, self.parts.time)
        self.ranges.told = self.plots.set_thresholds
        self._sight = Sight(self.session, self.parts.parameters)
        self._bridge = Bridge(self._deliver, self)
        self.process = process or SimulationProcess()
        self.process.set_wake(self._bridge.wake)
        self._videos = VideoThread(self._bridge.wake)
        self._make_helpers(preferences)
        self.presenter.shown_elsewhere = self.library.show_neighbours
        self.actions_ = ActionSet(self, self._handlers())
        self.top_menus = TopMenus(self.bench, self.parts, self.actions_)
        self.bench.theme_changed.connect(self.parts.verdict.refresh_icons)
        self.menuBar().hide()
        self.palette_, self.drop_hint = CommandPalette(self.parts), DropHint(self.parts, self)
        self.sheet = ShortcutSheet(self.parts)
        self._beat = self._timer(BEAT_MS, self._on_beat)
        self._disk = self._timer(DISK_MS, self.disk.check)
        self._closed = self._sheet_filled = False
        self._connect_session()
        self._connect_parts()
        self._start_workers()
        self.presenter.show_scene()
        self.presenter.show_report()

    def _make_helpers(self, preferences: Path | None) -> None:
        bench, parts = self.bench, self.parts
        self.exports = Exports(bench, parts, picture=self.picture)
        self.fitting, self.doctoring = Fitting(bench, parts), Doctoring(bench, parts)
        self.inspection = Inspection(bench, parts, self._sight)
        self.disk, self.files = DiskWatch(bench, parts.messages), FileHandlers(bench)
        self.preferences = PreferencesHandler(bench, parts, preferences, set_options=self.process.set_options)
        self.closing = Closing(bench, parts)
        self.closing.stayed.connect(self.preferences.forget_restart)
        self.library, self.runs = LibraryPresenter(bench, parts), RunsPresenter(bench, parts)
        self.picking, self.reasons = Picking(self.session, parts, self._sight), Reasons(bench, parts)
        self.snapshots = Snapshots(bench, parts)
        bench.navigation.attach(parts, self.library, self.runs)

    def _handlers(self) -> dict[str, Callable[[], object]]:
        """What every action of the table does."""
        handlers = bench_handlers(self.bench, self.parts) | self._own_handlers()
        helpers = (
            self.exports, self.fitting, self.preferences, self.inspection, self.disk, self.doctoring,
            self.reasons, self.snapshots, self.plots,
        )  # fmt: skip
        for helper in helpers:
            handlers |= helper.handlers()
        return handlers | self.runs.handlers(self.library.handlers(self.session.reload))

    def _timer(self, interval: int, called: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setInterval(interval)
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(called)
        return timer

    def _start_workers(self) -> None:
        self.session.connect(self.process, self._videos)
        if self.process.pid is None:
            self.process.start()
        self._videos.start()
        self._disk.start()

    # -- the ways in ---------------------------------------------------------------------------------
    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open what the paths mean; what cannot be opened becomes a message."""
        self.bench.navigation.open_paths(paths)

    def open_library(self, folder: Path) -> None:
        """Show the cases of a folder in place of the images."""
        self.bench.navigation.open_library(folder)

    def open_runs(self, folders: tuple[Path, ...]) -> None:
        """Show evaluation runs in place of the images."""
        self.bench.navigation.open_runs(folders)

    def show_welcome(self) -> None:
        """Bundled scenes and recent files in place of the images."""
        self.bench.navigation.show_welcome()

    def open_sources(self, sources: SceneSources) -> None:
        """Put a scene on the bench."""
        self.bench.navigation.open_sources(sources)

    def seek_when_known(self, frame: int) -> None:
        """Seek now, and again when the video has told how long the clip is."""
        self.bench.navigation.seek_when_known(frame)

    def activate_finding(self, index: int) -> None:
        """Go to a finding."""
        self.bench.navigation.go_to_finding(index)

    # -- wiring --------------------------------------------------------------------------------------
    def _connect_session(self) -> None:
        changes, show, soon = self.session.changes, self.presenter, self.bench.deferred.show
        navigation = self.bench.navigation
        changes.subscribe("scene", show.show_scene)
        changes.subscribe("scene", navigation.leave_welcome)
        changes.subscribe("scene", navigation.seek_first_frame)
        changes.subscribe("clock", show.show_clock)
        changes.subscribe("clock", self._follow_playing)
        changes.subscribe("frame", show.show_images)
        changes.subscribe("frame", self._sight.want_pixels)
        changes.subscribe("cases", lambda: soon(show.show_cases))
        for seen in ("probe", "frame", "comparison"):
            changes.subscribe(seen, lambda: soon(self.inspection.show))
            changes.subscribe(seen, lambda: soon(self._sight.want_pixels))
            changes.subscribe(seen, lambda: soon(show.show_looked_at))
        changes.subscribe("comparison", show.show_comparison)
        changes.subscribe("message", show.show_message)
        changes.subscribe("world", self._follow_playing)
        changes.subscribe("world", lambda: soon(show.show_images))  # a stale badge may be late
        changes.subscribe("selection", lambda: soon(show.show_selected_object))
        changes.subscribe("selection", lambda: soon(show.show_looked_at))
        for topic, shower in (
            ("world", show.show_world), ("motion", show.show_motion), ("report", show.show_report),
            ("world", show.show_freshness), ("status", show.show_status), ("clock", show.show_status),
            ("comparison", show.show_status),
        ):  # fmt: skip
            changes.subscribe(topic, lambda shower=shower: soon(shower))  # type: ignore[arg-type, misc]
        changes.subscribe("draft", lambda: soon(show.show_unsaved))
        changes.subscribe("strips", lambda: soon(show.show_strips))
        strips: tuple[Topic, ...] = ("scene", "world", "report")
        for topic in strips:
            changes.subscribe(topic, lambda: soon(self._want_strips))
        middle: tuple[Topic, ...] = ("scene", "world", "motion", "selection")
        for topic in middle:
            changes.subscribe(topic, lambda: soon(self.middle.show))
        changes.subscribe("clock", self.middle.show_frame)
        changes.subscribe("frame", lambda: soon(self.middle.show_picture))

    def _connect_parts(self) -> None:
        session, parts, run = self.session, self.parts, self.actions_.run
        bench, navigation, soon = self.bench, self.bench.navigation, self.bench.deferred.show
        bench.theme_changed.connect(self.actions_.refresh_icons)
        bench.covered.connect(lambda on: self.actions_.set_groups_enabled(BENCH_GROUPS, not on))
        bench.close_requested.connect(self.close)
        parts.parameters.changing.connect(session.change)
        parts.parameters.committed.connect(session.commit)
        parts.parameters.taken.connect(session.tell_taken)
        parts.parameters.reset_requested.connect(session.reset)
        parts.parameters.reset_all_requested.connect(session.reset_all)
        parts.parameters.owner_chosen.connect(lambda: soon(self._want_strips))
        for area in parts.parameters.findChildren(QScrollArea):
            bar = area.verticalScrollBar()
            bar.valueChanged.connect(lambda: soon(self._want_strips))
        parts.time.seek_requested.connect(session.clock.seek)
        parts.time.object_selected.connect(lambda name: session.selection.select(object_name=name))
        parts.time.curve_chosen.connect(self.presenter.choose_curve)
        parts.time.finding_activated.connect(navigation.go_to_mark)
        parts.findings.activated.connect(navigation.go_to_finding)
        parts.cases.activated.connect(navigation.open_case)
        parts.view_bar.mode_chosen.connect(lambda mode: session.comparison.update(mode=mode))
        parts.view_bar.view_chosen.connect(lambda view: self.middle.show())
        parts.space.canvas.object_picked.connect(lambda name: session.selection.select(object_name=name))
        parts.images.hovered.connect(self.presenter.show_pixel)
        parts.images.hovered.connect(self._sight.hover)
        parts.images.wipe_moved.connect(lambda x: session.comparison.update(wipe=x))
        parts.images.zoom_changed.connect(parts.view_bar.set_zoom)
        parts.welcome.opened.connect(navigation.open_paths)
        self.drop_hint.dropped.connect(navigation.open_paths)
        parts.messages.closed.connect(lambda: session.tell(None))
        for emitter in (parts.transport, parts.verdict, parts.view_bar, parts.messages, parts.welcome):
            emitter.action.connect(run)
        self.palette_.chosen.connect(run)
        keys = ("first", "step_back", "play", "step_forward", "last", "previous_finding", "next_finding")
        parts.transport.set_shortcuts({key: shortcut_text(key) for key in keys})

    def _own_handlers(self) -> dict[str, Callable[[], object]]:
        """Handlers of the actions that concern the window itself."""
        navigation = self.bench.navigation
        return {
            "quit": self.close,
            "next_case": lambda: navigation.step_case(1),
            "previous_case": lambda: navigation.step_case(-1),
            "full_screen": lambda: self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen),
            "view_images": lambda: self._show_view("images"),
            "view_space": lambda: self._show_view("space"),
            "view_script": lambda: self._show_view("script"),
            "palette": self.open_palette,
            "shortcuts": self.open_sheet,
            "copy_command": lambda: copy_text(self.bench.view.command_line()),
            "menu_bar": self._toggle_menu,
            "welcome": navigation.show_welcome,
            "range_auto": self.ranges.toggle,
        }

    def _show_view(self, view: str) -> None:
        self.bench.navigation.show_view(view)
        self.middle.show()

    def open_palette(self) -> None:
        """The command palette over the window."""
        commands = [c for c in command_list() if is_offered(self.bench, c[0])]
        self.palette_.set_commands(commands, {key: why_not(self.bench, key) for key, _, _ in commands})
        self.palette_.open()

    def open_sheet(self) -> None:
        """The sheet of shortcuts over the window."""
        if not self._sheet_filled:  # not at the start: a hundred labels are a tenth of a second
            self._sheet_filled = True
            self.sheet.set_commands(command_list(), command_groups())
        self.sheet.open()

    # -- following the session -----------------------------------------------------------------------
    def flush(self) -> None:
        """Show everything that waits now (before a picture of the window is taken)."""
        self.bench.flush()

    def _want_strips(self) -> None:
        """The strips of the sliders in sight: what is there is shown, what lacks is asked for."""
        self._sight.want_strips()
        self.presenter.show_strips()

    def _follow_playing(self) -> None:
        """The beat runs only while something moves by itself."""
        dragging = self.session.parameters is not None and self.session.parameters.dragging is not None
        wanted = self.session.clock.playing or dragging
        if wanted != self._beat.isActive():
            if wanted:
                self._beat.start()
            else:
                self._beat.stop()

    def _on_beat(self) -> None:
        self.session.clock.tick(shown=self.session.shows_current_frame)
        self.session.scheduler.pump()

    def _deliver(self) -> None:
        for answer in self.process.take():
            lost = isinstance(answer, WorkerLost) and not self._closed and not self.process.restart()
            self.session.scheduler.receive(answer)
            if lost:
                self.session.tell(NO_SIMULATION)
        for video_answer in self._videos.take():
            self.session.receive_video(video_answer)

    # -- window --------------------------------------------------------------------------------------
    def picture(self) -> QImage:
        """The window as it is on screen, after every layout has settled."""
        self.flush()
        # Texts have changed widths: let the layouts settle, twice because one layout asks for another.
        for _ in range(2):
            QApplication.sendPostedEvents()
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        return self.grab().toImage()

    def save_picture(self, path: Path) -> None:
        """Write the window as it is on screen. Raises UserError when the file cannot be written."""
        if not QPixmap.fromImage(self.picture()).save(str(path), "PNG"):
            raise UserError(tr("cannot write the picture"), where=str(path))

    def _toggle_menu(self) -> None:
        bar = self.menuBar()
        if not bar.actions():
            for menu in self.actions_.menus(bar):
                bar.addMenu(menu)
        bar.setVisible(bar.isHidden())

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_R and not event.isAutoRepeat():
            self.session.comparison.update(hold_reference=False)
        super().keyReleaseEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.session.comparison.update(hold_reference=False)
            self.session.finish_drag()
        super().changeEvent(event)

    def end(self) -> None:
        """Close without a question: unsaved edits are kept for next time, where that is wanted."""
        self.closing.end()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.closing.may_close():
            event.ignore()
            return
        self._closed = True
        self.parts.space.canvas.close_gl()
        self.preferences.remember_place(self)
        for timer in (self._beat, self.bench.deferred, self._disk):
            timer.stop()
        self._bridge.close()
        for owner in (self.exports, self.bench.jobs, self.preferences):
            owner.close()
        self.session.changes.clear()
        self.session.connect(None, None)
        self.session.close_script()
        self._videos.close()
        self.library.close()
        self.runs.close()
        self.process.close()
        super().closeEvent(event)

"""What everything in the window works on. Built first; actions, rules, helpers and presenters get it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from fourdcb_studio.dialogs import Dialogs
from fourdcb_studio.navigation import Navigation
from fourdcb_studio.session.recent import RecentFiles
from fourdcb_studio.session.scene_session import SceneSession
from fourdcb_studio.session.view import View
from fourdcb_studio.widgets.deferred import Deferred
from fourdcb_studio.workers.job_runner import Jobs


class Bench(QObject):
    """The session, the way through it, and what its users share. Knows no widget.

    Args:
        session: the open scene.
        recent: what was opened lately.

    Attributes:
        view: what is derived from the session to be shown.
        navigation: opens scenes, cases and libraries and says what stands where.
        jobs: runs what takes long and was asked for.
        dialogs: asks for files.
        deferred: refreshes that need not follow every frame.

    Signals:
        theme_changed(): another theme is in force.
        covered(bool): the library covers the bench, or leaves it.
        close_requested(): the window should close.
    """

    theme_changed = Signal()
    covered = Signal(bool)
    close_requested = Signal()

    def __init__(self, session: SceneSession, recent: RecentFiles, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.view = session, View(session)
        self.navigation = Navigation(session, recent)
        self.dialogs = Dialogs()
        self.deferred = Deferred(self)
        self.jobs = Jobs(session.scheduler, self)

    def flush(self) -> None:
        """Show everything that waits now (before a picture of the window is taken)."""
        self.deferred.flush()
        self.navigation.library.flush()

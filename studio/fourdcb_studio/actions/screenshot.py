"""The picture that ``--screenshot`` asks for: once nothing on screen is stale."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QElapsedTimer, QEventLoop, QTimer

from fourdcb.errors import UserError

if TYPE_CHECKING:
    from fourdcb_studio.session.scene_session import SceneSession


class Reader(Protocol):
    """A library, or runs, that may still be read."""

    @property
    def idle(self) -> bool:
        """Whether nothing is being read that is in sight."""


class Picturable(Protocol):
    """A window that can be pictured."""

    @property
    def session(self) -> SceneSession:
        """What is shown."""

    @property
    def library(self) -> Reader:
        """What may cover it."""

    @property
    def runs(self) -> Reader:
        """What else may cover it."""

    def flush(self) -> None:
        """Show everything that waits."""

    def save_picture(self, path: Path) -> None:
        """Write what is on screen."""

    def end(self) -> None:
        """Close it without a question."""


DEADLINE_MS = 120_000  # for everything but the verdicts of other candidates
VERDICTS_MS = 60_000  # for these, from when all else is there
_POLL_MS = 30


def take_last_picture(window: Picturable, path: Path) -> None:
    """Wait, write the picture, close the window; candidates without a verdict are told on stderr.

    Raises:
        UserError: something that is shown was not there in time, or the file cannot be written.
    """
    picture = _LastPicture(window, path)
    picture.ended.exec()
    if picture.failure is not None:
        raise picture.failure


class _LastPicture:
    def __init__(self, window: Picturable, path: Path) -> None:
        self._window, self._path = window, path
        self.ended = QEventLoop()
        self.failure: UserError | None = None
        self._begun, self._complete = QElapsedTimer(), QElapsedTimer()
        self._begun.start()
        self._timer = QTimer()
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        self._window.flush()  # what is shown decides what is wanted, such as strips
        window = self._window
        if not (window.session.idle and window.library.idle and window.runs.idle):
            if self._begun.hasExpired(DEADLINE_MS):
                late = UserError("the picture was not complete in time", expected="2 minutes at most")
                self._end(late)
            return
        if not self._complete.isValid():
            self._complete.start()
        unjudged = len(self._window.session.unjudged)
        if unjudged and not self._complete.hasExpired(VERDICTS_MS):
            return
        if unjudged:
            others = f"{unjudged} other candidate{'s' if unjudged > 1 else ''}"
            sys.stderr.write(
                f"warning: no verdict on {others} within {VERDICTS_MS / 1000:g} s; the picture says so\n"
            )
        try:
            self._window.save_picture(self._path)
        except UserError as error:
            self._end(error)
        else:
            self._end(None)

    def _end(self, failure: UserError | None) -> None:
        self._timer.stop()
        self.failure = failure
        self._window.end()
        self.ended.quit()

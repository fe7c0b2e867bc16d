"""Decodes the small pictures of cases on a pool thread: those looked at first, the newest wish wins."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from fourdcb.errors import UserError
from fourdcb.progress import Progress
from fourdcb_studio.workers.pool_job import PoolJob

_log = logging.getLogger(__name__)
_LARGEST = QSize(480, 240)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThumbnailWish:
    """A picture to read.

    Attributes:
        key: what the answer is called by.
        picture: an image file, or None.
        video: a video whose ``frame`` will do instead, or None.
        frame: the frame; None for the middle one.
    """

    key: str
    picture: Path | None
    video: Path | None
    frame: int | None


class ThumbnailLoader:
    """Reads what is wanted now; a wish that is not repeated is forgotten.

    Args:
        wake: called on the thread when answers wait; must be quick and thread-safe.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._answers: deque[tuple[str, QImage | None]] = deque()
        self._lock = threading.Lock()
        self._wishes: deque[ThumbnailWish] = deque()
        self._reading = False
        self._job: PoolJob | None = None

    def want(self, wishes: Sequence[ThumbnailWish]) -> None:
        """Read these, in this order; replaces what was wanted before."""
        with self._lock:
            self._wishes = deque(wishes)
            begin = bool(wishes) and not self._reading
            self._reading = self._reading or begin
        if begin:
            self._job = PoolJob(self._read_all, None, _hear_nothing)

    def take(self) -> list[tuple[str, QImage | None]]:
        """(key, picture or None where there is none) since the last call."""
        taken: list[tuple[str, QImage | None]] = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken

    def close(self) -> None:
        """End the reading."""
        with self._lock:
            self._wishes.clear()
        if self._job is not None:
            self._job.close()
            self._job = None
        self._answers.clear()

    def _read_all(self, _: object, progress: Progress) -> None:
        """Until no wish is left; each picture is told when it is there."""
        while (wish := self._next_wish()) is not None:
            try:
                image = _read(wish)
            except Exception:  # noqa: BLE001 - one odd file must not end the pictures of all others
                _log.exception("no picture of %s", wish)
                image = None
            self._answers.append((wish.key, image))
            self._wake()

    def _next_wish(self) -> ThumbnailWish | None:
        with self._lock:
            self._reading = bool(self._wishes)
            return self._wishes.popleft() if self._wishes else None


def _hear_nothing() -> None:
    """The pictures are told one by one."""


def _read(wish: ThumbnailWish) -> QImage | None:
    if wish.picture is not None:
        image = _picture(wish.picture)
        if image is not None:
            return image
    return None if wish.video is None else _frame(wish.video, wish.frame)


def _picture(path: Path) -> QImage | None:
    reader = QImageReader(str(path))
    size = reader.size()
    if size.isValid() and (size.width() > _LARGEST.width() or size.height() > _LARGEST.height()):
        reader.setScaledSize(size.scaled(_LARGEST, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return None if image.isNull() else image.convertToFormat(QImage.Format.Format_RGB32)


def _frame(path: Path, frame: int | None) -> QImage | None:
    from fourdcb.video import VideoReader
    from fourdcb_studio.widgets.image_paint import qimage

    try:
        with VideoReader(path) as reader:
            count = reader.info.n_frames
            image = qimage(reader.frame(min(max(count // 2 if frame is None else frame, 0), count - 1)))
    except UserError:
        return None
    return image.scaled(
        _LARGEST, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )

"""Decodes the small pictures of cases on a thread: those that are looked at first, the newest wish wins."""

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
        self._condition = threading.Condition()
        self._wishes: deque[ThumbnailWish] = deque()
        self._closing = False
        self._thread: threading.Thread | None = None

    def want(self, wishes: Sequence[ThumbnailWish]) -> None:
        """Read these, in this order; replaces what was wanted before."""
        with self._condition:
            self._wishes = deque(wishes)
            self._condition.notify()
        if self._thread is None and wishes:
            self._thread = threading.Thread(target=self._run, name="thumbnails", daemon=True)
            self._thread.start()

    def take(self) -> list[tuple[str, QImage | None]]:
        """(key, picture or None where there is none) since the last call."""
        taken: list[tuple[str, QImage | None]] = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken

    def close(self) -> None:
        """End the thread."""
        with self._condition:
            self._closing = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()
        self._thread = None
        self._answers.clear()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._closing or self._wishes)
                if self._closing:
                    return
                wish = self._wishes.popleft()
            try:
                image = _read(wish)
            except Exception:  # noqa: BLE001 - one odd file must not end the pictures of all others
                _log.exception("no picture of %s", wish)
                image = None
            self._answers.append((wish.key, image))
            self._wake()


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
